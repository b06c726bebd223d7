// Writes docs/configuration.md anew (`npm run docs:config`): the words below around the tables of the schema.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderConfigTables } from '../config/table.ts'

export const configurationPage = join(import.meta.dirname, '../../../docs/configuration.md')

export function renderConfigurationPage(): string {
  return `<!-- Made by \`npm run docs:config\` from server/src/config/schema.ts; a test fails when it is stale. -->
# Configuration

Everything is set by environment variables. An empty value counts as unset. A wrong value stops the start with one
sentence that names the variable; the values of secrets are never printed.

**Embedded mode** is the default: without \`DATABASE_URL\` and \`REDIS_URL\` the product needs no other service. It runs all
roles in one process and keeps its database and, in files that only their owner can read, its secrets in \`DATA_DIR\`:

| File | Holds |
|---|---|
| \`admin-secret\` | the generated \`ADMIN_SECRET\` |
| \`encryption-key\` | the generated \`ENCRYPTION_KEY\`: without it the stored provider keys cannot be read |
| \`jwt-private-key.pem\` | the generated \`JWT_PRIVATE_KEY\` |
| \`initial-password\` | the generated \`BOOTSTRAP_PASSWORD\` |

They are made once, at the first start, and used from then on; a variable of the environment comes before its file. Back
them up together with the database.

**Distributed mode** starts with both \`DATABASE_URL\` and \`REDIS_URL\`; \`ADMIN_SECRET\`, \`JWT_PRIVATE_KEY\` and
\`ENCRYPTION_KEY\` are then required and must be the same everywhere. Roles may run apart:

- a gateway without the inference role needs \`INFERENCE_URL\`;
- an inference role without the gateway role needs \`INTERNAL_SECRET\`, which its gateways must know too.

To rotate the signing key, publish the new public key in \`JWT_PREVIOUS_KEYS\` first, then change \`JWT_PRIVATE_KEY\` and
\`JWT_KEY_ID\` together and keep the old public key in \`JWT_PREVIOUS_KEYS\` for a day and five minutes. To rotate the
encryption key, move the old one to \`ENCRYPTION_PREVIOUS_KEYS\`; the worker wraps what it sealed anew.

${renderConfigTables()}
`
}

if (import.meta.main) writeFileSync(configurationPage, renderConfigurationPage())
