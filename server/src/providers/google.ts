// Google's Gemini API: address, headers, model list and quirks of its responses.

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
import type { ProviderAdapter } from './provider-adapter.ts'

export const google: ProviderAdapter = {
  address: { version: 'v1beta' },
  // In the header and not in the query: URLs end up in logs.
  authorise: key => ({ 'x-goog-api-key': key }),
  keyCheck: {
    path: ['models'],
    query: { pageSize: '1' },
    readRefusal: (status, body) => (status === 400 && body.includes('API_KEY_INVALID') ? 'invalid_key' : null),
  },
  modelList: {
    path: ['models'],
    query: { pageSize: '1000' },
    format(body) {
      const entries = readObjects(body['models'])
      if (entries === null) return null
      const pageToken = readText(body['nextPageToken'])
      return { models: entries.flatMap(readModel), next: pageToken === null ? null : { pageToken } }
    },
  },
}

function readModel(entry: JsonObject) {
  const model = readText(entry['name'])?.replace(/^models\//, '')
  if (!model) return []
  const facts = {
    model,
    displayName: readText(entry['displayName']),
    contextWindow: readTokens(entry['inputTokenLimit']),
  }
  const methods = entry['supportedGenerationMethods']
  if (readMention(methods, 'embedContent')) return [listedEmbeddingModel(facts)]
  if (!readMention(methods, 'generateContent')) return []
  return [
    listedModel({
      ...facts,
      maxOutputTokens: readTokens(entry['outputTokenLimit']),
      streaming: true,
      reasoning: readFlag(entry['thinking']),
    }),
  ]
}
