// Model ids: `provider/model`. The model's own name may contain more slashes, as OpenRouter's do.

export interface ModelId {
  provider: string
  /** The model's name at the provider. */
  model: string
}

const modelIdShape = /^([a-z0-9][a-z0-9_-]{0,62})\/([\x21-\x7e]{1,255})$/

export function parseModelId(id: string): ModelId | null {
  const [, provider, model] = modelIdShape.exec(id) ?? []
  return provider === undefined || model === undefined ? null : { provider, model }
}

/** Checks the syntax only; the registry knows which models exist. */
export function isModelId(id: string): boolean {
  return modelIdShape.test(id)
}

export function providerOfModel(id: string): string | null {
  return parseModelId(id)?.provider ?? null
}

/**
 * Returns the known model of this provider that `requested` names, with or without the prefix, or null. The
 * full id is tried first; `openrouter/auto` can still mean `openrouter/openrouter/auto`.
 */
export function findModelOfProvider(
  requested: string,
  provider: string,
  isKnownModel: (id: string) => boolean,
): string | null {
  const prefix = `${provider}/`
  if (requested.startsWith(prefix) && isKnownModel(requested)) return requested
  const prefixed = prefix + requested
  return isKnownModel(prefixed) ? prefixed : null
}

/** The first of these models that `requested` names, with or without its provider; a full id comes before that. */
export function findNamedModel(requested: string, ids: readonly string[]): string | null {
  if (ids.includes(requested)) return requested
  return ids.find(id => id.slice(id.indexOf('/') + 1) === requested) ?? null
}
