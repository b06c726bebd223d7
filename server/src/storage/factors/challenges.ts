// Challenges of sign-ins and passkeys: random, stored as digests, valid for five minutes, used once over all replicas.

import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { newChallenge, tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { Schema } from '../schema.ts'

export const challengeMs = 5 * 60_000

type Row = Schema['sign_in_challenges']
type Challenge = Pick<Row, 'purpose' | 'user_id' | 'bound_to'>

export async function makeChallenge(sql: Kysely<Schema>, challenge: Challenge, now: number): Promise<string> {
  const text = newChallenge(randomBytes)
  await sql
    .insertInto('sign_in_challenges')
    .values({ ...challenge, digest: tokenDigest(text), expires_at: now + challengeMs })
    .execute()
  return text
}

/** Undefined if it was never made for this purpose, was used or has expired. */
export async function findChallenge(sql: Kysely<Schema>, text: string, purpose: Row['purpose'], now: number) {
  return await sql
    .selectFrom('sign_in_challenges')
    .select(['user_id', 'bound_to'])
    .where('digest', '=', tokenDigest(text))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** False if somebody else has used it since it was found. */
export async function useChallenge(trx: Transaction<Schema>, text: string): Promise<boolean> {
  const used = await trx
    .deleteFrom('sign_in_challenges')
    .where('digest', '=', tokenDigest(text))
    .returning('digest')
    .executeTakeFirst()
  return used !== undefined
}
