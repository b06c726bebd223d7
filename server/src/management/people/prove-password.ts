// Verifies an email and its password. An unknown email takes as long and counts as a failure like a wrong password. All
// routes that ask for a password share the counts. Too many failures are rejected by network; by email alone they only
// slow attempts down, so that strangers cannot lock an account.

import { setTimeout as sleep } from 'node:timers/promises'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'

/** How many failures are allowed for one email from one client network, and for one client network. */
export const allowedFailures = { limit: 10, windowSeconds: 15 * 60 }
/** How long an attempt waits after as many failures for its email from any networks. */
const slowMs = 2_000
const maxSessionsRead = 200

export interface Proof {
  userId: string
  passwordHash: string
  hasSecondFactor: boolean
}

/** Resolves to null if the email or the password is wrong. Throws after too many failures. */
export type ProvePassword = (email: string, password: string, clientAddress: string) => Promise<Proof | null>

export function createPasswordProof({ sql, passwords, windows }: ManagementDependencies): ProvePassword {
  const limitFailures = createFailureLimit(windows)

  async function prove(email: string, password: string): Promise<Proof | null> {
    const user = await sql
      .selectFrom('users')
      .select(['id', 'password_hash', 'second_factor_since'])
      .where('email', '=', email)
      .executeTakeFirst()
    if (user?.password_hash == null) {
      await passwords.verifyAgainstNothing(password)
      return null
    }
    const matches = await passwords.verify(user.password_hash, password)
    if (!matches) return null
    return { userId: user.id, passwordHash: user.password_hash, hasSecondFactor: user.second_factor_since !== null }
  }

  /** Whether a session of the account was opened from this network. */
  async function isKnownNetwork(email: string, network: string): Promise<boolean> {
    const sessions = await sql
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('sessions.address')
      .where('users.email', '=', email)
      .orderBy('sessions.created_at', 'desc')
      .limit(maxSessionsRead)
      .execute()
    return sessions.some(({ address }) => address !== null && clientNetwork(address) === network)
  }

  async function proveSlowly(email: string, password: string, network: string): Promise<Proof | null> {
    const taken = await windows.take([{ name: `login-failures:email:${tokenDigest(email)}`, ...allowedFailures }])
    if (!taken.admitted && !(await isKnownNetwork(email, network))) await sleep(slowMs)
    const proof = await prove(email, password)
    if (proof !== null && taken.admitted) await windows.giveBack(taken.receipt)
    return proof
  }

  return async (givenEmail, password, clientAddress) => {
    const email = givenEmail.trim().toLowerCase()
    const network = clientNetwork(clientAddress)
    const names = [`login-failures:email:${tokenDigest(email)}:${network}`, `login-failures:address:${network}`]
    return await limitFailures(
      names.map(name => ({ name, ...allowedFailures })),
      () => proveSlowly(email, password, network),
    )
  }
}
