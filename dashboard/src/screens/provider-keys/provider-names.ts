// The providers that a tenant can store a key of, by their slugs.
import { providers } from '../../../../server/src/domain/provider.ts'
import { clouds, isCloud } from './clouds.ts'

export const providerNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(providers).map(([slug, { display_name }]) => [slug, display_name]),
)

/** Its slug if this page is older than the server. */
export function nameOfProvider(slug: string): string {
  return isCloud(slug) ? clouds[slug].name : (providerNames[slug] ?? slug)
}
