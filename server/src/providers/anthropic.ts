// Anthropic's address, headers and model list.

import { isJsonObject, type JsonObject } from '../domain/json-object.ts'
import { listedModel, readFlag, readObject, readObjects, readText, readTokens } from './models/model-page.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

export const anthropic: ProviderAdapter = {
  address: { version: 'v1' },
  authorise: key => ({ 'x-api-key': key }),
  fixedHeaders: { 'anthropic-version': '2023-06-01' },
  keyCheck: { path: ['models'], query: { limit: '1' } },
  modelList: {
    path: ['models'],
    query: { limit: '1000' },
    format(body) {
      const entries = readObjects(body['data'])
      if (entries === null) return null
      const lastId = readText(body['last_id'])
      return {
        models: entries.flatMap(readModel),
        next: readFlag(body['has_more']) && lastId !== null ? { after_id: lastId } : null,
      }
    },
  },
}

function readModel(entry: JsonObject) {
  const model = readText(entry['id'])
  if (model === null) return []
  const capabilities = readObject(entry['capabilities'])
  const supports = (name: string) => {
    const capability = capabilities[name]
    return isJsonObject(capability) ? readFlag(capability['supported']) : null
  }
  return [
    listedModel({
      model,
      displayName: readText(entry['display_name']),
      contextWindow: readTokens(entry['max_input_tokens']),
      maxOutputTokens: readTokens(entry['max_tokens']),
      streaming: true,
      tools: true,
      vision: supports('image_input'),
      reasoning: supports('thinking'),
      structuredOutput: supports('structured_outputs'),
    }),
  ]
}
