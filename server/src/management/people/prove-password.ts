// Verifies an email and its password. An unknown email takes as long and counts as a failure like a wrong password. All
// routes that ask for a password share the counts.

import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'

/** How many failures are allowed for one email, and for one client network. */
export const allowedFailures = { limit: 10, windowSeconds: 15 * 60 }

export interface Proof {
  userId: string
  passwordHash: string
}

/** Resolves to null if the email or the password is wrong. Throws after too many failures. */
export type ProvePassword = (email: string, password: string, clientAddress: string) => Promise<Proof | null>

export function createPasswordProof({ sql, passwords, windows }: ManagementDependencies): ProvePassword {
  const limitFailures = createFailureLimit(windows)

  async function prove(email: string, password: string): Promise<Proof | null> {
    const user = await sql
      .selectFrom('users')
      .select(['id', 'password_hash'])
      .where('email', '=', email)
      .executeTakeFirst()
    if (user?.password_hash == null) {
      await passwords.verifyAgainstNothing(password)
      return null
    }
    const matches = await passwords.verify(user.password_hash, password)
    return matches ? { userId: user.id, passwordHash: user.password_hash } : null
  }

  return async (givenEmail, password, clientAddress) => {
    const email = givenEmail.trim().toLowerCase()
    const names = [
      `login-failures:email:${tokenDigest(email)}`,
      `login-failures:address:${clientNetwork(clientAddress)}`,
    ]
    return await limitFailures(
      names.map(name => ({ name, ...allowedFailures })),
      () => prove(email, password),
    )
  }
}
