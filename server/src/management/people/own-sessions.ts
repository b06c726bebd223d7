// The open sessions of the signed-in user: lists, shows and ends them. Sessions of an external issuer are not listed.

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Caller } from '../plane/caller.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const path = '/auth/v1/users/current/sessions'
/** Only the newest sessions of a user are listed. */
const maxListed = 200

const openSessionSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  authenticated_by: z.string().nullable(),
  current: z.boolean(),
})

const common = { credential: 'session', owner: 'caller', permission: null, onlyForPeople: true } as const

export function ownSessionRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listOwnSessions',
      summary: 'List the open sessions of the signed-in user, newest first, at most 200',
      answers: { 200: z.array(openSessionSchema) },
      async handle({ caller }) {
        const sessions = await listOpen(management, caller)
        return { status: 200, body: sessions.slice(0, maxListed).map(({ shown }) => shown) }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      operation: 'endOtherSessions',
      audit: { action: 'session.end_others' },
      summary: 'End all other sessions of the signed-in user',
      answers: { 204: null },
      async handle({ caller }) {
        await transact(management.sql, trx => endOtherSessions(trx, caller))
        return { status: 204 }
      },
    }),
    ...oneSessionRoutes(management),
  ]
}

function oneSessionRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: `${path}/:sessionId`,
      operation: 'getOwnSession',
      summary: 'Get one open session of the signed-in user',
      answers: { 200: openSessionSchema },
      refusals: ['session_not_found'],
      async handle({ caller, params }) {
        return { status: 200, body: (await getOpen(management, caller, params['sessionId'] ?? '')).shown }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:sessionId`,
      operation: 'endOwnSession',
      audit: { action: 'session.end', target: 'sessionId' },
      summary: 'End one session of the signed-in user',
      answers: { 204: null },
      refusals: ['session_not_found'],
      async handle({ caller, params }) {
        const { digest } = await getOpen(management, caller, params['sessionId'] ?? '')
        await transact(management.sql, trx =>
          trx.deleteFrom('sessions').where('token_digest', '=', digest).where('user_id', '=', caller.userId).execute(),
        )
        return { status: 204 }
      },
    }),
  ]
}

async function listOpen({ sql, now }: ManagementDependencies, { userId, session }: Caller) {
  const rows = await sql
    .selectFrom('sessions')
    .select(['token_digest', 'created_at', 'last_seen_at', 'address', 'user_agent', 'authenticated_by'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now())
    .orderBy('created_at', 'desc')
    .orderBy('token_digest')
    .execute()
  return rows.map(({ token_digest: digest, ...row }) => ({
    digest,
    shown: {
      ...row,
      id: sessionId(digest),
      created_at: isoTime(row.created_at),
      last_seen_at: isoTime(row.last_seen_at ?? row.created_at),
      current: digest === session?.digest,
    },
  }))
}

async function getOpen(management: ManagementDependencies, caller: Caller, id: string) {
  const found = (await listOpen(management, caller)).find(({ shown }) => shown.id === id.toLowerCase())
  if (found === undefined) throw new Refusal('session_not_found')
  return found
}

/** Ends all sessions of the caller's user except the caller's own. */
export async function endOtherSessions(
  sql: Pick<ManagementDependencies['sql'], 'deleteFrom'>,
  { userId, session }: Pick<Caller, 'userId' | 'session'>,
): Promise<void> {
  await sql
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('token_digest', '!=', session?.digest ?? '')
    .execute()
}

/** Derives a UUID from the digest. Neither the digest nor the token can be derived from it. */
export function sessionId(digest: string): string {
  const digits = hash('sha256', `session ${digest}`)
  const variant = '89ab'[Number.parseInt(digits.slice(16, 17), 16) & 3]
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
  ]
  return [...parts, digits.slice(20, 32)].join('-')
}
