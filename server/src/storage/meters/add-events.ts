// Adds the events of meters: one for each usage row of a tenant with a meter. A worker passes over the rows twice, in
// the order of time. The first pass is at the rows' heels and may miss one that another replica writes late; the second
// comes a quarter of an hour later and misses none, by the rules of late indexes: a row that is even later brings its
// events along. An event exists once for each request, and stays until the second pass is past it.

import { type Kysely, type RawBuilder, sql as text } from 'kysely'
import { advance } from '../late-index/build.ts'
import { builtAfterMs, usageIndex } from '../late-index/late-index.ts'
import type { Schema } from '../schema.ts'
import type { MeterRef } from './subjects.ts'

type Database = Kysely<Schema>

/** Most rows are written within a fraction of a second. */
const settledMs = 2_000

const [firstPass, secondPass] = ['meter_events_recent', 'meter_events']

/** When the oldest meter was made; null without one. */
export async function findMeteredSince(sql: Database): Promise<number | null> {
  const first = await sql
    .selectFrom('meters')
    .select(({ fn }) => fn.min<number | null>('created_at').as('since'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return first.since === null ? null : Number(first.since)
}

/** Adds the events of at most some `limit` rows. Returns whether rows are left. */
export async function addRecentEvents(sql: Database, since: number, now: number, limit: number): Promise<boolean> {
  return await addOfPass(sql, { name: firstPass, since, upTo: now - settledMs }, limit)
}

/** The same for rows that the first pass may have missed. */
export async function addMissedEvents(sql: Database, since: number, now: number, limit: number): Promise<boolean> {
  return await addOfPass(sql, { name: secondPass, since, upTo: now - builtAfterMs }, limit)
}

async function addOfPass(
  sql: Database,
  { name, since, upTo }: { name: string; since: number; upTo: number },
  limit: number,
): Promise<boolean> {
  const pass = { name, index: usageIndex, from: since - 1, upTo }
  return await advance(sql, pass, limit, async (trx, { after, through }) => {
    await insertEvents(text`usage_records.created_at > ${after} and usage_records.created_at <= ${through}`).execute(
      trx,
    )
  })
}

/** For rows that are written so late that no pass may see them. */
export function insertEventsOf(requestIds: readonly string[]): RawBuilder<unknown> {
  return insertEvents(text`usage_records.request_id in (${text.join(requestIds)})`)
}

/** A cross join, so that SQLite reads the rows first and once, however many meters there are. */
function insertEvents(isMeant: RawBuilder<unknown>): RawBuilder<unknown> {
  return text`insert into meter_events (tenant_id, meter_id, request_id, state, attempts, due_at, created_at)
    select meters.tenant_id, meters.id, usage_records.request_id, 'waiting', 0, usage_records.created_at,
      usage_records.created_at
    from usage_records cross join meters
    where ${isMeant} and meters.tenant_id = usage_records.tenant_id and meters.deleted_at is null
      and usage_records.created_at >= meters.created_at
    on conflict do nothing`
}

/** Deletes at most `limit` events of a meter that are sent and that no pass can find again; returns how many. */
export async function deleteSentEvents(sql: Database, meter: MeterRef, limit: number): Promise<number> {
  const pass = await sql
    .selectFrom('late_indexes')
    .select('built_through')
    .where('name', '=', secondPass)
    .executeTakeFirst()
  if (pass === undefined) return 0
  return await deleteEvents(sql, meter, text`state = 'sent' and due_at <= ${pass.built_through}`, limit)
}

/** Deletes at most `limit` events of each state that wait since before that time; returns how many, and counts them. */
export async function dropOldEvents(sql: Database, meter: MeterRef, before: number, limit: number): Promise<number> {
  // Those that wait are due since they were made, so that the index finds the old ones among many. Few are rejected.
  const waiting = await deleteEvents(sql, meter, text`state = 'waiting' and due_at < ${before}`, limit)
  const rejected = await deleteEvents(sql, meter, text`state = 'rejected' and created_at < ${before}`, limit)
  const dropped = waiting + rejected
  if (dropped > 0) {
    await sql
      .updateTable('meters')
      .set(row => ({ dropped: row('dropped', '+', dropped) }))
      .where('id', '=', meter.meterId)
      .execute()
  }
  return dropped
}

/** Deletes at most `limit` events of a meter; returns how many. */
export async function deleteAllEvents(sql: Database, meter: MeterRef, limit: number): Promise<number> {
  return await deleteEvents(sql, meter, text`1 = 1`, limit)
}

/** By the whole key, which both databases find without reading the meter's other events. */
async function deleteEvents(
  sql: Database,
  { tenantId, meterId }: MeterRef,
  isMeant: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await text`delete from meter_events
    where tenant_id = ${tenantId} and meter_id = ${meterId}
    and request_id in (select request_id from meter_events where meter_id = ${meterId} and ${isMeant}
      order by state, due_at limit ${limit})`.execute(sql)
  return Number(numAffectedRows)
}
