// A signed-in person sees which program asks to be signed in as them, and approves or denies it, by the code that the
// program shows.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Caller } from '../plane/caller.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { userCodeDigest } from './device-codes.ts'

const allowedFailures = { limit: 10, windowSeconds: 900 }

const codeField = z
  .string({ error: 'user_code is required' })
  .max(64, { error: 'user_code must be at most 64 characters' })
  .meta({ description: 'The code that the program shows' })
const codeBody = z.object({ user_code: codeField })
const requestSchema = z.object({
  client_name: z.string(),
  address: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
})

const common = {
  credential: 'session',
  owner: 'caller',
  permission: null,
  onlyForPeople: true,
  inTenantSession: true,
} as const
type Decision = 'approved' | 'denied'

export function deviceApprovalRoutes(management: ManagementDependencies): Route[] {
  const find = createRequestFinder(management)
  const decide = createDecision(management, find)
  const refusals = ['device_request_not_found', 'too_many_attempts', 'own_session_required'] as const
  return [
    route({
      ...common,
      method: 'GET',
      path: '/auth/v1/device',
      operation: 'getDeviceRequest',
      summary: 'Show which program asks to be signed in as the caller, by the code that it shows',
      query: codeBody,
      answers: { 200: requestSchema },
      refusals,
      async handle({ caller, query }) {
        const { client, address, created_at, expires_at } = await find(caller, query.user_code)
        const times = { created_at: isoTime(created_at), expires_at: isoTime(expires_at) }
        return { status: 200, body: { client_name: client, address, ...times } }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/device/approve',
      operation: 'approveDevice',
      // It outlasts the session that approves it.
      stepUp: 'with_factor',
      audit: { action: 'device.approve' },
      summary:
        'Sign the program in as the caller for 30 days, or for as long as this session of a single sign-on lasts',
      body: codeBody,
      answers: { 204: null },
      refusals,
      handle: input => decide('approved', input),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/device/deny',
      operation: 'denyDevice',
      audit: { action: 'device.deny' },
      summary: 'Do not sign the program in',
      body: codeBody,
      answers: { 204: null },
      refusals,
      handle: input => decide('denied', input),
    }),
  ]
}

type RequestFinder = ReturnType<typeof createRequestFinder>

function createDecision({ sql }: ManagementDependencies, find: RequestFinder) {
  return async (state: Decision, { caller, body }: RouteInput<z.output<typeof codeBody>, unknown>) => {
    const request = await find(caller, body.user_code)
    noteAct({ target: { id: caller.userId, name: request.client } })
    await transact(sql, async trx => {
      const decided = await trx
        .updateTable('device_requests')
        .set({ state, session_digest: state === 'approved' ? (caller.session?.digest ?? null) : null })
        .where('user_code_digest', '=', userCodeDigest(body.user_code))
        .where('state', '=', 'pending')
        .returning('client')
        .executeTakeFirst()
      if (decided === undefined) throw new Refusal('device_request_not_found')
    })
    return { status: 204 }
  }
}

function createRequestFinder({ sql, now, windows }: ManagementDependencies) {
  const limitFailures = createFailureLimit(windows)
  return async ({ userId, session }: Caller, userCode: string) => {
    // Nobody here learns when a session of the external issuer ends, so none of 30 days may come of it.
    if (session?.issuer !== 'own') throw new Refusal('own_session_required')
    const request = await limitFailures([{ name: `device-code-failures:${userId}`, ...allowedFailures }], async () => {
      const found = await sql
        .selectFrom('device_requests')
        .select(['client', 'address', 'created_at', 'expires_at'])
        .where('user_code_digest', '=', userCodeDigest(userCode))
        .where('state', '=', 'pending')
        .where('expires_at', '>', now())
        .executeTakeFirst()
      return found ?? null
    })
    if (request === null) throw new Refusal('device_request_not_found')
    return request
  }
}
