// Model IDs: `provider/model`, where the model's own name may hold further slashes (OpenRouter's do).

export interface ModelId {
  provider: string
  /** The name that the provider itself uses. */
  model: string
}

const modelIdShape = /^([a-z0-9][a-z0-9_-]{0,62})\/([\x21-\x7e]{1,255})$/

export function parseModelId(id: string): ModelId | null {
  const [, provider, model] = modelIdShape.exec(id) ?? []
  return provider === undefined || model === undefined ? null : { provider, model }
}

/** Whether it has the form of one; what models there are is the registry's to say. */
export function isModelId(id: string): boolean {
  return modelIdShape.test(id)
}

export function providerOfModel(id: string): string | null {
  return parseModelId(id)?.provider ?? null
}

/**
 * The known model of this provider that a request means by `requested`, with or without the prefix; null where there
 * is none. The full ID comes first, so `openrouter/auto` can still mean `openrouter/openrouter/auto`.
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
