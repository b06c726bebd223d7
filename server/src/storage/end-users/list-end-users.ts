// Reads the end users of a project, one or a page at a time, each with its restrictions and its usage on one day.

import { type Kysely, sql as text } from 'kysely'
import { sumOf } from '../bounded-sums.ts'
import type { Schema } from '../schema.ts'
import type { EndUserKey } from './restrict.ts'

interface Filter {
  projectId: string
  /** A part of the user's id, ignoring the case of ASCII letters; null for all users. */
  part: string | null
  /** The UTC day whose usage is summed up. */
  day: string
}

/** Ordered by id, after the id `after`. */
export async function listEndUsers(sql: Kysely<Schema>, filter: Filter, page: { after: string | null; limit: number }) {
  let query = selectUsers(sql, filter.projectId).orderBy('end_users.user_id').limit(page.limit)
  if (page.after !== null) query = query.where('end_users.user_id', '>', page.after)
  if (filter.part !== null) {
    const pattern = `%${lowerAscii(filter.part).replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(text<boolean>`lower(end_users.user_id) like ${pattern} escape '\\'`)
  }
  const users = await query.execute()
  const usage = await sumDay(
    sql,
    filter,
    users.map(user => user.user_id),
  )
  return users.map(user => ({ ...user, ...(usage.get(user.user_id) ?? noUsage) }))
}

/** A user who was never seen has no times, no usage and no restrictions. */
export async function getEndUser(sql: Kysely<Schema>, { projectId, userId }: EndUserKey, day: string) {
  const known = await selectUsers(sql, projectId).where('end_users.user_id', '=', userId).executeTakeFirst()
  const usage = await sumDay(sql, { projectId, day }, [userId])
  return { ...(known ?? unseen), user_id: userId, ...(usage.get(userId) ?? noUsage) }
}

const noUsage = { requests: 0, tokens: 0 }
const unseen = {
  first_seen_at: null,
  last_seen_at: null,
  blocked_at: null,
  block_reason: null,
  tokens_revoked_before: null,
}

function selectUsers(sql: Kysely<Schema>, projectId: string) {
  return sql
    .selectFrom('end_users')
    .leftJoin('end_user_restrictions as restrictions', join =>
      join
        .onRef('restrictions.project_id', '=', 'end_users.project_id')
        .onRef('restrictions.user_id', '=', 'end_users.user_id'),
    )
    .select(['end_users.user_id', 'first_seen_at', 'last_seen_at'])
    .select(['blocked_at', 'block_reason', 'tokens_revoked_before'])
    .where('end_users.project_id', '=', projectId)
}

async function sumDay(
  sql: Kysely<Schema>,
  { projectId, day }: Pick<Filter, 'projectId' | 'day'>,
  userIds: readonly string[],
) {
  if (userIds.length === 0) return new Map<string, { requests: number; tokens: number }>()
  const rows = await sql
    .selectFrom('usage_days')
    .select('user_id')
    .select([sumOf('requests').as('requests'), sumOf('total_tokens').as('tokens')])
    .where('project_id', '=', projectId)
    .where('day', '=', day)
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(row => [row.user_id, { requests: Number(row.requests), tokens: Number(row.tokens) }]))
}

/** Converts ASCII letters only, as both databases do; how they treat other letters depends on a locale. */
function lowerAscii(part: string): string {
  return part.replace(/[A-Z]/g, letter => letter.toLowerCase())
}
