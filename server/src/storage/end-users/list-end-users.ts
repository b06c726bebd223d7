// Lists the end users of a project, one page at a time, each with its restrictions and its usage on one day.

import { type Kysely, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'

interface Filter {
  projectId: string
  /** A part of the user's id, ignoring the case of ASCII letters; null for all users. */
  part: string | null
  /** The UTC day whose usage is summed up. */
  day: string
}

/** Ordered by id, after the id `after`. */
export async function listEndUsers(sql: Kysely<Schema>, filter: Filter, page: { after: string | null; limit: number }) {
  let query = sql
    .selectFrom('end_users')
    .leftJoin('end_user_restrictions as restrictions', join =>
      join
        .onRef('restrictions.project_id', '=', 'end_users.project_id')
        .onRef('restrictions.user_id', '=', 'end_users.user_id'),
    )
    .select(['end_users.user_id', 'first_seen_at', 'last_seen_at'])
    .select(['blocked_at', 'block_reason', 'tokens_revoked_before'])
    .where('end_users.project_id', '=', filter.projectId)
    .orderBy('end_users.user_id')
    .limit(page.limit)
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
  return users.map(user => ({ ...user, ...(usage.get(user.user_id) ?? { requests: 0, tokens: 0 }) }))
}

async function sumDay(sql: Kysely<Schema>, { projectId, day }: Filter, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, { requests: number; tokens: number }>()
  const rows = await sql
    .selectFrom('usage_days')
    .select('user_id')
    .select(row => [row.fn.sum<number>('requests').as('requests'), row.fn.sum<number>('total_tokens').as('tokens')])
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
