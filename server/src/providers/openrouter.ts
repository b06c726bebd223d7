// OpenRouter's address, headers, model list and quirks of its responses.

import type { JsonObject } from '../domain/json-object.ts'
import type { DatedPrices } from '../domain/prices/listed-prices.ts'
import {
  type ListedModel,
  listedEmbeddingModel,
  listedModel,
  type ModelPage,
  readMention,
  readObject,
  readObjects,
  readText,
  readTokens,
} from './models/model-page.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

export const openrouter: ProviderAdapter = {
  address: { prefix: 'api', version: 'v1' },
  authorise: bearer,
  // The model list is public: it would accept any key.
  keyCheck: { path: ['key'] },
  modelList: {
    path: ['models'],
    format: body => readPage(body, readModel),
  },
  embeddingModelList: {
    path: ['embeddings', 'models'],
    format: body => readPage(body, readEmbeddingModel),
  },
}

function readPage(body: JsonObject, read: (entry: JsonObject) => ListedModel[]): ModelPage | null {
  const entries = readObjects(body['data'])
  return entries && { models: entries.flatMap(read), next: readNext(readObject(body['links'])['next']) }
}

/** Only the query is taken from the link: the response must not choose the address of the next page. */
function readNext(link: unknown): Record<string, string> | null {
  const text = readText(link)
  const url = text === null ? null : URL.parse(text, 'https://openrouter.ai')
  return url === null ? null : Object.fromEntries(url.searchParams)
}

function readModel(entry: JsonObject) {
  const model = readText(entry['id'])
  const architecture = readObject(entry['architecture'])
  if (model === null || readMention(architecture['output_modalities'], 'text') === false) return []
  const parameters = entry['supported_parameters']
  return [
    listedModel({
      model,
      displayName: readText(entry['name']),
      contextWindow: readTokens(entry['context_length']),
      maxOutputTokens: readTokens(readObject(entry['top_provider'])['max_completion_tokens']),
      streaming: true,
      tools: readMention(parameters, 'tools'),
      vision: readMention(architecture['input_modalities'], 'image'),
      reasoning: readMention(parameters, 'reasoning'),
      structuredOutput: readMention(parameters, 'structured_outputs'),
      temperature: readMention(parameters, 'temperature'),
      prices: readPrices(readObject(entry['pricing'])),
    }),
  ]
}

function readEmbeddingModel(entry: JsonObject) {
  const model = readText(entry['id'])
  if (model === null) return []
  return [
    listedEmbeddingModel({
      model,
      displayName: readText(entry['name']),
      contextWindow: readTokens(entry['context_length']),
      prices: readPrices(readObject(entry['pricing'])),
    }),
  ]
}

function readPrices(pricing: JsonObject): DatedPrices {
  return {
    input: perMillion(pricing['prompt']),
    output: perMillion(pricing['completion']),
    cacheRead: perMillion(pricing['input_cache_read']),
    cacheWrite: perMillion(pricing['input_cache_write']),
    // Zero where reasoning costs what the rest of the answer costs.
    reasoning: perMillion(pricing['internal_reasoning']) || null,
    effectiveFrom: null,
  }
}

/** Prices are texts, per token; negative if the price depends on the model that is finally used. */
function perMillion(price: unknown): number | null {
  const text = readText(price)
  const value = text === null ? Number.NaN : Number(text)
  return Number.isFinite(value) && value >= 0 ? Number((value * 1_000_000).toPrecision(12)) : null
}
