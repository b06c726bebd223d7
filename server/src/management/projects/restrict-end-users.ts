// Blocks end users of a project and revokes their tokens. The database is the source of truth; the store publishes the
// restrictions to the gateways, as it does for kill switches.

import { z } from 'zod'
import { getChecked } from '../../domain/checked.ts'
import { readEndUserId } from '../../domain/end-users/end-user-path.ts'
import { isLongerThan, isStorable } from '../../domain/stored-text.ts'
import { blockEndUser, type EndUserKey, revokeTokens, unblockEndUser } from '../../storage/end-users/restrict.ts'
import { getProjectedRestrictions } from '../../storage/projections.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'

const path = '/auth/v1/projects/:projectId/users/:uid'
const common = { credential: 'session', owner: 'project' } as const

const readRestriction = rowOf('end_user_restrictions', { project_id: 'project', user_id: 'target' })

const maxReasonCharacters = 500
const reasonMessage = { error: `reason must be a string (max ${maxReasonCharacters} chars)` }
const blockSchema = z.object({
  reason: z
    .string(reasonMessage)
    .refine(text => !isLongerThan(text, maxReasonCharacters) && isStorable(text), reasonMessage)
    .meta({ maxLength: maxReasonCharacters })
    .nullish(),
})

export function endUserRestrictionRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      method: 'PUT',
      path: `${path}/block`,
      operation: 'blockEndUser',
      audit: { action: 'end_user.block', target: 'uid', read: readRestriction },
      permission: 'users:write',
      summary: 'Block an end user: requests and mints are rejected, streams in flight end',
      body: blockSchema,
      answers: { 200: z.object({ uid: z.string(), blocked_at: z.string(), reason: z.string().nullable() }) },
      refusals: ['too_many_restricted'],
      async handle(input) {
        const user = readEndUser(input)
        const row = await blockEndUser(sql, user, input.body.reason ?? null, now())
        await publishRestrictions(management, user)
        return {
          status: 200,
          body: { uid: user.userId, blocked_at: isoTime(row.blocked_at), reason: row.block_reason },
        }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/block`,
      operation: 'unblockEndUser',
      audit: { action: 'end_user.unblock', target: 'uid', read: readRestriction },
      permission: 'users:write',
      summary: 'Unblock an end user',
      answers: { 204: null },
      async handle(input) {
        const user = readEndUser(input)
        await unblockEndUser(sql, user)
        await publishRestrictions(management, user)
        return { status: 204 }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/revoke-tokens`,
      operation: 'revokeEndUserTokens',
      audit: { action: 'end_user.revoke_tokens', target: 'uid', read: readRestriction },
      permission: 'users:write',
      summary: 'Revoke all tokens of an end user that were issued until now, minted and external ones',
      answers: { 200: z.object({ revoked_before: z.string() }) },
      refusals: ['too_many_restricted'],
      async handle(input) {
        const user = readEndUser(input)
        const row = await revokeTokens(sql, user, Math.floor(now() / 1000))
        await publishRestrictions(management, user)
        return { status: 200, body: { revoked_before: isoTime((row.tokens_revoked_before ?? 0) * 1000) } }
      },
    }),
  ]
}

export function readEndUser({ owned, params }: RouteInput<unknown, unknown>): EndUserKey {
  return { projectId: owned.project.id, userId: getChecked(readEndUserId(params['uid'] ?? '')) }
}

/** Gateways that cannot reach the store read the restrictions from the database. */
async function publishRestrictions(
  { sql, kv, pushToStore, log }: ManagementDependencies,
  { projectId }: EndUserKey,
): Promise<void> {
  log.info('restrictions of an end user changed', { project_id: projectId })
  const push = async () => kv.putRestrictions(projectId, await getProjectedRestrictions(sql, projectId))
  await pushToStore(`restrictions ${projectId}`, push, { project_id: projectId })
}
