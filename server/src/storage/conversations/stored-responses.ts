// Responses in the database. A response belongs to its project and end user: every query must have both.

import { type Kysely, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'

export interface ResponseOwner {
  projectId: string
  userId: string
}

interface NewResponse {
  id: string
  /** The response that it continues. */
  previousId: string | null
  /** As the client got it. */
  body: string
  /** What the request brought, and the answer: a list in JSON. */
  messages: string
  messageCount: number
  createdAt: number
  expiresAt: number
}

/** A provider that gives an id twice replaces the first response. */
export async function addResponse(sql: Kysely<Schema>, { projectId, userId }: ResponseOwner, response: NewResponse) {
  const { id, previousId, messageCount, createdAt, expiresAt, ...texts } = response
  const fields = {
    ...texts,
    previous_id: previousId,
    message_count: messageCount,
    created_at: createdAt,
    expires_at: expiresAt,
  }
  await sql
    .insertInto('stored_responses')
    .values({ project_id: projectId, user_id: userId, id, ...fields })
    .onConflict(conflict => conflict.columns(['project_id', 'user_id', 'id']).doUpdateSet(fields))
    .execute()
}

/** The body of a response that has not expired. */
export async function findResponse(
  sql: Kysely<Schema>,
  { projectId, userId }: ResponseOwner,
  id: string,
  now: number,
): Promise<string | null> {
  const row = await sql
    .selectFrom('stored_responses')
    .select('body')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.body ?? null
}

/** False if there was none. */
export async function deleteResponse(
  sql: Kysely<Schema>,
  { projectId, userId }: ResponseOwner,
  id: string,
  now: number,
): Promise<boolean> {
  const deleted = await sql
    .deleteFrom('stored_responses')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

interface LinkedResponse {
  id: string
  message_count: number
  bytes: number
}

/** How much of a conversation is held in memory at once; messages may hold images. */
const maxBytes = 8 * 1024 * 1024

/**
 * The messages of a response and of those that it continues: one text of JSON for each response, the newest first,
 * until they have `last` messages or fill the memory. Null if there is no such response.
 */
export async function listChain(
  sql: Kysely<Schema>,
  owner: ResponseOwner,
  id: string,
  { now, last }: { now: number; last: number },
): Promise<string[] | null> {
  const links = await listLinks(sql, owner, id, { now, depth: last })
  if (links.length === 0) return null
  const ids = fitting(links, last).map(link => link.id)
  const rows = await sql
    .selectFrom('stored_responses')
    .select(['id', 'messages'])
    .where('project_id', '=', owner.projectId)
    .where('user_id', '=', owner.userId)
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(rows.map(row => [row.id, row.messages]))
  return ids.flatMap(each => byId.get(each) ?? [])
}

/** Each response has at least one message, so a chain of as many responses as messages are wanted is long enough. */
async function listLinks(
  sql: Kysely<Schema>,
  { projectId, userId }: ResponseOwner,
  id: string,
  { now, depth }: { now: number; depth: number },
): Promise<LinkedResponse[]> {
  const bytes = text<number>`octet_length(stored_responses.messages)`.as('bytes')
  return await sql
    .withRecursive('chain', from =>
      from
        .selectFrom('stored_responses')
        .select(['id', 'previous_id', 'message_count', bytes, text<number>`1`.as('place')])
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .unionAll(
          from
            .selectFrom('chain')
            .innerJoin('stored_responses', 'stored_responses.id', 'chain.previous_id')
            .select([
              'stored_responses.id',
              'stored_responses.previous_id',
              'stored_responses.message_count',
              bytes,
              text<number>`chain.place + 1`.as('place'),
            ])
            .where('stored_responses.project_id', '=', projectId)
            .where('stored_responses.user_id', '=', userId)
            .where('stored_responses.expires_at', '>', now)
            .where('chain.place', '<', depth),
        ),
    )
    .selectFrom('chain')
    .select(['id', 'message_count', 'bytes'])
    .orderBy('place')
    .execute()
}

/** The newest is always one of them. */
function fitting(links: readonly LinkedResponse[], last: number): LinkedResponse[] {
  let messages = 0
  let bytes = 0
  return links.filter((link, index) => {
    const isWanted = messages < last
    messages += link.message_count
    bytes += link.bytes
    return index === 0 || (isWanted && bytes <= maxBytes)
  })
}

/** Deletes at most `limit` responses that expired by then; returns how many. */
export async function deleteExpiredResponses(sql: Kysely<Schema>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('stored_responses')
    .where(row =>
      row(row.refTuple('project_id', 'user_id', 'id'), 'in', inner =>
        inner
          .selectFrom('stored_responses')
          .select(['project_id', 'user_id', 'id'])
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(limit)
          .$asTuple('project_id', 'user_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes at most `limit` responses of the end user; returns how many. */
export async function deleteResponsesPage(
  sql: Kysely<Schema>,
  { projectId, userId }: ResponseOwner,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await sql
    .deleteFrom('stored_responses')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .where('id', 'in', inner =>
      inner
        .selectFrom('stored_responses')
        .select('id')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
