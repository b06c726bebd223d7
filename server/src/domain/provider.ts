// The providers, one row each: names, key prefixes, default address. Configuration, model registry and
// telemetry derive from these tables. providers/ has the code that calls them.

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

/**
 * Providers that a tenant configures as a whole: address, credential and list of models. The platform has no key for
 * them, and the registry none of their models.
 */
const tenantProviders = {
  azure: { display_name: 'Azure OpenAI', telemetryName: 'azure.ai.openai' },
  bedrock: { display_name: 'Amazon Bedrock', telemetryName: 'aws.bedrock' },
  vertex: { display_name: 'Vertex AI', telemetryName: 'gcp.vertex_ai' },
  custom: { display_name: 'Custom provider', telemetryName: 'custom' },
} as const satisfies Record<string, Pick<ProviderFacts, 'display_name' | 'telemetryName'>>

type TenantProviderKind = keyof typeof tenantProviders

/** Those of which a tenant has at most one each. */
export type Cloud = Exclude<TenantProviderKind, 'custom'>

/** What metrics, traces and logs name, and what the code that calls a provider is chosen by. */
export type ProviderKind = Provider | TenantProviderKind

/** A tenant has any number of custom providers, each with a slug of its own. */
type CustomProvider = `custom-${string}`

/** What model ids begin with, and what a tenant's provider is stored under. */
export type ProviderSlug = Provider | Cloud | CustomProvider

export const providerSlugs = Object.keys(providers) as readonly Provider[]

/** One value for each provider. */
export function forEachProvider<T>(make: (provider: Provider) => T): Record<Provider, T> {
  return Object.fromEntries(providerSlugs.map(slug => [slug, make(slug)])) as Record<Provider, T>
}

const kinds: Record<ProviderKind, Pick<ProviderFacts, 'display_name' | 'telemetryName'>> = {
  ...providers,
  ...tenantProviders,
}

export const providerKinds = Object.keys(kinds) as readonly ProviderKind[]

export function telemetryNameOf(kind: ProviderKind): string {
  return kinds[kind].telemetryName
}

const customPrefix = 'custom-'

export function customProvider(slug: string): CustomProvider {
  return `${customPrefix}${slug}`
}

/** Null if it is the slug of no provider. */
function findProviderKind(slug: string): ProviderKind | null {
  if (slug.startsWith(customPrefix)) return 'custom'
  return slug !== 'custom' && Object.hasOwn(kinds, slug) ? (slug as ProviderKind) : null
}

export function isProviderSlug(slug: string): slug is ProviderSlug {
  return findProviderKind(slug) !== null
}

export function providerKindOf(provider: ProviderSlug): ProviderKind {
  return provider.startsWith(customPrefix) ? 'custom' : (provider as ProviderKind)
}

/** Whether the slug is that of a provider whose models belong to the tenant that configured it. */
export function isTenantProvider(slug: string): boolean {
  const kind = findProviderKind(slug)
  return kind !== null && Object.hasOwn(tenantProviders, kind)
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

/** A custom provider is named by its slug: the name that its tenant chose for it is not known here. */
export function providerDisplayName(slug: string): string {
  const kind = findProviderKind(slug)
  return kind === null || kind === 'custom' ? slug : kinds[kind].display_name
}

/** The message of `provider_not_configured` on every surface. */
export function providerNotConfiguredMessage(slug: string): string {
  return `The provider key for ${providerDisplayName(slug)} must be configured`
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
