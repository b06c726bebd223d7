// GET /v1/models and /v1/models/:id: the models this project may use, in the format of OpenAI's API.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import { findNamedModel, providerOfModel } from '../../domain/model-id.ts'
import { isProvider } from '../../domain/provider.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { replyJson } from '../../http/reply.ts'
import type { InferenceSettings } from '../dependencies.ts'
import type { ModelRegistry } from '../target/model-registry.ts'
import { unusableModel } from '../target/refuse-model.ts'
import type { TenantKeyFinder, TenantKeys } from '../target/tenant-keys.ts'
import { findVisibleModel, listVisibleModels } from '../target/tenant-models.ts'
import { pageOf } from './page-of-models.ts'
import { queryOf } from './read-query.ts'

interface ModelsDependencies {
  registry: ModelRegistry
  tenantKeys: TenantKeyFinder
  settings: Pick<InferenceSettings, 'providers' | 'platformDefaultModel'>
}

export async function answerModels(dependencies: ModelsDependencies, call: AdmittedCall): Promise<void> {
  const { tenantId } = call.verified
  const ids = await listUsable(dependencies, tenantId, call.resolved.settings)
  const keys = await dependencies.tenantKeys.get(tenantId)
  const { ids: page, ...rest } = pageOf(ids, queryOf(call))
  const data = page.map(id => showModel(dependencies.registry, keys, id))
  replyJson(call.response, 200, { object: 'list', data, ...rest })
}

/** The id may lack the provider, as in requests. */
export async function answerModel(dependencies: ModelsDependencies, call: AdmittedCall): Promise<void> {
  const { tenantId } = call.verified
  const ids = await listUsable(dependencies, tenantId, call.resolved.settings)
  const asked = readId(call)
  const id = findNamedModel(asked, ids)
  if (id === null) throw unusableModel(asked)
  replyJson(call.response, 200, showModel(dependencies.registry, await dependencies.tenantKeys.get(tenantId), id))
}

/** The path is canonical, so it can be decoded. */
function readId({ request }: AdmittedCall): string {
  const [path = ''] = (request.url ?? '').split('?')
  return decodeURIComponent(path.slice('/v1/models/'.length))
}

function showModel(registry: ModelRegistry, keys: TenantKeys, id: string) {
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: providerOfModel(id) ?? '',
    capabilities: { surfaces: findVisibleModel(registry, keys, id)?.surfaces ?? readModelSurfaces({}) },
  }
}

/**
 * The targets of the project's routes; without routes the configured model first, then the others of its provider; if
 * none is configured, the platform's default. Only models that the project allows and that have a key.
 */
async function listUsable(
  { registry, tenantKeys, settings }: ModelsDependencies,
  tenantId: string,
  project: Settings,
): Promise<string[]> {
  const { providers, platformDefaultModel } = settings
  await registry.whenLoaded()
  const keys = await tenantKeys.get(tenantId)
  const ids = project.routes?.targets.map(({ model }) => model) ?? listOfOneProvider(registry, keys, settings, project)
  const isAllowed = (id: string) => project.allowed_models?.includes(id) !== false
  const hasKey = (id: string) => {
    const provider = providerOfModel(id) ?? ''
    if (keys.has(provider)) return true
    return id === platformDefaultModel && isProvider(provider) && providers[provider].platformKey !== null
  }
  return [...new Set(ids)].filter(id => isAllowed(id) && hasKey(id))
}

function listOfOneProvider(
  registry: ModelRegistry,
  keys: TenantKeys,
  { platformDefaultModel }: Pick<InferenceSettings, 'platformDefaultModel'>,
  { provider_model: configured }: Pick<Settings, 'provider_model'>,
): string[] {
  const provider = configured === null ? null : providerOfModel(configured)
  if (configured === null || provider === null) return platformDefaultModel === null ? [] : [platformDefaultModel]
  const others = listVisibleModels(registry, keys, provider).filter(
    model => model.surfaces.length > 0 && model.id !== configured,
  )
  return [configured, ...others.map(model => model.id)]
}
