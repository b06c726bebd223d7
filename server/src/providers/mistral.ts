// Mistral's address, headers and model list.

import type { JsonObject } from '../domain/json-object.ts'
import {
  type ListedModel,
  listedEmbeddingModel,
  listedModel,
  readFlag,
  readObject,
  readObjects,
  readText,
  readTokens,
} from './models/model-page.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

export const mistral: ProviderAdapter = {
  address: { version: 'v1' },
  authorise: bearer,
  keyCheck: { path: ['models'] },
  modelList: {
    path: ['models'],
    format(body) {
      const entries = readObjects(body['data'])
      return entries && { models: readModels(entries), next: null }
    },
  },
}

const embeds = /(?:^|-)embed(?:-|$)/

/** A model is listed once for each of its names, each time with the others as aliases: the first name is kept. */
function readModels(entries: readonly JsonObject[]): ListedModel[] {
  const named = new Set<string>()
  return entries.flatMap(entry => {
    const model = readText(entry['id'])
    const capabilities = readObject(entry['capabilities'])
    if (model === null || named.has(model)) return []
    const chats = readFlag(capabilities['completion_chat']) === true
    // The list has no flag for these.
    if (!chats && !embeds.test(model)) return []
    for (const alias of Array.isArray(entry['aliases']) ? entry['aliases'] : []) named.add(String(alias))
    const facts = {
      model,
      displayName: readText(entry['name']),
      contextWindow: readTokens(entry['max_context_length']),
      status: readText(entry['deprecation']) === null ? null : 'deprecated',
    }
    if (!chats) return [listedEmbeddingModel(facts)]
    return [
      listedModel({
        ...facts,
        streaming: true,
        tools: readFlag(capabilities['function_calling']),
        vision: readFlag(capabilities['vision']),
        reasoning: readFlag(capabilities['reasoning']),
      }),
    ]
  })
}
