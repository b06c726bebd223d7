// Cohere's address, headers and model list.

import type { JsonObject } from '../domain/json-object.ts'
import {
  listedEmbeddingModel,
  listedModel,
  readFlag,
  readMention,
  readObjects,
  readText,
  readTokens,
} from './models/model-page.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

export const cohere: ProviderAdapter = {
  // Chat is served under v2 only, the model list under v1 only.
  address: { version: 'v2', siblings: ['v1'] },
  authorise: bearer,
  keyCheck: { version: 'v1', path: ['models'], query: { page_size: '1' } },
  modelList: {
    version: 'v1',
    path: ['models'],
    query: { page_size: '1000' },
    format(body) {
      const entries = readObjects(body['models'])
      if (entries === null) return null
      const pageToken = readText(body['next_page_token'])
      return { models: entries.flatMap(readModel), next: pageToken === null ? null : { page_token: pageToken } }
    },
  },
}

function readModel(entry: JsonObject) {
  const model = readText(entry['name'])
  if (model === null) return []
  const { endpoints, features } = entry
  const facts = {
    model,
    contextWindow: readTokens(entry['context_length']),
    status: readFlag(entry['is_deprecated']) === true ? 'deprecated' : null,
  }
  if (readMention(endpoints, 'embed')) return [listedEmbeddingModel(facts)]
  if (readMention(endpoints, 'chat') === false) return []
  return [
    listedModel({
      ...facts,
      streaming: true,
      tools: readMention(features, 'tools'),
      vision: readMention(features, 'vision'),
      structuredOutput: readMention(features, 'json_schema'),
    }),
  ]
}
