// Wraps the secrets of authenticator apps with the current encryption key.

import { totpContext } from '../../crypto/factors/totp.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

const totpSecrets: SealedRows<{ id: string; ciphertext: string }> = {
  jobName: 'rewrap-totp-secrets',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('totp_secrets')
      .select(['user_id as id', 'ciphertext'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('user_id', '>', afterId)
      .orderBy('user_id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id }) => totpContext(id),
  async replace({ sql }, row, ciphertext) {
    await sql
      .updateTable('totp_secrets')
      .set({ ciphertext })
      .where('user_id', '=', row.id)
      .where('ciphertext', '=', row.ciphertext)
      .execute()
  },
  warn: ({ log }, _row, reason) =>
    log.warn('secret of an authenticator app cannot be decrypted, remove the second factors', {
      reason,
    }),
}

export function rewrapTotpSecrets(secretBox: Rewrapper, everyMs: number): Job {
  return rewrapSecrets(totpSecrets, secretBox, everyMs)
}
