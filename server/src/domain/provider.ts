// The providers, one row each: names, key prefixes, default address. Configuration, model registry and
// telemetry derive from this table. providers/ has the code that calls them.

import { accept, type Checked, refuse } from './checked.ts'

interface ProviderFacts {
  display_name: string
  /** Default of the variable `<SLUG>_BASE_URL`. */
  baseUrl: string
  /** The value of OpenTelemetry's `gen_ai.provider.name`: from the conventions, or our own if they have none. */
  telemetryName: string
  keyPrefix?: string
  /** Prefixes of other providers' keys that also match `keyPrefix`. */
  foreignKeyPrefixes?: readonly string[]
}

export const providers = {
  openai: {
    display_name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    telemetryName: 'openai',
    keyPrefix: 'sk-',
    foreignKeyPrefixes: ['sk-ant-', 'sk-or-'],
  },
  anthropic: {
    display_name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    telemetryName: 'anthropic',
    keyPrefix: 'sk-ant-',
  },
  google: {
    display_name: 'Google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    telemetryName: 'gcp.gemini',
  },
  openrouter: {
    display_name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    telemetryName: 'openrouter',
    keyPrefix: 'sk-or-',
  },
  mistral: { display_name: 'Mistral AI', baseUrl: 'https://api.mistral.ai/v1', telemetryName: 'mistral_ai' },
  cohere: { display_name: 'Cohere', baseUrl: 'https://api.cohere.com/v2', telemetryName: 'cohere' },
} as const satisfies Record<string, ProviderFacts>

export type Provider = keyof typeof providers

export const providerSlugs = Object.keys(providers) as readonly Provider[]

/** One value for each provider. */
export function forEachProvider<T>(make: (provider: Provider) => T): Record<Provider, T> {
  return Object.fromEntries(providerSlugs.map(slug => [slug, make(slug)])) as Record<Provider, T>
}

type BaseUrlVariable = `${Uppercase<Provider>}_BASE_URL`
type PlatformKeyVariable = `PLATFORM_${Uppercase<Provider>}_API_KEY`

export function baseUrlVariable(provider: Provider): BaseUrlVariable {
  return `${provider.toUpperCase() as Uppercase<Provider>}_BASE_URL`
}

export function platformKeyVariable(provider: Provider): PlatformKeyVariable {
  return `PLATFORM_${provider.toUpperCase() as Uppercase<Provider>}_API_KEY`
}

export function isProvider(slug: string): slug is Provider {
  return Object.hasOwn(providers, slug)
}

/** The message of `provider_not_configured` on every surface. */
export function providerNotConfiguredMessage(slug: string): string {
  const name = isProvider(slug) ? providers[slug].display_name : slug
  return `The provider key for ${name} must be configured`
}

/** Returns the trimmed key. Behind a base_url_override, keys may have any form, so no prefix is required. */
export function checkProviderKey(
  provider: Provider,
  key: unknown,
  { hasBaseUrlOverride }: { hasBaseUrlOverride: boolean },
): Checked<string> {
  if (key === undefined || key === null) return refuse('api_key is required')
  if (typeof key !== 'string') return refuse('api_key must be a string')
  const trimmed = key.trim()
  if (!/^[\x21-\x7e]{20,512}$/.test(trimmed)) {
    return refuse('api_key must be 20-512 printable ASCII characters without white space')
  }
  if (hasBaseUrlOverride) return accept(trimmed)
  const { display_name, keyPrefix = '', foreignKeyPrefixes = [] }: ProviderFacts = providers[provider]
  if (!trimmed.startsWith(keyPrefix)) return refuse(`${display_name} keys start with ${keyPrefix}`)
  const foreign = foreignKeyPrefixes.find(prefix => trimmed.startsWith(prefix))
  return foreign === undefined ? accept(trimmed) : refuse(`${display_name} keys do not start with ${foreign}`)
}

export function keyLast4(key: string): string {
  return key.slice(-4)
}
