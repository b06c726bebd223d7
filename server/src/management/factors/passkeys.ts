// The passkeys of the signed-in user: added, listed, removed. A passkey is a second factor, and signs in alone.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { passkeyAlgorithms } from '../../crypto/factors/authenticator-data.ts'
import { challengeIn, type NewPasskey, relyingPartyOf, verifyNewPasskey } from '../../crypto/factors/passkeys.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { isUniqueViolation } from '../../storage/database-errors.ts'
import { lockAccount, noteFactorRemoved } from '../../storage/factors/account-factors.ts'
import { challengeMs, findChallenge, makeChallenge, useChallenge } from '../../storage/factors/challenges.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Caller } from '../plane/caller.ts'
import { checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { addFactor } from './add-factor.ts'
import { newPasskeyField } from './factor-fields.ts'
import { userHandleOf } from './prove-passkey.ts'

const path = '/auth/v1/users/current/passkeys'
const maxPasskeys = 20
const product = 'Sallyport'
const common = { credential: 'session', owner: 'caller', permission: null, onlyForPeople: true } as const

const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
})
const described = { type: z.literal('public-key'), id: z.string() }
/** What a browser passes to `PublicKeyCredential.parseCreationOptionsFromJSON`. */
const creationOptionsSchema = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(z.object(described)),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})

export function passkeyRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      method: 'POST',
      path: `${path}/options`,
      operation: 'beginPasskey',
      audit: null,
      stepUp: 'everyone',
      summary: 'Get what a browser needs to make a passkey for the signed-in user',
      answers: { 200: creationOptionsSchema },
      refusals: ['passkey_limit'],
      async handle({ caller }) {
        return { status: 200, body: await makeOptions(management, caller) }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'addPasskey',
      audit: { action: 'passkey.add', read: readPasskey },
      stepUp: 'everyone',
      summary: 'Add a passkey; with the first second factor, all other sessions end',
      body: z.object({ name: checkName, response: newPasskeyField }),
      answers: { 201: passkeySchema },
      refusals: ['challenge_invalid', 'passkey_refused', 'passkey_taken', 'passkey_limit'],
      async handle({ caller, body }) {
        const challenge = challengeIn(body.response.response.clientDataJSON) ?? ''
        const asked = await findChallenge(sql, challenge, 'register', now())
        if (asked?.bound_to !== caller.session?.digest) throw new Refusal('challenge_invalid')
        const expected = { relyingParty: relyingPartyOf(management.settings.baseUrl), challenge }
        const verified = verifyNewPasskey(body.response, expected)
        if (verified === null) throw new Refusal('passkey_refused')
        const added = await add(management, caller, { ...verified, name: body.name, challenge })
        return { status: 201, body: show(added) }
      },
    }),
    ...ownPasskeyRoutes(sql),
  ]
}

function ownPasskeyRoutes(sql: ManagementDependencies['sql']): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listPasskeys',
      summary: 'List the passkeys of the signed-in user, oldest first',
      answers: { 200: z.object({ data: z.array(passkeySchema), next_cursor: z.null() }) },
      async handle({ caller }) {
        const rows = await sql
          .selectFrom('passkeys')
          .select(['id', 'name', 'created_at', 'last_used_at'])
          .where('user_id', '=', caller.userId)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return { status: 200, body: { data: rows.map(show), next_cursor: null } }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:passkeyId`,
      operation: 'removePasskey',
      audit: { action: 'passkey.remove', target: 'passkeyId', read: readPasskey },
      stepUp: 'everyone',
      summary: 'Remove a passkey of the signed-in user',
      answers: { 204: null },
      refusals: ['passkey_not_found'],
      async handle({ caller, params }) {
        await transact(sql, async trx => {
          await lockAccount(trx, caller.userId)
          const removed = await trx
            .deleteFrom('passkeys')
            .where('id', '=', params['passkeyId'] ?? '')
            .where('user_id', '=', caller.userId)
            .returning('id')
            .executeTakeFirst()
          if (removed === undefined) throw new Refusal('passkey_not_found')
          await noteFactorRemoved(trx, caller.userId)
        })
        return { status: 204 }
      },
    }),
  ]
}

const readPasskey = rowOf('passkeys', { id: 'target' })

async function makeOptions({ sql, now, settings }: ManagementDependencies, { userId, email, session }: Caller) {
  const own = await sql.selectFrom('passkeys').select('credential_id').where('user_id', '=', userId).execute()
  if (own.length >= maxPasskeys) throw new Refusal('passkey_limit')
  const about = { purpose: 'register', user_id: userId, bound_to: session?.digest ?? null } as const
  return {
    rp: { id: relyingPartyOf(settings.baseUrl).id, name: product },
    user: { id: userHandleOf(userId), name: email, displayName: email },
    challenge: await makeChallenge(sql, about, now()),
    pubKeyCredParams: passkeyAlgorithms.map(alg => ({ type: 'public-key' as const, alg })),
    timeout: challengeMs,
    excludeCredentials: own.map(({ credential_id: id }) => ({ type: 'public-key' as const, id })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    } as const,
    attestation: 'none' as const,
  }
}

interface Addition extends NewPasskey {
  name: string
  challenge: string
}

async function add({ sql, now, randomId }: ManagementDependencies, caller: Caller, addition: Addition) {
  const row = {
    id: randomId(),
    user_id: caller.userId,
    name: addition.name,
    credential_id: addition.credentialId,
    public_key: addition.publicKey,
    counter: addition.counter,
    created_at: now(),
    last_used_at: null,
  }
  noteAct({ target: { id: row.id, name: row.name } })
  await transact(sql, trx => addFactor(trx, { caller, by: 'passkey', now: now() }, () => insert(trx, row, addition)))
  return row
}

async function insert(trx: Transaction<Schema>, row: Schema['passkeys'], { challenge }: Addition): Promise<void> {
  if (!(await useChallenge(trx, challenge))) throw new Refusal('challenge_invalid')
  const own = await trx.selectFrom('passkeys').select('id').where('user_id', '=', row.user_id).execute()
  if (own.length >= maxPasskeys) throw new Refusal('passkey_limit')
  try {
    await trx.insertInto('passkeys').values(row).execute()
  } catch (error) {
    if (isUniqueViolation(error)) throw new Refusal('passkey_taken', { cause: error })
    throw error
  }
}

function show(row: Pick<Schema['passkeys'], 'id' | 'name' | 'created_at' | 'last_used_at'>) {
  return {
    ...row,
    created_at: isoTime(row.created_at),
    last_used_at: row.last_used_at === null ? null : isoTime(row.last_used_at),
  }
}
