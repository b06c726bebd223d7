// Wraps the secrets of meters with the current encryption key.

import type { Selectable } from 'kysely'
import { meterSecretContext } from '../../crypto/secrets/meter-secret.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

type Row = Pick<Selectable<Schema['meters']>, 'id' | 'tenant_id' | 'format' | 'url' | 'ciphertext'>

const meterSecrets: SealedRows<Row> = {
  jobName: 'rewrap-meter-secrets',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('meters')
      .select(['id', 'tenant_id', 'format', 'url', 'ciphertext'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id: meterId, tenant_id: tenantId, format, url }) =>
    meterSecretContext({ tenantId, meterId, format, url }),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('meters')
      .set({ ciphertext })
      .where('id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, { tenant_id }, reason) =>
    log.warn('meter secret cannot be decrypted, set the meter again', { tenant_id, reason }),
}

export function rewrapMeterSecrets(secretBox: Rewrapper, everyMs: number): Job {
  return rewrapSecrets(meterSecrets, secretBox, everyMs)
}
