// Proves who somebody is by a signature of one of their passkeys. What is proven counts only once a transaction has
// used the challenge and raised the passkey's counter.

import type { Transaction } from 'kysely'
import { type PasskeyResponse, relyingPartyOf, verifyPasskey } from '../../crypto/factors/passkeys.ts'
import { Refusal } from '../../domain/errors.ts'
import { challengeMs, useChallenge } from '../../storage/factors/challenges.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'

interface Asked {
  challenge: string
  /** Null if the passkey itself says who signs in. */
  userId: string | null
}

interface PasskeyProof {
  userId: string
  passkeyId: string
  challenge: string
  counter: { before: number; after: number }
}

export async function provePasskey(
  { sql, settings }: Pick<ManagementDependencies, 'sql' | 'settings'>,
  response: PasskeyResponse,
  { challenge, userId }: Asked,
): Promise<PasskeyProof> {
  const passkey = await sql
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'public_key', 'counter'])
    .where('credential_id', '=', response.id)
    .executeTakeFirst()
  if (passkey === undefined || (userId !== null && passkey.user_id !== userId)) throw new Refusal('passkey_refused')
  const { userHandle } = response.response
  if (userHandle != null && userHandle !== userHandleOf(passkey.user_id)) throw new Refusal('passkey_refused')
  const expected = { relyingParty: relyingPartyOf(settings.baseUrl), challenge }
  const known = { publicKey: passkey.public_key, counter: passkey.counter }
  const after = verifyPasskey(response, expected, known)
  if (after === null) throw new Refusal('passkey_refused')
  return {
    userId: passkey.user_id,
    passkeyId: passkey.id,
    challenge,
    counter: { before: passkey.counter, after },
  }
}

/** Throws if somebody used the challenge or the passkey since it was proven. */
export async function usePasskey(trx: Transaction<Schema>, proof: PasskeyProof, now: number): Promise<void> {
  if (!(await useChallenge(trx, proof.challenge))) throw new Refusal('challenge_invalid')
  const used = await trx
    .updateTable('passkeys')
    .set({ counter: proof.counter.after, last_used_at: now })
    .where('id', '=', proof.passkeyId)
    .where('counter', '=', proof.counter.before)
    .returning('id')
    .executeTakeFirst()
  if (used === undefined) throw new Refusal('passkey_refused')
}

/** By which authenticators tell the accounts of a site apart. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

export function requestOptions({ settings }: Pick<ManagementDependencies, 'settings'>, challenge: string) {
  const rpId = relyingPartyOf(settings.baseUrl).id
  return { challenge, rpId, timeout: challengeMs, userVerification: 'required' as const }
}
