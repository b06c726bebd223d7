// Wraps the secrets of webhooks with the current encryption key.

import type { Selectable } from 'kysely'
import { webhookSecretContext } from '../../crypto/secrets/webhook-signature.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

type Row = Pick<Selectable<Schema['webhooks']>, 'id' | 'tenant_id' | 'url' | 'ciphertext'>

const webhookSecrets: SealedRows<Row> = {
  jobName: 'rewrap-webhook-secrets',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('webhooks')
      .select(['id', 'tenant_id', 'url', 'ciphertext'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id: webhookId, tenant_id: tenantId, url }) => webhookSecretContext({ tenantId, webhookId, url }),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('webhooks')
      .set({ ciphertext })
      .where('id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, { tenant_id }, reason) =>
    log.warn('webhook secret cannot be decrypted, create the webhook again', { tenant_id, reason }),
}

export function rewrapWebhookSecrets(secretBox: Rewrapper, everyMs: number): Job {
  return rewrapSecrets(webhookSecrets, secretBox, everyMs)
}
