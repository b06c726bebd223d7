// Mistral's address, headers and model list.

import type { JsonObject } from '../domain/json-object.ts'
import {
  type ListedModel,
  listedModel,
  readFlag,
  readObject,
  readObjects,
  readText,
  readTokens,
} from './models/model-page.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

export const mistral: ProviderAdapter = {
  slug: 'mistral',
  address: { version: 'v1' },
  keyHeader: bearer,
  keyCheck: { path: ['models'] },
  modelList: {
    path: ['models'],
    format(body) {
      const entries = readObjects(body['data'])
      return entries && { models: readModels(entries), next: null }
    },
  },
}

/** A model is listed once for each of its names, each time with the others as aliases: the first name is kept. */
function readModels(entries: readonly JsonObject[]): ListedModel[] {
  const named = new Set<string>()
  return entries.flatMap(entry => {
    const model = readText(entry['id'])
    const capabilities = readObject(entry['capabilities'])
    if (model === null || named.has(model) || readFlag(capabilities['completion_chat']) !== true) return []
    for (const alias of Array.isArray(entry['aliases']) ? entry['aliases'] : []) named.add(String(alias))
    return [
      listedModel({
        model,
        displayName: readText(entry['name']),
        contextWindow: readTokens(entry['max_context_length']),
        streaming: true,
        tools: readFlag(capabilities['function_calling']),
        vision: readFlag(capabilities['vision']),
        reasoning: readFlag(capabilities['reasoning']),
        status: readText(entry['deprecation']) === null ? null : 'deprecated',
      }),
    ]
  })
}
