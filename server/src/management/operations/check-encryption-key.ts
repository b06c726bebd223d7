// What is sealed must be openable: a start with another encryption key would serve, and fail at each stored provider key.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../../crypto/secrets/secret-box.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import type { Schema } from '../../storage/schema.ts'

/** Refuses the start where a stored provider key is sealed under a key that we were not given. */
export async function checkEncryptionKey(sql: Kysely<Schema>, { marks }: Pick<SecretBox, 'marks'>): Promise<void> {
  const foreign = await sql
    .selectFrom('provider_keys')
    .select('id')
    .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(marks[0].length)]), 'not in', marks))
    .limit(1)
    .executeTakeFirst()
  if (foreign === undefined) return
  throw new StartupProblem(
    'ENCRYPTION_KEY does not open the stored provider keys: give the key that sealed them (embedded: the file ' +
      'encryption-key in DATA_DIR), or list it in ENCRYPTION_PREVIOUS_KEYS.',
  )
}
