// A custom provider: a server that speaks OpenAI's chat-completions format, at an address of the tenant.

import { isJsonObject, type JsonObject, parseJson } from '../domain/json-object.ts'
import { listedModel, readFlag, readObjects, readText, readTokens } from './models/model-page.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

interface CustomCredential {
  /** Null for servers that take requests without a key. */
  apiKey: string | null
  /** Sent with every request; names in lower case. */
  headers: Record<string, string>
}

/** Servers without a list of models: whether they accept the key, only a completion would show. */
const listlessStatuses = new Set([404, 405, 501])

export const custom: ProviderAdapter = {
  address: { version: 'v1', keepsPath: true },
  authorise(credential) {
    const { apiKey, headers } = readCustomCredential(credential)
    return apiKey === null ? headers : { ...headers, ...bearer(apiKey) }
  },
  secretsOf(credential) {
    const { apiKey, headers } = readCustomCredential(credential)
    return [...(apiKey === null ? [] : [apiKey]), ...Object.values(headers)]
  },
  keyCheck: {
    path: ['models'],
    readRefusal: status => (listlessStatuses.has(status) ? 'valid' : null),
  },
  modelList: {
    path: ['models'],
    acceptsBareList: true,
    format(body) {
      const entries = readObjects(body['data'])
      return entries && { models: entries.flatMap(readModel), next: null }
    },
  },
}

export function writeCustomCredential(credential: CustomCredential): string {
  return JSON.stringify(credential)
}

/** Must be text of `writeCustomCredential`. */
function readCustomCredential(text: string): CustomCredential {
  const value = parseJson(text)
  if (!isJsonObject(value)) throw new Error('the credential of a custom provider is not readable')
  return value as unknown as CustomCredential
}

/** The format has names only; some servers add facts under names of their own. */
function readModel(entry: JsonObject) {
  const model = readText(entry['id'])
  if (model === null) return []
  const context = readTokens(entry['context_window']) ?? readTokens(entry['context_length'])
  return [
    listedModel({
      model,
      displayName: readText(entry['display_name']),
      contextWindow: context ?? readTokens(entry['max_model_len']),
      maxOutputTokens: readTokens(entry['max_completion_tokens']),
      tools: readFlag(entry['supports_tools']),
      vision: readFlag(entry['supports_image_input']),
    }),
  ]
}
