// Erases an end user: deletes the threads, and moves the usage to another id. Each step handles one page or one
// day, and may be repeated.

import type { Expression, Kysely, SqlBool } from 'kysely'
import { addedTo, dayKey, endpointKey } from '../add-usage-rows.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import type { EndUserKey } from './restrict.ts'

/** The id to which the usage of all erased users of a project is moved. No token can be minted for it. */
const erasedUserId = 'erased'

export async function requestErasure(sql: Kysely<Schema>, { projectId, userId }: EndUserKey, now: number) {
  await sql
    .insertInto('end_user_erasures')
    .values({ project_id: projectId, user_id: userId, requested_at: now })
    .onConflict(conflict => conflict.columns(['project_id', 'user_id']).doUpdateSet({ requested_at: now }))
    .execute()
}

export async function listErasures(sql: Kysely<Schema>, requestedBefore: number, limit: number) {
  const rows = await sql
    .selectFrom('end_user_erasures')
    .selectAll()
    .where('requested_at', '<=', requestedBefore)
    .orderBy('requested_at')
    .limit(limit)
    .execute()
  return rows.map(row => ({ projectId: row.project_id, userId: row.user_id, requestedAt: row.requested_at }))
}

/**
 * Deletes at most `limit` messages and returns true. If no messages are left, deletes the threads and returns
 * false.
 */
export async function deleteThreadsPage(sql: Kysely<Schema>, user: EndUserKey, limit: number): Promise<boolean> {
  const { numDeletedRows } = await sql
    .deleteFrom('thread_messages')
    .where('project_id', '=', user.projectId)
    .where('user_id', '=', user.userId)
    .where(row =>
      row(row.refTuple('thread_id', 'position'), 'in', inner =>
        inner
          .selectFrom('thread_messages')
          .select(['thread_id', 'position'])
          .where('project_id', '=', user.projectId)
          .where('user_id', '=', user.userId)
          .orderBy('thread_id')
          .orderBy('position')
          .limit(limit)
          .$asTuple('thread_id', 'position'),
      ),
    )
    .executeTakeFirst()
  if (Number(numDeletedRows) > 0) return true
  await sql.deleteFrom('threads').where('project_id', '=', user.projectId).where('user_id', '=', user.userId).execute()
  return false
}

/** Returns the first day after `day` on which the project was used, or null. */
export async function findDayAfter(sql: Kysely<Schema>, projectId: string, day: string): Promise<string | null> {
  const row = await sql
    .selectFrom('usage_days')
    .select('day')
    .where('project_id', '=', projectId)
    .where('day', '>', day)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return row?.day ?? null
}

/** Moves the user's sums of a day to those of erased users, in the order in which usage is added: no deadlocks. */
export async function eraseUsageDay(sql: Kysely<Schema>, user: EndUserKey, day: string) {
  await transact(sql, async trx => {
    const isOfUser = (row: { and(filter: object): Expression<SqlBool> }) =>
      row.and({ project_id: user.projectId, day, user_id: user.userId })
    const days = await trx.deleteFrom('usage_days').where(isOfUser).returningAll().execute()
    for (const row of sortBy(days, ({ model }) => model)) {
      await trx
        .insertInto('usage_days')
        .values({ ...row, user_id: erasedUserId })
        .onConflict(conflict => conflict.columns(dayKey).doUpdateSet(addedTo('usage_days')))
        .execute()
    }
    const endpoints = await trx.deleteFrom('usage_endpoints').where(isOfUser).returningAll().execute()
    for (const row of sortBy(endpoints, ({ model, endpoint }) => `${model}\0${endpoint}`)) {
      await trx
        .insertInto('usage_endpoints')
        .values({ ...row, user_id: erasedUserId })
        .onConflict(conflict => conflict.columns(endpointKey).doUpdateSet(addedTo('usage_endpoints')))
        .execute()
    }
  })
}

function sortBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/**
 * Moves the user's records among the next `limit` records of all users, after that time. Returns the time of
 * the last one, or null at the end. Records have no index by user, because every insert would have to update
 * it.
 */
export async function eraseUsageRecordsPage(
  sql: Kysely<Schema>,
  { projectId, userId }: EndUserKey,
  after: number,
  limit: number,
): Promise<number | null> {
  const last = await sql
    .selectFrom('usage_records')
    .select('created_at')
    .where('created_at', '>', after)
    .orderBy('created_at')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  let records = sql
    .updateTable('usage_records')
    .set({ user_id: erasedUserId })
    .where('created_at', '>', after)
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
  if (last !== undefined) records = records.where('created_at', '<=', last.created_at)
  await records.execute()
  return last?.created_at ?? null
}

export async function findFirstSeen(sql: Kysely<Schema>, { projectId, userId }: EndUserKey): Promise<number | null> {
  const row = await sql
    .selectFrom('end_users')
    .select('first_seen_at')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.first_seen_at ?? null
}

/**
 * A block stays in force, and keeps the user listed. A revocation stays in force, but does not keep the user
 * listed.
 */
export async function finishErasure(
  sql: Kysely<Schema>,
  { projectId, userId }: EndUserKey,
  requestedAt: number,
): Promise<void> {
  await transact(sql, async trx => {
    await trx
      .updateTable('end_users')
      .set({ first_seen_at: null, last_seen_at: null })
      .where('project_id', '=', projectId)
      .where('user_id', '=', userId)
      .execute()
    await trx
      .deleteFrom('end_users')
      .where('project_id', '=', projectId)
      .where('user_id', '=', userId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('end_user_restrictions')
              .select('user_id')
              .where('project_id', '=', projectId)
              .where('user_id', '=', userId)
              .where('blocked_at', 'is not', null),
          ),
        ),
      )
      .execute()
    // If the erasure was requested again meanwhile, that request stays.
    await trx
      .deleteFrom('end_user_erasures')
      .where('project_id', '=', projectId)
      .where('user_id', '=', userId)
      .where('requested_at', '=', requestedAt)
      .execute()
  })
}
