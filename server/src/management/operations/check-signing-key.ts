// Checks at the start that a kid always names the same key: otherwise tokens in use would be verified with the
// wrong key, and cached key sets would hold a wrong one.

import type { Kysely } from 'kysely'
import type { SigningKey } from '../../crypto/keys/signing-key.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import type { Schema } from '../../storage/schema.ts'

/** Records the key of a new kid. Throws if the kid belongs to another key. */
export async function checkSigningKey(sql: Kysely<Schema>, key: SigningKey, now: () => number): Promise<void> {
  await sql
    .insertInto('signing_keys')
    .values({ kid: key.kid, thumbprint: key.thumbprint, created_at: now() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const { thumbprint } = await sql
    .selectFrom('signing_keys')
    .select('thumbprint')
    .where('kid', '=', key.kid)
    .executeTakeFirstOrThrow()
  if (thumbprint === key.thumbprint) return
  throw new StartupProblem(
    'JWT_KEY_ID belongs to another key than JWT_PRIVATE_KEY: give the new key a new kid and list the old key in JWT_PREVIOUS_KEYS.',
  )
}
