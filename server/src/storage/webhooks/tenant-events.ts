// Records the events of tenants, each together with its deliveries, and lists them newest first. Ids begin with the
// event's time, so the order of ids is the order of the list.

import type { Kysely, Selectable, Transaction } from 'kysely'
import { newTimedId } from '../../crypto/timed-id.ts'
import type { TenantEventBody } from '../../domain/webhooks/tenant-events.ts'
import type { Schema } from '../schema.ts'
import { findWebhooks, queueFor } from './queue-deliveries.ts'

export type TenantEventRow = Selectable<Schema['tenant_events']>

interface Place {
  tenantId: string
  /** Null for an event of the tenant itself. */
  projectId: string | null
  at: number
}

/** The caller's transaction makes the event true: both are stored, or neither. */
export async function recordTenantEvent(
  trx: Transaction<Schema>,
  { tenantId, projectId, at }: Place,
  { type, data }: TenantEventBody,
): Promise<void> {
  const id = newTimedId(at)
  const row = { tenant_id: tenantId, id, project_id: projectId, type, data: JSON.stringify(data), created_at: at }
  const [webhooks] = await Promise.all([
    findWebhooks(trx, { tenantId, projectId }),
    trx.insertInto('tenant_events').values(row).execute(),
  ])
  await queueFor(trx, webhooks, { id, type, tenantId, projectId, data, at })
}

/** Newest first, after the row with the id `after`; of one type unless `type` is null. */
export async function listTenantEvents(
  sql: Kysely<Schema>,
  { tenantId, type }: { tenantId: string; type: string | null },
  page: { after: string | null; limit: number },
): Promise<TenantEventRow[]> {
  let query = sql.selectFrom('tenant_events').selectAll().where('tenant_id', '=', tenantId)
  if (type !== null) query = query.where('type', '=', type)
  if (page.after !== null) query = query.where('id', '<', page.after)
  return await query.orderBy('id', 'desc').limit(page.limit).execute()
}

/** Deletes at most `limit` events of one project; returns how many. */
export async function deleteTenantEventsOf(
  sql: Kysely<Schema>,
  { tenantId, projectId }: { tenantId: string; projectId: string },
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('tenant_events')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', row =>
      row
        .selectFrom('tenant_events')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('project_id', '=', projectId)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes at most `limit` of the events before that time, the oldest first; returns how many. */
export async function deleteOldTenantEvents(sql: Kysely<Schema>, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('tenant_events')
    .where(row =>
      row(
        row.refTuple('tenant_id', 'id'),
        'in',
        row
          .selectFrom('tenant_events')
          .select(['tenant_id', 'id'])
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(limit)
          .$asTuple('tenant_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
