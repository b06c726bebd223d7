// Who proves to be a user by email and password. The same time and the same failures are counted whether or not the email is
// known, and by every route that asks for a password.

import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'

/** Failures that an email, an address or a link is allowed. */
export const allowedFailures = { limit: 10, windowSeconds: 15 * 60 }

export interface Proof {
  userId: string
  passwordHash: string
}

/** Null where the two do not belong together; refused after too many failures. */
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
