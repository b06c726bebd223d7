// The alerts on the requests of projects. One that begins or ends is recorded as an event in the same transaction, so
// that each happens once, whichever replica notices it.

import type { Kysely } from 'kysely'
import type { RequestAlert } from '../../domain/requests/request-alert.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import { recordTenantEvent } from '../webhooks/tenant-events.ts'

export interface KeptAlert {
  alert: RequestAlert
  /** Null while it has not begun. */
  beganAt: number | null
}

type Database = Pick<Kysely<Schema>, 'selectFrom'>

/** In the order in which they were given. */
export async function listAlerts(sql: Database, projectId: string): Promise<KeptAlert[]> {
  const rows = await sql
    .selectFrom('request_alerts')
    .select(['alert', 'began_at'])
    .where('project_id', '=', projectId)
    .orderBy('position')
    .execute()
  return rows.map(({ alert, began_at: beganAt }) => ({ alert: JSON.parse(alert) as RequestAlert, beganAt }))
}

/** Replaces all. One that did not change stays begun; one that is gone ends without an event. */
export async function putAlerts(
  sql: Kysely<Schema>,
  projectId: string,
  alerts: readonly RequestAlert[],
): Promise<KeptAlert[]> {
  return await transact(sql, async trx => {
    const texts = new Map((await listAlerts(trx, projectId)).map(kept => [JSON.stringify(kept.alert), kept.beganAt]))
    await trx.deleteFrom('request_alerts').where('project_id', '=', projectId).execute()
    const kept = alerts.map(alert => ({ alert, beganAt: texts.get(JSON.stringify(alert)) ?? null }))
    const rows = kept.map(({ alert, beganAt }, position) => ({
      project_id: projectId,
      name: alert.name,
      position,
      alert: JSON.stringify(alert),
      began_at: beganAt,
    }))
    if (rows.length > 0) await trx.insertInto('request_alerts').values(rows).execute()
    return kept
  })
}

export interface WatchedProject {
  projectId: string
  tenantId: string
}

/** The projects that have alerts and are not deleted, by their ids. */
export async function listWatchedProjects(sql: Database, after: string, limit: number): Promise<WatchedProject[]> {
  return await sql
    .selectFrom('projects')
    .select(['id as projectId', 'tenant_id as tenantId'])
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .where('id', 'in', alerts => alerts.selectFrom('request_alerts').select('project_id'))
    .orderBy('id')
    .limit(limit)
    .execute()
}

interface Change extends WatchedProject {
  alert: RequestAlert
  /** What was measured. */
  value: number
  at: number
}

/** No-op if the alert has begun already, was changed or is gone. */
export async function beginAlert(sql: Kysely<Schema>, change: Change): Promise<void> {
  await changeAlert(sql, change, 'began')
}

/** No-op if the alert has ended already, was changed or is gone. */
export async function endAlert(sql: Kysely<Schema>, change: Change): Promise<void> {
  await changeAlert(sql, change, 'ended')
}

async function changeAlert(sql: Kysely<Schema>, change: Change, state: 'began' | 'ended'): Promise<void> {
  const { tenantId, projectId, alert, value, at } = change
  await transact(sql, async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('request_alerts')
      .set({ began_at: state === 'began' ? at : null })
      .where('project_id', '=', projectId)
      .where('name', '=', alert.name)
      .where('alert', '=', JSON.stringify(alert))
      .where('began_at', state === 'began' ? 'is' : 'is not', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return
    const { on, over, window_minutes } = alert
    const data = { state, on, over, value, window_minutes }
    await recordTenantEvent(trx, { tenantId, projectId, at }, { type: 'request_alert', data })
  })
}
