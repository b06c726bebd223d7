// The six providers: their names on the wire and on the screen, and the shape that their keys must have.
// Where they live and how they are spoken to is the adapters' business.

import { accept, type Checked, refuse } from './checked.ts'

interface ProviderFacts {
  display_name: string
  keyPrefix?: string
  /** Keys of others that begin like this provider's own. */
  foreignKeyPrefixes?: readonly string[]
}

export const providers = {
  openai: { display_name: 'OpenAI', keyPrefix: 'sk-', foreignKeyPrefixes: ['sk-ant-', 'sk-or-'] },
  anthropic: { display_name: 'Anthropic', keyPrefix: 'sk-ant-' },
  google: { display_name: 'Google' },
  openrouter: { display_name: 'OpenRouter', keyPrefix: 'sk-or-' },
  mistral: { display_name: 'Mistral AI' },
  cohere: { display_name: 'Cohere' },
} as const satisfies Record<string, ProviderFacts>

export type Provider = keyof typeof providers

export const providerSlugs = Object.keys(providers) as readonly Provider[]

export function isProvider(slug: string): slug is Provider {
  return Object.hasOwn(providers, slug)
}

/** The words of `provider_not_configured` on every surface. */
export function providerNotConfiguredMessage(slug: string): string {
  const name = isProvider(slug) ? providers[slug].display_name : slug
  return `The provider key for ${name} must be configured`
}

/** The trimmed key. Behind a base_url_override anything may stand, so no prefix is expected there. */
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
