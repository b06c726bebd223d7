// Stores and removes provider keys: encrypts a key, writes its row together with the tenant's next revision, and pushes
// the tenant's keys to the store.

import type { Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import { keyLast4 } from '../../domain/provider.ts'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { getProjectedProviderKeys, raiseProviderKeysRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'

interface NewProviderKey {
  tenantId: string
  provider: string
  key: string
  baseUrlOverride: string | null
}

export async function storeProviderKey(management: ManagementDependencies, given: NewProviderKey) {
  const { sql, now, randomId, secretBox, settings } = management
  const { tenantId, provider: providerType, key, baseUrlOverride } = given
  const stored = { provider_type: providerType, key_last4: keyLast4(key), key_set_at: now() }
  const rowId = randomId()
  const ciphertext = secretBox.seal(key, providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }))
  await transact(sql, async trx => {
    // The check with the provider took time: the tenant's plan may have changed meanwhile.
    const { plan } = await raiseProviderKeysRevision(trx, tenantId)
    if (plan !== 'pro') throw new Refusal('pro_required', { upgradeUrl: settings.upgradeUrl })
    await deleteRow(trx, tenantId, providerType)
    await trx
      .insertInto('provider_keys')
      .values({ id: rowId, tenant_id: tenantId, ...stored, ciphertext, base_url_override: baseUrlOverride })
      .execute()
  })
  await pushProviderKeys(management, tenantId)
  return stored
}

export async function removeProviderKey(
  management: ManagementDependencies,
  tenantId: string,
  providerType: string,
): Promise<void> {
  await transact(management.sql, async trx => {
    await raiseProviderKeysRevision(trx, tenantId)
    if ((await deleteRow(trx, tenantId, providerType)) === undefined) throw new Refusal('no_provider_key')
  })
  await pushProviderKeys(management, tenantId)
}

async function deleteRow(trx: Transaction<Schema>, tenantId: string, providerType: string) {
  return await trx
    .deleteFrom('provider_keys')
    .where('tenant_id', '=', tenantId)
    .where('provider_type', '=', providerType)
    .returning('id')
    .executeTakeFirst()
}

async function pushProviderKeys({ sql, kv, pushToStore }: ManagementDependencies, tenantId: string): Promise<void> {
  const push = async () => {
    const { revision, body } = await getProjectedProviderKeys(sql, tenantId)
    await kv.putProviderKeys(tenantId, { revision, body })
  }
  await pushToStore(`provider keys ${tenantId}`, push, { tenant_id: tenantId })
}
