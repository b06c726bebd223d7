// Which model answers a request and whose key pays for it. Knows the configured model after tiers, never the settings.

import { findModelOfProvider, providerOfModel } from '../model-id.ts'

export interface ModelChoice {
  /** The project's model, with the tier's override applied; null where none is configured. */
  configured: string | null
  /** `model` of the request, with or without the provider's prefix. */
  requested: string | null
  platformDefault: string | null
  /** The models that a request may choose; null: all. */
  allowed: readonly string[] | null
  isKnownModel: (id: string) => boolean
  hasTenantKey: (provider: string) => boolean
  hasPlatformKey: (provider: string) => boolean
}

export type ChosenModel =
  /** The model's name at its provider is what follows `provider/`. */
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

/** A request may pick another known model of the configured model's provider; the platform default allows no choice. */
function preferRequested(choice: ModelChoice, provider: string): string | null {
  if (choice.configured === null || choice.requested === null) return null
  const { allowed, isKnownModel } = choice
  const mayBeChosen = (id: string) => isKnownModel(id) && (allowed === null || allowed.includes(id))
  return findModelOfProvider(choice.requested, provider, mayBeChosen)
}
