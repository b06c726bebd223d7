// Guardrail events in the database: each is written once even if it is delivered several times, the newest of
// each tenant are kept, and they are listed newest first. Ids begin with the event's time, so the order of ids
// is the order of the list.

import { hash } from 'node:crypto'
import {
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type Transaction,
  sql as text,
} from 'kysely'
import { hashUser } from '../../crypto/hash-user.ts'
import { firstTimedId, timedId } from '../../crypto/timed-id.ts'
import { type GuardrailEvent, timeOfEvent } from '../../domain/guardrails/guardrail-event.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

type NewRow = Insertable<Schema['guardrail_events']>
export type GuardrailEventRow = Selectable<Schema['guardrail_events']>

/**
 * The same entry of the stream always becomes the same row. `takenAt` is when the stream received it: a replica whose
 * clock is ahead cannot place its events before all others, or extend their retention.
 */
export function guardrailEventRow(entryId: string, takenAt: number, event: GuardrailEvent): NewRow {
  const happenedAt = Math.min(timeOfEvent(event), takenAt)
  return {
    id: timedId(happenedAt, hash('sha256', JSON.stringify([entryId, event.requestId, event.type]))),
    tenant_id: event.tenantId,
    project_id: event.projectId,
    type: event.type,
    direction: event.direction,
    mode: event.mode,
    action_taken: event.actionTaken,
    entity_types: event.entityTypes === undefined ? null : JSON.stringify(event.entityTypes),
    entity_count: event.entityCount ?? null,
    pattern_family: event.patternFamily ?? null,
    term_count: event.termCount ?? null,
    request_id: event.requestId,
    timestamp: event.timestamp,
    happened_at: happenedAt,
    uid: event.userId ?? null,
    user_hash: event.userHash ?? null,
    source: event.source ?? null,
    variable: event.variable ?? null,
    score: event.score ?? null,
  }
}

/** All or none. Deletes and counts the oldest events of a tenant that then has more than `maxPerTenant`. */
export async function addGuardrailEvents(
  sql: Kysely<Schema>,
  rows: readonly NewRow[],
  maxPerTenant: number,
): Promise<void> {
  if (rows.length === 0) return
  // In a fixed order, so that workers with the same events wait for each other and do not deadlock.
  const ordered = [...rows].sort((a, b) => compare(a.tenant_id, b.tenant_id) || compare(a.id, b.id))
  await transact(sql, async trx => {
    const added = await trx
      .insertInto('guardrail_events')
      .values(ordered)
      .onConflict(conflict => conflict.columns(['tenant_id', 'id']).doNothing())
      .returning('tenant_id')
      .execute()
    for (const { tenant_id: tenantId, held } of await countRows(trx, added, 1)) {
      if (held > maxPerTenant) await deleteOldest(trx, tenantId, held - maxPerTenant)
    }
  })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Adds `each` to its tenant's count for every row; the counts stay locked until the end of the transaction. */
async function countRows(trx: Transaction<Schema>, rows: readonly { tenant_id: string }[], each: 1 | -1) {
  const tenants = [...Map.groupBy(rows, row => row.tenant_id)].sort(([a], [b]) => compare(a, b))
  if (tenants.length === 0) return []
  return await trx
    .insertInto('guardrail_event_counts')
    .values(tenants.map(([tenant_id, { length }]) => ({ tenant_id, held: length * each, capped: 0 })))
    .onConflict(conflict =>
      conflict
        .column('tenant_id')
        .doUpdateSet(row => ({ held: row('guardrail_event_counts.held', '+', row.ref('excluded.held')) })),
    )
    .returning(['tenant_id', 'held'])
    .execute()
}

async function deleteOldest(trx: Transaction<Schema>, tenantId: string, count: number): Promise<void> {
  const deleted = await trx
    .deleteFrom('guardrail_events')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', row =>
      row.selectFrom('guardrail_events').select('id').where('tenant_id', '=', tenantId).orderBy('id').limit(count),
    )
    .returning('id')
    .execute()
  await trx
    .updateTable('guardrail_event_counts')
    .set(row => ({ held: row('held', '-', deleted.length), capped: row('capped', '+', deleted.length) }))
    .where('tenant_id', '=', tenantId)
    .execute()
}

/** Deletes at most `limit` of the events before that time, the oldest first; returns how many. */
export async function deleteOldGuardrailEvents(sql: Kysely<Schema>, before: number, limit: number): Promise<number> {
  return await deletePage(sql, rows => rows.where('happened_at', '<', before).orderBy('happened_at').limit(limit))
}

/** Deletes at most `limit` events of one project; returns how many. */
export async function deleteGuardrailEventsOf(
  sql: Kysely<Schema>,
  { tenantId, projectId }: { tenantId: string; projectId: string },
  limit: number,
): Promise<number> {
  return await deletePage(sql, rows =>
    rows.where('tenant_id', '=', tenantId).where('project_id', '=', projectId).orderBy('id').limit(limit),
  )
}

/**
 * Removes the end user from the events among the next `limit` of the project, after that id. Returns the id of the last
 * one, or null at the end.
 */
export async function eraseUserOfEventsPage(
  sql: Kysely<Schema>,
  { projectId, userId }: { projectId: string; userId: string },
  after: string,
  limit: number,
): Promise<string | null> {
  const project = await sql.selectFrom('projects').select('tenant_id').where('id', '=', projectId).executeTakeFirst()
  if (project === undefined) return null
  const page = await sql
    .selectFrom('guardrail_events')
    .select('id')
    .where('tenant_id', '=', project.tenant_id)
    .where('project_id', '=', projectId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = page.at(-1)?.id
  if (last === undefined) return null
  await sql
    .updateTable('guardrail_events')
    .set({ uid: null, user_hash: null })
    .where('tenant_id', '=', project.tenant_id)
    .where('project_id', '=', projectId)
    .where('id', '>', after)
    .where('id', '<=', last)
    .where('user_hash', '=', hashUser({ projectId, userId }))
    .execute()
  return page.length < limit ? null : last
}

type EventKeys = SelectQueryBuilder<Schema, 'guardrail_events', Pick<GuardrailEventRow, 'tenant_id' | 'id'>>

async function deletePage(sql: Kysely<Schema>, narrow: (rows: EventKeys) => EventKeys): Promise<number> {
  return await transact(sql, async trx => {
    const page = narrow(trx.selectFrom('guardrail_events').select(['tenant_id', 'id']))
    const deleted = await trx
      .deleteFrom('guardrail_events')
      .where(row => row(row.refTuple('tenant_id', 'id'), 'in', page.$asTuple('tenant_id', 'id')))
      .returning('tenant_id')
      .execute()
    await countRows(trx, deleted, -1)
    return deleted.length
  })
}

/** The total of rows deleted in favour of newer ones of their tenant. */
export async function countCappedGuardrailEvents(sql: Kysely<Schema>): Promise<number> {
  const sum = text<number | null>`sum(capped)`.as('capped')
  return (await sql.selectFrom('guardrail_event_counts').select(sum).executeTakeFirstOrThrow()).capped ?? 0
}

export interface GuardrailEventFilter {
  tenantId: string
  /** Null means no filter. Times are epoch milliseconds, inclusive. */
  projectId: string | null
  type: GuardrailEvent['type'] | null
  from: number | null
  to: number | null
}

/** Newest first, after the row with the id `after`. */
export async function listGuardrailEvents(
  sql: Kysely<Schema>,
  filter: GuardrailEventFilter,
  page: { after: string | null; limit: number },
): Promise<GuardrailEventRow[]> {
  const { tenantId, projectId, type, from, to } = filter
  let query = sql.selectFrom('guardrail_events').selectAll().where('tenant_id', '=', tenantId)
  if (projectId !== null) query = query.where('project_id', '=', projectId)
  if (type !== null) query = query.where('type', '=', type)
  const ends = [...(to === null ? [] : [firstTimedId(to + 1)]), ...(page.after === null ? [] : [page.after])].sort()
  if (ends[0] !== undefined) query = query.where('id', '<', ends[0])
  const rows = await query.orderBy('id', 'desc').limit(page.limit).execute()
  // Not a condition of the query: without statistics, SQLite would choose an index that fits the filter less.
  return from === null ? rows : rows.filter(row => row.id >= firstTimedId(from))
}
