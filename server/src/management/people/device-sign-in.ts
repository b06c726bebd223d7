// Signs in a program that has no browser (RFC 8628): it gets two codes, shows the short one, and polls with the long
// one until a signed-in person has approved it.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { newSessionToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { accept } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { checkedOptional } from '../plane/fields.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { deviceCodeSeconds, newDeviceCode, newUserCode, pollSeconds, userCodeDigest } from './device-codes.ts'

const sessionSeconds = 30 * 24 * 60 * 60
const codesPerNetwork = { limit: 10, windowSeconds: 600 }
const unnamed = 'a program without a name'

const describedName = {
  type: 'string',
  maxLength: 255,
  description: 'What asks, as the person who approves it knows it, such as `sallyport on build-7`',
}
const codeBody = z.object({
  client_name: checkedOptional(describedName, value =>
    value === undefined ? accept(unnamed) : cleanName(value, 'client_name'),
  ),
})
const codeSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.int(),
  interval: z.int(),
})
const tokenBody = z.object({ device_code: z.string({ error: 'device_code is required' }) })
const tokenSchema = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() })

type Management = ManagementDependencies

export function deviceSignInRoutes(management: Management): Route[] {
  const common = { method: 'POST', credential: 'none', owner: 'none' } as const
  return [
    route({
      ...common,
      path: '/auth/v1/device/code',
      operation: 'requestDeviceCode',
      summary: 'Ask to be signed in by somebody with a browser (RFC 8628)',
      // Nothing has happened before somebody approves it.
      audit: null,
      body: codeBody,
      answers: { 200: codeSchema },
      refusals: ['too_many_device_requests'],
      handle: input => createRequest(management, input.body.client_name, input.clientAddress),
    }),
    route({
      ...common,
      path: '/auth/v1/device/token',
      operation: 'exchangeDeviceCode',
      summary: 'Get the session of an approved device code; it lasts 30 days, or as long as a single sign-on’s',
      audit: { action: 'session.create' },
      body: tokenBody,
      answers: { 200: tokenSchema },
      refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
      handle: input => exchange(management, tokenDigest(input.body.device_code), input),
    }),
  ]
}

async function createRequest({ sql, windows, now, settings }: Management, client: string, clientAddress: string) {
  const demand = { name: `device-codes:${clientNetwork(clientAddress)}`, ...codesPerNetwork }
  const taken = await windows.take([demand])
  if (!taken.admitted) {
    throw new Refusal('too_many_device_requests', { retryAfterSeconds: taken.retryAfterSeconds })
  }
  const [deviceCode, userCode, time] = [newDeviceCode(), newUserCode(), now()]
  await sql
    .insertInto('device_requests')
    .values({
      device_digest: tokenDigest(deviceCode),
      user_code_digest: userCodeDigest(userCode),
      client,
      address: clientAddress,
      created_at: time,
      expires_at: time + deviceCodeSeconds * 1000,
      polled_at: null,
      state: 'pending',
      session_digest: null,
    })
    .execute()
  const page = `${settings.baseUrl}/device`
  const codes = { device_code: deviceCode, user_code: userCode }
  // Behind the hash, which no server sees.
  const places = { verification_uri: page, verification_uri_complete: `${page}#code=${userCode}` }
  return { status: 200, body: { ...codes, ...places, expires_in: deviceCodeSeconds, interval: pollSeconds } }
}

async function exchange(
  management: Management,
  digest: string,
  opener: Pick<RouteInput<unknown, unknown>, 'clientAddress'>,
) {
  await checkPoll(management, digest)
  const token = newSessionToken(randomBytes)
  const expiresIn = await transact(management.sql, trx =>
    openDeviceSession(trx, management, { digest, token, ...opener }),
  )
  return { status: 200, body: { access_token: token, token_type: 'Bearer' as const, expires_in: expiresIn } }
}

/** Throws unless the request is approved. */
async function checkPoll({ sql, now }: Management, digest: string): Promise<void> {
  const time = now()
  const request = await sql
    .selectFrom('device_requests')
    .select(['state', 'polled_at', 'expires_at'])
    .where('device_digest', '=', digest)
    .executeTakeFirst()
  if (request === undefined || request.expires_at <= time) throw new Refusal('expired_token')
  await sql.updateTable('device_requests').set({ polled_at: time }).where('device_digest', '=', digest).execute()
  if (request.state === 'denied') throw new Refusal('access_denied')
  if (request.polled_at !== null && request.polled_at > time - pollSeconds * 1000) throw new Refusal('slow_down')
  if (request.state === 'pending') throw new Refusal('authorization_pending')
}

interface Opening {
  digest: string
  token: string
  clientAddress: string
}

/**
 * Is all that the approving session is, so that it reaches no more: how its user signed in, and when. That of a single
 * sign-on does not outlast it: only the approving one asks the identity provider whether its user may still sign in.
 * Returns the seconds that it lasts.
 */
async function openDeviceSession(
  trx: Transaction<Schema>,
  { now }: Management,
  { digest, token, clientAddress }: Opening,
): Promise<number> {
  const time = now()
  const used = await trx
    .deleteFrom('device_requests')
    .where('device_digest', '=', digest)
    .where('state', '=', 'approved')
    .where('expires_at', '>', time)
    .returning(['session_digest', 'client'])
    .executeTakeFirst()
  if (used === undefined) throw new Refusal('expired_token')
  const approving = await findApproving(trx, used.session_digest ?? '', time)
  noteAct({ actor: approving.user, target: { id: approving.user.id }, authenticatedBy: 'device_code' })
  const { identity_id, expires_at } = approving.session
  const lastsMs = identity_id === null ? sessionSeconds * 1000 : expires_at - time
  await trx
    .insertInto('sessions')
    .values({
      ...approving.session,
      token_digest: tokenDigest(token),
      created_at: time,
      expires_at: time + lastsMs,
      refresh_token: null,
      refresh_at: null,
      last_seen_at: time,
      address: clientAddress,
      user_agent: used.client,
    })
    .execute()
  return Math.floor(lastsMs / 1000)
}

/** If that session has ended meanwhile, by a new password too, its approval counts no more. */
async function findApproving(trx: Transaction<Schema>, sessionDigest: string, time: number) {
  const sessionOf = (trx: Pick<Transaction<Schema>, 'selectFrom'>) =>
    trx.selectFrom('sessions').where('token_digest', '=', sessionDigest).where('expires_at', '>', time)
  // Locks the account before the session is read: its password may be changing.
  const user = await trx
    .updateTable('users')
    .set(row => ({ email: row.ref('email') }))
    .where('id', 'in', sessionOf(trx).select('user_id'))
    .returning(['id', 'email'])
    .executeTakeFirst()
  const session = await sessionOf(trx).selectAll().executeTakeFirst()
  if (user === undefined || session === undefined) throw new Refusal('access_denied')
  return { session, user: { kind: 'user' as const, id: user.id, name: user.email } }
}
