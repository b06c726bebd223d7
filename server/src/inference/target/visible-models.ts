// The models that one tenant can see: the registry's, and those of its own providers.

import { providerOfModel } from '../../domain/model-id.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import type { ModelRegistry, RegisteredModel } from './model-registry.ts'
import type { TenantKeys } from './tenant-keys.ts'

type Registry = Pick<ModelRegistry, 'find' | 'listOf'>
type OwnModels = Pick<TenantKeys, 'models'>

/** A tenant's provider has only the tenant's models, whatever the registry holds under the same slug. */
export function findVisibleModel(registry: Registry, { models }: OwnModels, id: string): RegisteredModel | undefined {
  return models.get(id) ?? (isTenantProvider(providerOfModel(id) ?? '') ? undefined : registry.find(id))
}

export function listVisibleModels(registry: Registry, { models }: OwnModels, provider: string): RegisteredModel[] {
  if (!isTenantProvider(provider)) return registry.listOf(provider)
  return [...models.values()].filter(model => model.provider === provider)
}
