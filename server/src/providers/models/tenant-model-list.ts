// The list of models of a tenant's provider, as JSON: its rows and the store's documents hold it in this form. Facts
// that are unknown are left out.

import { readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { readDatedPrices } from '../../domain/prices/listed-prices.ts'
import { type ListedModel, listedModel, readFlag, readText, readTokens } from './model-page.ts'

export function writeTenantModels(models: readonly ListedModel[]): string {
  return JSON.stringify(models, (_, value: unknown) => value ?? undefined)
}

/** Null if it is not such a list. */
export function readTenantModels(value: unknown): ListedModel[] | null {
  if (!Array.isArray(value)) return null
  const models = value.map(readModel)
  return models.every(model => model !== null) ? models : null
}

export function parseTenantModels(text: string): ListedModel[] {
  const models = readTenantModels(parseJson(text))
  if (models === null) throw new Error('the models of a provider are not readable')
  return models
}

function readModel(value: unknown): ListedModel | null {
  if (!isJsonObject(value)) return null
  const model = readText(value['model'])
  if (model === null) return null
  return listedModel({
    model,
    displayName: readText(value['displayName']),
    contextWindow: readTokens(value['contextWindow']),
    maxOutputTokens: readTokens(value['maxOutputTokens']),
    streaming: readFlag(value['streaming']),
    tools: readFlag(value['tools']),
    vision: readFlag(value['vision']),
    reasoning: readFlag(value['reasoning']),
    structuredOutput: readFlag(value['structuredOutput']),
    temperature: readFlag(value['temperature']),
    surfaces: Array.isArray(value['surfaces']) ? readModelSurfaces(value) : null,
    status: readText(value['status']),
    prices: isJsonObject(value['prices']) ? readDatedPrices(value['prices']) : null,
  })
}
