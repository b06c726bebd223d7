// Checks at the start that the encryption keys can decrypt the stored secrets: otherwise the process would start, and
// every call with a stored provider key, every webhook, every meter, every attestation with a secret, every code of an
// authenticator app and every single sign-on would fail.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../../crypto/secrets/secret-box.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import type { Schema } from '../../storage/schema.ts'

const tables = {
  provider_keys: 'provider keys',
  webhooks: 'secrets of webhooks',
  meters: 'secrets of meters',
  attestation_secrets: 'secrets of attestations',
  totp_secrets: 'secrets of authenticator apps',
  sso_connections: 'client secrets of single sign-on',
} as const
const tableNames = Object.keys(tables) as (keyof typeof tables)[]

/** Throws if a stored secret was encrypted with a key that is not configured. */
export async function checkEncryptionKey(
  sql: Kysely<Schema>,
  { prefixes }: Pick<SecretBox, 'prefixes'>,
): Promise<void> {
  for (const table of tableNames) {
    const foreign = await sql
      .selectFrom(table)
      .select('ciphertext')
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(prefixes[0].length)]), 'not in', prefixes))
      .limit(1)
      .executeTakeFirst()
    if (foreign === undefined) continue
    throw new StartupProblem(
      `ENCRYPTION_KEY does not open the stored ${tables[table]}: give the key that sealed them (embedded: the file ` +
        'encryption-key in DATA_DIR), or list it in ENCRYPTION_PREVIOUS_KEYS.',
    )
  }
}
