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

/** The date of one version, such as of `gpt-4o-2024-08-06`: a provider takes it out of service some day. */
const dated = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{4}|\d{3})$/
const small = /mini|nano|haiku|flash|small|lite/

export const isDatedVersion = ({ modelId }: UsableModel): boolean => dated.test(modelId)

/** Whether no date stands in its id and its provider keeps it in service. */
export const isLasting = (model: UsableModel): boolean =>
  !isDatedVersion(model) && model.capabilities['status'] !== 'deprecated'

/** Current models first, then dated versions, then those that their provider takes out of service. */
export function orderByUse(models: readonly UsableModel[]): UsableModel[] {
  const placeOf = (model: UsableModel): number =>
    (model.capabilities['status'] === 'deprecated' ? 4 : 0) +
    (isDatedVersion(model) ? 2 : 0) +
    (answersChats(model) ? 0 : 1)
  return models.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** What a first project begins with: a small model, the newest by its number, else the first. */
export function suggestModel(models: readonly UsableModel[]): UsableModel | undefined {
  const versionOf = ({ modelId }: UsableModel): number =>
    Number(/\d+(?:[.-]\d+)?/.exec(modelId)?.[0].replace('-', '.') ?? 0)
  const candidates = models.filter(model => small.test(model.modelId) && !isDatedVersion(model))
  return candidates.sort((a, b) => versionOf(b) - versionOf(a))[0] ?? models[0]
}

/** A model for embeddings, for example, does not. */
export function answersChats({ capabilities }: UsableModel): boolean {
  const { surfaces } = capabilities
  return Array.isArray(surfaces) && surfaces.includes('chat_completions')
}
