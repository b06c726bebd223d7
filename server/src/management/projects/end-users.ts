// The end users of a project: lists and reads them with their restrictions and their usage of the day, and erases one.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { isStorable } from '../../domain/stored-text.ts'
import { requestErasure } from '../../storage/end-users/erase.ts'
import { getEndUser, listEndUsers } from '../../storage/end-users/list-end-users.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { readEndUser } from './restrict-end-users.ts'

const path = '/auth/v1/projects/:projectId/users'
const common = { credential: 'session', owner: 'project' } as const

const maxPartLength = 255
const partMessage = { error: `q must be a string (max ${maxPartLength} chars)` }
const querySchema = pageQuery.extend({
  q: z
    .string(partMessage)
    .max(maxPartLength, partMessage)
    .refine(isStorable, partMessage)
    .meta({ description: 'Part of the uid; ASCII letters are compared without case' })
    .optional(),
})
const userSchema = z.object({
  uid: z.string(),
  first_seen_at: z.string().nullable(),
  last_seen_at: z.string().nullable(),
  requests_today: z.int(),
  tokens_today: z.int(),
  blocked_at: z.string().nullable(),
  block_reason: z.string().nullable(),
  tokens_revoked_at: z.string().nullable(),
})

export function endUserRoutes({ sql, writeUsage, now }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listEndUsers',
      permission: 'project:read',
      summary: 'List the end users of a project by uid, with their restrictions and their usage of the day (UTC)',
      query: querySchema,
      answers: { 200: z.object({ data: z.array(userSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const projectId = owned.project.id
        const part = query.q || null
        const { limit, after, cursorAfter } = getPage(query, {
          list: ['end-users', projectId, part ?? ''],
          key: ['string'],
        })
        // A request right after an answer must find that answer's user.
        await writeUsage()
        const filter = { projectId, part, day: dayOf(now()) }
        const rows = await listEndUsers(sql, filter, { after: after?.[0] ?? null, limit: limit + 1 })
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const nextCursor = rows.length > limit && last !== undefined ? cursorAfter([last.user_id]) : null
        return { status: 200, body: { data: page.map(showUser), next_cursor: nextCursor } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:uid`,
      operation: 'getEndUser',
      permission: 'project:read',
      summary: 'Get an end user; one who was never seen has no times and no usage',
      answers: { 200: userSchema },
      async handle(input) {
        await writeUsage()
        return { status: 200, body: showUser(await getEndUser(sql, readEndUser(input), dayOf(now()))) }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:uid`,
      operation: 'eraseEndUser',
      audit: { action: 'end_user.erase', target: 'uid' },
      permission: 'users:write',
      summary: "Erase an end user's threads, sessions, responses and identity in the usage; restrictions stay in force",
      answers: { 202: z.object({ uid: z.string(), requested_at: z.string() }) },
      async handle(input) {
        const user = readEndUser(input)
        const requestedAt = now()
        await transact(sql, trx => requestErasure(trx, user, requestedAt))
        return { status: 202, body: { uid: user.userId, requested_at: isoTime(requestedAt) } }
      },
    }),
  ]
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

function showUser(row: Awaited<ReturnType<typeof listEndUsers>>[number]) {
  const { tokens_revoked_before: revokedBefore } = row
  return {
    uid: row.user_id,
    first_seen_at: isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
    requests_today: row.requests,
    tokens_today: row.tokens,
    blocked_at: isoTime(row.blocked_at),
    block_reason: row.block_reason,
    tokens_revoked_at: isoTime(revokedBefore === null ? null : revokedBefore * 1000),
  }
}
