// Chooses the model that answers a request, and whose key pays for it.

import { findModelOfProvider, findNamedModel, providerOfModel } from '../model-id.ts'
import type { ClientModel } from '../settings/settings.ts'
import type { ModelSurface } from './model-surfaces.ts'

export interface ModelChoice {
  /** The project's model after the tier's overrides; null if none is configured. */
  configured: string | null
  /** The request's `model`, with or without the provider's prefix. */
  requested: string | null
  platformDefault: string | null
  /** The models that a request may choose; null allows all. */
  allowed: readonly string[] | null
  /** What the request asks for. */
  surface: ModelSurface
  /** Results of two models cannot be compared: the request has to name one, and no other takes its place. */
  needsNamedModel: boolean
  /** `exact`: no other model takes the place of the one that the request names. */
  clientModel: ClientModel
  /** Null if the model is not known. */
  surfacesOf: (id: string) => readonly ModelSurface[] | null
  hasTenantKey: (provider: string) => boolean
  hasPlatformKey: (provider: string) => boolean
}

export type ChosenModel =
  /** `model` is a full id; the part after `provider/` is the model's name at its provider. */
  | { chosen: true; model: string; provider: string; keyOwner: 'tenant' | 'platform' }
  | { chosen: false; reason: 'model_not_configured' }
  | { chosen: false; reason: 'provider_not_configured'; provider: string }
  | { chosen: false; reason: 'model_not_found'; model: string }
  /** `model` is null if the request has to name one and names none. */
  | { chosen: false; reason: 'model_not_supported'; provider: string; model: string | null }

export function chooseModel(choice: ModelChoice): ChosenModel {
  const base = choice.configured ?? choice.platformDefault
  const provider = base === null ? null : providerOfModel(base)
  if (base === null || provider === null) return { chosen: false, reason: 'model_not_configured' }
  const model = findModel(choice, provider, base)
  const { requested } = choice
  if (choice.clientModel === 'exact' && requested !== null && !isNamed(model, requested)) {
    return { chosen: false, reason: 'model_not_found', model: requested }
  }
  if (model === null || choice.surfacesOf(model)?.includes(choice.surface) === false) {
    return { chosen: false, reason: 'model_not_supported', provider, model: model ?? choice.requested }
  }
  if (choice.hasTenantKey(provider)) return { chosen: true, model, provider, keyOwner: 'tenant' }
  // The platform's keys pay only for the platform's default model, even if a client names it.
  if (model === choice.platformDefault && choice.hasPlatformKey(provider)) {
    return { chosen: true, model, provider, keyOwner: 'platform' }
  }
  return { chosen: false, reason: 'provider_not_configured', provider }
}

function isNamed(model: string | null, requested: string): boolean {
  return model !== null && findNamedModel(requested, [model]) !== null
}

function findModel(choice: ModelChoice, provider: string, base: string): string | null {
  if (!choice.needsNamedModel) return preferRequested(choice, provider) ?? base
  return choice.requested === null ? null : findAllowed(choice, choice.requested, provider)
}

/**
 * A request may choose another known model of the configured model's provider. With the platform default it has
 * no choice.
 */
function preferRequested(choice: ModelChoice, provider: string): string | null {
  if (choice.configured === null || choice.requested === null) return null
  return findAllowed(choice, choice.requested, provider)
}

function findAllowed({ allowed, surfacesOf }: ModelChoice, requested: string, provider: string): string | null {
  const mayBeChosen = (id: string) => surfacesOf(id) !== null && (allowed === null || allowed.includes(id))
  return findModelOfProvider(requested, provider, mayBeChosen)
}
