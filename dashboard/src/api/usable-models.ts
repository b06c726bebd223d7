// Which of the models that a tenant may use come from its own providers, and which of them answer chats.
import type { ManagementRoutes } from '@sallyport/sdk'

export type UsableModel =
  ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers/models']['output']['models'][number]

/**
 * Whether the tenant may choose it; any other is the default model of the installation. `keyed` are the providers that
 * the list of keys names; it does not name custom providers.
 */
export function isOwnModel({ providerSlug }: UsableModel, keyed: readonly string[]): boolean {
  return providerSlug.startsWith('custom-') || keyed.includes(providerSlug)
}

/** A model for embeddings, for example, does not. */
export function answersChats({ capabilities }: UsableModel): boolean {
  const { surfaces } = capabilities
  return Array.isArray(surfaces) && surfaces.includes('chat_completions')
}
