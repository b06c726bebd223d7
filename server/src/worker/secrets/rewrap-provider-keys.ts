// Wraps stored provider keys with the current encryption key. The sync cycle pushes the new envelopes to the store by
// their tenant's revision.

import type { Selectable } from 'kysely'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { raiseProviderKeysRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { Job } from '../job.ts'
import { type Rewrapper, rewrapSecrets, type SealedRows } from '../rewrap-secrets.ts'

const pageSize = 200

type Row = Pick<
  Selectable<Schema['provider_keys']>,
  'id' | 'tenant_id' | 'provider_type' | 'ciphertext' | 'base_url_override'
>

const providerKeys: SealedRows<Row> = {
  jobName: 'rewrap-provider-keys',
  list: ({ sql }, currentMark, afterId) =>
    sql
      .selectFrom('provider_keys')
      .select(['id', 'tenant_id', 'provider_type', 'ciphertext', 'base_url_override'])
      .where(row => row(row.fn('substr', ['ciphertext', row.lit(1), row.lit(currentMark.length)]), '!=', currentMark))
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(pageSize)
      .execute(),
  contextOf: ({ id: rowId, tenant_id: tenantId, provider_type: providerType, base_url_override: baseUrlOverride }) =>
    providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }),
  replace: ({ sql }, row, ciphertext) =>
    transact(sql, async trx => {
      // The tenant first: every writer of its keys locks in this order.
      await raiseProviderKeysRevision(trx, row.tenant_id)
      await trx
        .updateTable('provider_keys')
        .set({ ciphertext })
        .where('id', '=', row.id)
        .where('ciphertext', '=', row.ciphertext)
        .execute()
    }),
  warn: ({ log }, { tenant_id }, reason) =>
    log.warn('provider key cannot be decrypted, store it again', { tenant_id, reason }),
}

export function rewrapProviderKeys(secretBox: Rewrapper, everyMs: number): Job {
  return rewrapSecrets(providerKeys, secretBox, everyMs)
}
