// Chooses the model that answers a request, and whose key pays for it.

import { findModelOfProvider, providerOfModel } from '../model-id.ts'

export interface ModelChoice {
  /** The project's model after the tier's overrides; null if none is configured. */
  configured: string | null
  /** The request's `model`, with or without the provider's prefix. */
  requested: string | null
  platformDefault: string | null
  /** The models that a request may choose; null allows all. */
  allowed: readonly string[] | null
  isKnownModel: (id: string) => boolean
  hasTenantKey: (provider: string) => boolean
  hasPlatformKey: (provider: string) => boolean
}

export type ChosenModel =
  /** `model` is a full id; the part after `provider/` is the model's name at its provider. */
  | { chosen: true; model: string; provider: string; keyOwner: 'tenant' | 'platform' }
  | { chosen: false; reason: 'model_not_configured' }
  | { chosen: false; reason: 'provider_not_configured'; provider: string }

export function chooseModel(choice: ModelChoice): ChosenModel {
  const base = choice.configured ?? choice.platformDefault
  const provider = base === null ? null : providerOfModel(base)
  if (base === null || provider === null) return { chosen: false, reason: 'model_not_configured' }
  const model = preferRequested(choice, provider) ?? base
  if (choice.hasTenantKey(provider)) return { chosen: true, model, provider, keyOwner: 'tenant' }
  // The platform's keys pay only for the platform's default model, even if a client names it.
  if (model === choice.platformDefault && choice.hasPlatformKey(provider)) {
    return { chosen: true, model, provider, keyOwner: 'platform' }
  }
  return { chosen: false, reason: 'provider_not_configured', provider }
}

/**
 * A request may choose another known model of the configured model's provider. With the platform default it has
 * no choice.
 */
function preferRequested(choice: ModelChoice, provider: string): string | null {
  if (choice.configured === null || choice.requested === null) return null
  const { allowed, isKnownModel } = choice
  const mayBeChosen = (id: string) => isKnownModel(id) && (allowed === null || allowed.includes(id))
  return findModelOfProvider(choice.requested, provider, mayBeChosen)
}
