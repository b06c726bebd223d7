// Chooses the model that answers a call, with its provider, address and key. domain/conversation/choose-model.ts
// has the rules.

import { chooseModel } from '../../domain/conversation/choose-model.ts'
import type { ModelFacts } from '../../domain/conversation/model-facts.ts'
import { Refusal } from '../../domain/errors.ts'
import { isProvider, type Provider, providerNotConfiguredMessage } from '../../domain/provider.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { InferenceSettings } from '../dependencies.ts'
import type { ModelRegistry } from './model-registry.ts'
import type { TenantKeyFinder, TenantKeys } from './tenant-keys.ts'

export interface ChosenTarget {
  /** The registry's id, and the name that the provider itself uses. */
  modelId: string
  model: string
  provider: Provider
  facts: ModelFacts
  key: string
  baseUrl: string
  /** `tenant`: the tenant chose the address, so it is checked like any address from outside. */
  guard: 'tenant' | 'operator'
  hasBaseUrlOverride: boolean
}

type ModelSettings = Pick<Settings, 'provider_model' | 'allowed_models'>

export interface TargetChooser {
  /** Null if the models or the tenant's keys have to be read first. */
  chooseKnown(tenantId: string, settings: ModelSettings, requested: string | null): ChosenTarget | null
  choose(tenantId: string, settings: ModelSettings, requested: string | null): Promise<ChosenTarget>
}

export function createTargetChooser(
  registry: ModelRegistry,
  tenantKeys: TenantKeyFinder,
  { providers, platformDefaultModel }: InferenceSettings,
): TargetChooser {
  function chooseBy(keys: TenantKeys, settings: ModelSettings, requested: string | null): ChosenTarget {
    const choice = chooseModel({
      configured: settings.provider_model,
      requested,
      allowed: settings.allowed_models,
      platformDefault: platformDefaultModel,
      isKnownModel: id => registry.find(id) !== undefined,
      hasTenantKey: provider => keys.has(provider),
      hasPlatformKey: provider => isProvider(provider) && providers[provider].platformKey !== null,
    })
    if (!choice.chosen) throw refusalOf(choice)
    const { provider, model } = choice
    if (!isProvider(provider)) throw new Refusal('model_not_configured')
    const { key, baseUrlOverride } =
      choice.keyOwner === 'tenant'
        ? keys.open(provider)
        : { key: providers[provider].platformKey ?? '', baseUrlOverride: null }
    return {
      modelId: model,
      model: model.slice(provider.length + 1),
      provider,
      facts: registry.factsOf(model),
      key,
      baseUrl: baseUrlOverride ?? providers[provider].baseUrl,
      guard: baseUrlOverride === null ? 'operator' : 'tenant',
      hasBaseUrlOverride: baseUrlOverride !== null,
    }
  }

  return {
    chooseKnown(tenantId, settings, requested) {
      const keys = registry.whenLoaded() === null ? tenantKeys.find(tenantId) : null
      return keys && chooseBy(keys, settings, requested)
    },
    async choose(tenantId, settings, requested) {
      await registry.whenLoaded()
      return chooseBy(await tenantKeys.get(tenantId), settings, requested)
    },
  }
}

function refusalOf(choice: Exclude<ReturnType<typeof chooseModel>, { chosen: true }>): Refusal {
  if (choice.reason === 'model_not_configured') return new Refusal('model_not_configured')
  return new Refusal('model_without_key', { message: providerNotConfiguredMessage(choice.provider), param: 'model' })
}
