// The providers that a tenant can store a key of, by their slugs.
import { clouds, isCloud } from './clouds.ts'

export const providerNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  openrouter: 'OpenRouter',
  mistral: 'Mistral AI',
  cohere: 'Cohere',
}

/** Its slug if this page is older than the server. */
export function nameOfProvider(slug: string): string {
  return isCloud(slug) ? clouds[slug].name : (providerNames[slug] ?? slug)
}
