// GET /v1/models: the models this project may use, in the format of OpenAI's API.

import { providerOfModel } from '../../domain/model-id.ts'
import { isProvider } from '../../domain/provider.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { AdmittedCall } from '../../http/admitted-call.ts'
import { replyJson } from '../../http/reply.ts'
import type { InferenceSettings } from '../dependencies.ts'
import type { ModelRegistry } from '../target/model-registry.ts'
import type { TenantKeyFinder } from '../target/tenant-keys.ts'

interface ModelsDependencies {
  registry: ModelRegistry
  tenantKeys: TenantKeyFinder
  settings: Pick<InferenceSettings, 'providers' | 'platformDefaultModel'>
}

export async function answerModels(
  dependencies: ModelsDependencies,
  { verified, resolved, response }: AdmittedCall,
): Promise<void> {
  const ids = await listUsable(dependencies, verified.tenantId, resolved.settings)
  const data = ids.map(id => ({ id, object: 'model', created: 0, owned_by: providerOfModel(id) ?? '' }))
  replyJson(response, 200, { object: 'list', data })
}

/**
 * The configured model first, then the others of its provider; if none is configured, the platform's default. Only
 * models that the project allows and that have a key.
 */
async function listUsable(
  dependencies: ModelsDependencies,
  tenantId: string,
  { provider_model: configured, allowed_models: allowed }: Settings,
): Promise<string[]> {
  const { registry, tenantKeys, settings } = dependencies
  const { providers, platformDefaultModel } = settings
  const first = configured ?? platformDefaultModel
  const provider = first === null ? null : providerOfModel(first)
  if (first === null || provider === null) return []
  await registry.whenLoaded()
  const others = registry.listOf(provider).filter(model => model.answersChats && model.id !== first)
  const usable = configured === null ? [first] : [first, ...others.map(model => model.id)]
  const ids = usable.filter(id => allowed === null || allowed.includes(id))
  if ((await tenantKeys.get(tenantId)).has(provider)) return ids
  const hasPlatformKey = isProvider(provider) && providers[provider].platformKey !== null
  return ids.filter(id => hasPlatformKey && id === platformDefaultModel)
}
