// The meters of tenants: their settings, and how far they are.

import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { sql as text } from 'kysely'
import type { Schema } from '../schema.ts'

type Database = Pick<Kysely<Schema> | Transaction<Schema>, 'selectFrom'>

export type MeterRow = Selectable<Schema['meters']>

export async function findMeter(sql: Database, tenantId: string): Promise<MeterRow | null> {
  const row = await sql
    .selectFrom('meters')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

type Settings = Pick<
  MeterRow,
  'format' | 'url' | 'ciphertext' | 'signs' | 'event_name' | 'value' | 'subject' | 'updated_at'
>

export async function insertMeter(
  trx: Transaction<Schema>,
  id: string,
  tenantId: string,
  settings: Settings,
): Promise<void> {
  const row: Insertable<Schema['meters']> = {
    ...settings,
    id,
    tenant_id: tenantId,
    created_at: settings.updated_at,
    deleted_at: null,
    sent: 0,
    dropped: 0,
    last_sent_at: null,
    last_status: null,
    last_error: null,
    last_error_at: null,
    failures: 0,
    retry_at: 0,
    is_slow: 0,
    claim: null,
    claimed_until: 0,
  }
  await trx.insertInto('meters').values(row).execute()
}

/** What waits is sent as the new settings say, and at once. */
export async function changeMeter(trx: Transaction<Schema>, id: string, settings: Settings): Promise<void> {
  await trx
    .updateTable('meters')
    .set({ ...settings, failures: 0, retry_at: 0, is_slow: 0 })
    .where('id', '=', id)
    .execute()
}

/** From now on nothing is sent. The worker deletes its events. Returns whether there was a meter. */
export async function markMeterDeleted(trx: Transaction<Schema>, tenantId: string, now: number): Promise<boolean> {
  const deleted = await trx
    .updateTable('meters')
    .set({ deleted_at: now })
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

/** A page of all meters, deleted ones included, by id. */
export async function listMeters(sql: Database, afterId: string, limit: number) {
  return await sql
    .selectFrom('meters')
    .select(['id', 'tenant_id', 'deleted_at'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function removeMeter(sql: Kysely<Schema>, id: string): Promise<void> {
  await sql.deleteFrom('meters').where('id', '=', id).where('deleted_at', 'is not', null).execute()
}

interface MeterBacklog {
  /** Both up to the limit. */
  waiting: number
  rejected: number
  /** When the oldest request was settled that waits for its first attempt; null without one. */
  oldestAt: number | null
}

export async function readBacklog(sql: Database, meterId: string, limit: number): Promise<MeterBacklog> {
  const count = async (state: 'waiting' | 'rejected') => {
    const { count } = await sql
      .selectFrom(eb =>
        eb
          .selectFrom('meter_events')
          .select('request_id')
          .where('meter_id', '=', meterId)
          .where('state', '=', state)
          .limit(limit)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const oldest = await sql
    .selectFrom('meter_events')
    .select('due_at')
    .where('meter_id', '=', meterId)
    .where('state', '=', 'waiting')
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  const oldestAt = oldest === undefined ? null : Number(oldest.due_at)
  return { waiting: await count('waiting'), rejected: await count('rejected'), oldestAt }
}

/** By format of meters: when the oldest request was settled that waits for its first attempt; null if none waits. */
export async function listOldestWaiting(sql: Kysely<Schema>): Promise<{ format: string; at: number | null }[]> {
  const { rows } = await text<{ format: string; oldest: number | null }>`select format, min(first) as oldest
    from (select format, (select min(due_at) from meter_events
      where meter_id = meters.id and state = 'waiting') as first from meters where deleted_at is null) as firsts
    group by format`.execute(sql)
  return rows.map(({ format, oldest }) => ({ format, at: oldest === null ? null : Number(oldest) }))
}
