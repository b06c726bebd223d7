// Threads in the database. A thread belongs to its project and end user: every query must have both.

import { type Kysely, type Selectable, sql as text } from 'kysely'
import { dayMs } from '../../domain/day.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

export interface ThreadOwner {
  projectId: string
  userId: string
}

export type ThreadRow = Selectable<Schema['threads']>
export type ThreadMessageRow = Selectable<Schema['thread_messages']>

interface NewMessage {
  id: string
  role: string
  body: string
}

interface Turn {
  threadId: string
  /** Used if this turn begins the thread. */
  title: string
  retentionDays: number | null
  messages: readonly NewMessage[]
  at: number
}

/** Adds whole turns only; concurrent requests queue at the thread's row. */
export async function addTurn(sql: Kysely<Schema>, owner: ThreadOwner, turn: Turn): Promise<void> {
  const { threadId, title, retentionDays, messages, at } = turn
  const key = { project_id: owner.projectId, user_id: owner.userId }
  const count = messages.length
  await transact(sql, async trx => {
    const thread = await trx
      .insertInto('threads')
      .values({
        ...key,
        id: threadId,
        title,
        message_count: count,
        retention_days: retentionDays,
        created_at: at,
        updated_at: at,
      })
      .onConflict(conflict =>
        conflict.columns(['project_id', 'user_id', 'id']).doUpdateSet(row => ({
          message_count: row('threads.message_count', '+', count),
          retention_days: retentionDays,
          updated_at: at,
        })),
      )
      .returning('message_count')
      .executeTakeFirstOrThrow()
    const rows = messages.map((message, index) => ({
      ...key,
      ...message,
      thread_id: threadId,
      position: thread.message_count - count + index + 1,
      created_at: at,
    }))
    if (rows.length > 0) await trx.insertInto('thread_messages').values(rows).execute()
  })
}

/** How much of a thread is held in memory at once; messages may hold images. */
const maxBytes = 8 * 1024 * 1024

/**
 * The newest messages, oldest first: at most `last`, and as many as fit into memory. Queries the thread even if `last`
 * is 0.
 */
export async function listNewestMessages(sql: Kysely<Schema>, owner: ThreadOwner, threadId: string, last: number) {
  const sizes = await sizesOf(sql, owner, threadId).orderBy('position', 'desc').limit(Math.max(1, last)).execute()
  const oldest = fitting(sizes.slice(0, last)).at(-1)
  if (oldest === undefined) return []
  return await messagesOf(sql, owner, threadId)
    .selectAll()
    .where('position', '>=', oldest.position)
    .where('position', '<=', sizes[0]?.position ?? 0)
    .orderBy('position')
    .execute()
}

/** Oldest first, after `after`; fewer if they are large, but at least one if there are any. */
export async function listMessages(
  sql: Kysely<Schema>,
  owner: ThreadOwner,
  threadId: string,
  page: { after: number; limit: number },
): Promise<{ rows: ThreadMessageRow[]; hasMore: boolean }> {
  const sizes = await sizesOf(sql, owner, threadId)
    .where('position', '>', page.after)
    .orderBy('position')
    .limit(page.limit + 1)
    .execute()
  const shown = sizes.slice(0, Math.max(1, fitting(sizes.slice(0, page.limit)).length))
  const newest = shown.at(-1)
  if (newest === undefined) return { rows: [], hasMore: false }
  const rows = await messagesOf(sql, owner, threadId)
    .selectAll()
    .where('position', '>', page.after)
    .where('position', '<=', newest.position)
    .orderBy('position')
    .execute()
  return { rows, hasMore: sizes.length > shown.length }
}

function sizesOf(sql: Kysely<Schema>, owner: ThreadOwner, threadId: string) {
  return messagesOf(sql, owner, threadId).select(['position', text<number>`octet_length(body)`.as('bytes')])
}

function fitting<Row extends { bytes: number }>(rows: readonly Row[]): Row[] {
  let bytes = 0
  return rows.filter(row => {
    bytes += row.bytes
    return bytes <= maxBytes
  })
}

function messagesOf(sql: Kysely<Schema>, { projectId, userId }: ThreadOwner, threadId: string) {
  return sql
    .selectFrom('thread_messages')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('thread_id', '=', threadId)
}

export async function findThread(sql: Kysely<Schema>, { projectId, userId }: ThreadOwner, threadId: string) {
  return await sql
    .selectFrom('threads')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('id', '=', threadId)
    .executeTakeFirst()
}

/** Newest first. */
export async function listThreads(
  sql: Kysely<Schema>,
  { projectId, userId }: ThreadOwner,
  page: { after: readonly [number, string] | null; limit: number },
): Promise<ThreadRow[]> {
  let query = sql
    .selectFrom('threads')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.after !== null) {
    const [at, id] = page.after
    query = query.where(row =>
      row.or([row('updated_at', '<', at), row.and([row('updated_at', '=', at), row('id', '<', id)])]),
    )
  }
  return await query.execute()
}

/** False if there was none. */
export async function deleteThread(sql: Kysely<Schema>, { projectId, userId }: ThreadOwner, threadId: string) {
  const deleted = await sql
    .deleteFrom('threads')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('id', '=', threadId)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

/** The shortest retention of any thread that is longer than `afterDays`; null if there is none. */
export async function findRetention(sql: Kysely<Schema>, afterDays: number): Promise<number | null> {
  const row = await sql
    .selectFrom('threads')
    .select('retention_days')
    .where('retention_days', '>', afterDays)
    .orderBy('retention_days')
    .limit(1)
    .executeTakeFirst()
  return row?.retention_days ?? null
}

/**
 * Deletes the oldest of the threads with that retention that are past it: at most `max.threads`, and none after those
 * that together hold `max.messages`. Returns how many. One retention at a time, because the index then has them in
 * order.
 */
export async function deleteExpiredThreads(
  sql: Kysely<Schema>,
  { retentionDays, now }: { retentionDays: number; now: number },
  max: { threads: number; messages: number },
): Promise<number> {
  const before = now - retentionDays * dayMs
  const { numDeletedRows } = await sql
    .with('oldest', from =>
      from
        .selectFrom('threads')
        .select(['project_id', 'user_id', 'id', 'message_count', 'updated_at'])
        .where('retention_days', '=', retentionDays)
        .where('updated_at', '<=', before)
        .orderBy('updated_at')
        .limit(max.threads),
    )
    .with('page', from => from.selectFrom('oldest').select(['project_id', 'user_id', 'id', messagesBefore]))
    .deleteFrom('threads')
    .where(row =>
      row(row.refTuple('project_id', 'user_id', 'id'), 'in', inner =>
        inner
          .selectFrom('page')
          .select(['project_id', 'user_id', 'id'])
          .where('messages_before', '<', max.messages)
          .$asTuple('project_id', 'user_id', 'id'),
      ),
    )
    // Checked again for threads written meanwhile; as an expression that no index covers, otherwise SQLite would read
    // all threads that are due.
    .where(row => row(row('updated_at', '+', row('retention_days', '*', dayMs)), '<=', now))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

const messagesBefore = text<number>`coalesce(sum(message_count) over
  (order by updated_at rows between unbounded preceding and 1 preceding), 0)`.as('messages_before')
