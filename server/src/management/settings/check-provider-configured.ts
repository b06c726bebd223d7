// Checks that a tenant can use a model.

import type { Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import { providerOfModel } from '../../domain/model-id.ts'
import { providerNotConfiguredMessage } from '../../domain/provider.ts'
import type { Schema } from '../../storage/schema.ts'

/** Throws if the tenant has no key for the model's provider. */
export async function checkProviderConfigured(
  sql: Pick<Transaction<Schema>, 'selectFrom'>,
  tenantId: string,
  model: string,
): Promise<void> {
  const provider = providerOfModel(model) ?? ''
  const key = await sql
    .selectFrom('provider_keys')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('provider_type', '=', provider)
    .executeTakeFirst()
  if (key === undefined) {
    throw new Refusal('provider_not_configured', { message: providerNotConfiguredMessage(provider) })
  }
}
