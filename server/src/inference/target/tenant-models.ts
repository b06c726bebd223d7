// The models that one tenant can use at a moment, with the key that pays for each: the tenant's own, or the platform's.

import { type ChosenModel, chooseModel, type ModelChoice } from '../../domain/conversation/choose-model.ts'
import { type ModelFacts, unknownModelFacts } from '../../domain/conversation/model-facts.ts'
import type { ModelSurface } from '../../domain/conversation/model-surfaces.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Prices } from '../../domain/money.ts'
import { pricesAt } from '../../domain/prices/listed-prices.ts'
import { isProvider, isProviderSlug, isTenantProvider, type ProviderSlug } from '../../domain/provider.ts'
import { adapterOf } from '../../providers/registry.ts'
import type { InferenceSettings } from '../dependencies.ts'
import type { ModelRegistry, RegisteredModel } from './model-registry.ts'
import type { TenantKeys } from './tenant-keys.ts'

/** A model with the address and the key of its provider. */
export interface OpenedModel {
  /** The registry's id, and the name that the provider itself uses. */
  modelId: string
  model: string
  provider: ProviderSlug
  facts: ModelFacts
  /** In force when the request arrived; null if unknown. */
  prices: Prices | null
  /** A cost that the provider reports is used in place of the prices. */
  trustsReportedCost: boolean
  /** How the operator's cost is found if a key of the platform pays; else null. A tenant's own prices are not in it. */
  platformPricing: Pick<OpenedModel, 'prices' | 'trustsReportedCost'> | null
  /** False if the model's name is text of a client or tenant. */
  isRegistered: boolean
  /** The provider's key, or what its adapter reads instead. */
  credential: string
  baseUrl: string
  /** Parameters of every request to it. */
  query?: Record<string, string>
  /** `tenant`: the tenant chose the address, so it is checked like any address from outside. */
  guard: 'tenant' | 'operator'
  hasBaseUrlOverride: boolean
}

type Place = Pick<OpenedModel, 'credential' | 'baseUrl' | 'query' | 'guard' | 'hasBaseUrlOverride'>
type OfRequest = Pick<
  ModelChoice,
  'configured' | 'requested' | 'allowed' | 'surface' | 'needsNamedModel' | 'clientModel'
>
type Choice = Extract<ChosenModel, { chosen: true }>

interface TenantModelsOptions {
  registry: ModelRegistry
  keys: TenantKeys
  settings: InferenceSettings
  /** The time of the request; its prices are those of this moment. */
  now: number
}

export class TenantModels {
  readonly #registry: ModelRegistry
  readonly #keys: TenantKeys
  readonly #settings: InferenceSettings
  readonly #now: number
  /** A model is looked up to be chosen, and again to be opened. */
  #last: { id: string; model: RegisteredModel | undefined } | null = null

  constructor({ registry, keys, settings, now }: TenantModelsOptions) {
    this.#registry = registry
    this.#keys = keys
    this.#settings = settings
    this.#now = now
  }

  #find(id: string): RegisteredModel | undefined {
    if (this.#last?.id !== id) this.#last = { id, model: findVisibleModel(this.#registry, this.#keys, id) }
    return this.#last.model
  }

  choose(asked: OfRequest): ChosenModel {
    const { providers, platformDefaultModel } = this.#settings
    return chooseModel({
      ...asked,
      platformDefault: platformDefaultModel,
      surfacesOf: id => this.#find(id)?.surfaces ?? null,
      hasTenantKey: provider => this.#keys.has(provider),
      hasPlatformKey: provider => isProvider(provider) && providers[provider].platformKey !== null,
    })
  }

  /** Throws a Refusal if the key cannot be decrypted. */
  open({ model, provider, keyOwner }: Choice): OpenedModel {
    if (!isProviderSlug(provider)) throw new Refusal('model_not_configured')
    const known = this.#find(model)
    const isOwn = keyOwner === 'tenant'
    const ownSchedule = this.#keys.prices.get(model)
    const ownPrices = ownSchedule === undefined ? null : pricesAt(ownSchedule, this.#now)
    const listedPrices = known === undefined ? null : pricesAt(known.prices, this.#now)
    // Others may report amounts of another currency or unit.
    const reportsCost = provider === 'openrouter'
    return {
      modelId: model,
      model: model.slice(provider.length + 1),
      provider,
      facts: known?.facts ?? unknownModelFacts,
      prices: ownPrices ?? listedPrices,
      trustsReportedCost: reportsCost && ownPrices === null,
      platformPricing: isOwn ? null : { prices: listedPrices, trustsReportedCost: reportsCost },
      isRegistered: known !== undefined && !this.#keys.models.has(model),
      ...(isOwn ? placeOf(this.#settings, this.#keys, provider) : platformPlaceOf(this.#settings, provider)),
    }
  }

  /** The models of the provider, or of this list, that serve the surface. */
  listServing(surface: ModelSurface, of: string | readonly string[]): string[] {
    if (typeof of !== 'string') {
      return of.filter(id => findVisibleModel(this.#registry, this.#keys, id)?.surfaces.includes(surface))
    }
    const models = listVisibleModels(this.#registry, this.#keys, of)
    return models.filter(({ surfaces }) => surfaces.includes(surface)).map(({ id }) => id)
  }
}

function placeOf({ providers }: InferenceSettings, keys: TenantKeys, provider: ProviderSlug): Place {
  const { credential, baseUrlOverride } = keys.open(provider)
  const place = adapterOf(provider).placeOf?.(credential, baseUrlOverride)
  if (place !== undefined) return { credential, ...place, ...chosenByTenant }
  if (baseUrlOverride !== null) return { credential, baseUrl: baseUrlOverride, ...chosenByTenant }
  if (!isProvider(provider)) throw new Error('a provider of a tenant was stored without its address')
  return { credential, baseUrl: providers[provider].baseUrl, ...chosenByOperator }
}

/** The platform has keys of the built-in providers only. */
function platformPlaceOf({ providers }: InferenceSettings, provider: ProviderSlug): Place {
  const { platformKey, baseUrl } = isProvider(provider) ? providers[provider] : { platformKey: null, baseUrl: '' }
  if (platformKey === null) throw new Error('the platform has no key of this provider')
  return { credential: platformKey, baseUrl, ...chosenByOperator }
}

const chosenByTenant = { guard: 'tenant', hasBaseUrlOverride: true } as const
const chosenByOperator = { guard: 'operator', hasBaseUrlOverride: false } as const

type Registry = Pick<ModelRegistry, 'known' | 'listOf'>
type OwnModels = Pick<TenantKeys, 'models'>

export function findVisibleModel(registry: Registry, { models }: OwnModels, id: string): RegisteredModel | undefined {
  return models.get(id) ?? registry.known()?.get(id)
}

export function listVisibleModels(registry: Registry, { models }: OwnModels, provider: string): RegisteredModel[] {
  if (!isTenantProvider(provider)) return registry.listOf(provider)
  return [...models.values()].filter(model => model.provider === provider)
}
