// Stores and removes provider keys and credentials: encrypts one, writes its row together with the tenant's next
// revision, and pushes all of the tenant's to the store.

import type { Transaction } from 'kysely'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { ProviderSlug } from '../../domain/provider.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { parseTenantModels, writeTenantModels } from '../../providers/models/tenant-model-list.ts'
import { providerKeyContext } from '../../providers/provider-key-context.ts'
import { getProjectedProviderKeys, raiseProviderKeysRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'

const maxTenantModels = 2_000

interface NewProvider {
  tenantId: string
  provider: ProviderSlug
  /** The key, or text that the provider's adapter reads instead; only its ciphertext is stored. */
  credential: string
  /** The last characters of the key, or of what identifies the credential; empty if there is none. */
  last4: string
  baseUrlOverride: string | null
  /** Set for a provider that the tenant configures as a whole. */
  configured?: {
    displayName: string
    /** What may be shown of the configuration: no secret. */
    details: JsonObject
    models: readonly ListedModel[]
  }
}

export async function storeProvider(management: ManagementDependencies, given: NewProvider) {
  const { sql, now, randomId, secretBox, settings } = management
  const { tenantId, provider: providerType, credential, last4, baseUrlOverride, configured } = given
  const stored = { provider_type: providerType, key_last4: last4, key_set_at: now() }
  const columns = {
    display_name: configured?.displayName ?? null,
    details: configured === undefined ? null : JSON.stringify(configured.details),
    models: configured === undefined ? null : writeTenantModels(configured.models),
  }
  const rowId = randomId()
  const ciphertext = secretBox.seal(credential, providerKeyContext({ tenantId, rowId, providerType, baseUrlOverride }))
  await transact(sql, async trx => {
    // The check with the provider took time: the tenant's plan may have changed meanwhile.
    const { plan } = await raiseProviderKeysRevision(trx, tenantId)
    if (plan !== 'pro') throw new Refusal('pro_required', { upgradeUrl: settings.upgradeUrl })
    await deleteRow(trx, tenantId, providerType)
    if (configured !== undefined) await checkModelCount(trx, tenantId, configured.models.length)
    await trx
      .insertInto('provider_keys')
      .values({ id: rowId, tenant_id: tenantId, ...stored, ...columns, ciphertext, base_url_override: baseUrlOverride })
      .execute()
  })
  await pushProviderKeys(management, tenantId)
  return stored
}

/** All of a tenant's models are in the document that the data plane reads with its keys. */
async function checkModelCount(trx: Transaction<Schema>, tenantId: string, added: number): Promise<void> {
  const others = await trx
    .selectFrom('provider_keys')
    .select('models')
    .where('tenant_id', '=', tenantId)
    .where('models', 'is not', null)
    .execute()
  const count = others.reduce((sum, { models }) => sum + parseTenantModels(models ?? '[]').length, added)
  if (count <= maxTenantModels) return
  const message = `The providers of a tenant have at most ${maxTenantModels} models of its own together`
  throw new Refusal('validation_failed', { message })
}

interface Removal {
  /** The refusal if there is no such row. */
  missing: RefusalCode
  /** Throws a Refusal if the row must stay. */
  check?(trx: Transaction<Schema>): Promise<void>
}

export async function removeProvider(
  management: ManagementDependencies,
  tenantId: string,
  provider: ProviderSlug,
  { missing, check }: Removal,
): Promise<void> {
  await transact(management.sql, async trx => {
    await raiseProviderKeysRevision(trx, tenantId)
    if ((await deleteRow(trx, tenantId, provider)) === undefined) throw new Refusal(missing)
    await check?.(trx)
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

/** Also pushes the tenant's prices, which the same document holds. */
export async function pushProviderKeys(
  { sql, kv, pushToStore }: ManagementDependencies,
  tenantId: string,
): Promise<void> {
  const push = async () => {
    const { revision, body } = await getProjectedProviderKeys(sql, tenantId)
    await kv.putProviderKeys(tenantId, { revision, body })
  }
  await pushToStore(`provider keys ${tenantId}`, push, { tenant_id: tenantId })
}
