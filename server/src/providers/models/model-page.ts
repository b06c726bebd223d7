// One page of a provider's model list in our own form, and how its fields are read: a value of unexpected shape counts
// as unknown.

import type { ModelSurface } from '../../domain/conversation/model-surfaces.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { DatedPrices } from '../../domain/prices/listed-prices.ts'

/** Null always means that the list does not contain the fact. */
export interface ListedModel {
  /** The provider's own name of the model. */
  model: string
  displayName: string | null
  contextWindow: number | null
  maxOutputTokens: number | null
  streaming: boolean | null
  tools: boolean | null
  vision: boolean | null
  reasoning: boolean | null
  structuredOutput: boolean | null
  temperature: boolean | null
  /** What it answers; null for chat models. */
  surfaces: readonly ModelSurface[] | null
  /** For example `deprecated`. */
  status: string | null
  prices: DatedPrices | null
}

export interface ModelPage {
  models: ListedModel[]
  /** What the next page adds to the first page's query; null on the last page. */
  next: Record<string, string> | null
}

/** Null if the body is not a page of this format. */
export type ModelListFormat = (body: JsonObject) => ModelPage | null

const unknownModel: Omit<ListedModel, 'model'> = {
  displayName: null,
  contextWindow: null,
  maxOutputTokens: null,
  streaming: null,
  tools: null,
  vision: null,
  reasoning: null,
  structuredOutput: null,
  temperature: null,
  surfaces: null,
  status: null,
  prices: null,
}

/** A model with only the given facts known. */
export function listedModel(facts: Partial<ListedModel> & { model: string }): ListedModel {
  return { ...unknownModel, ...facts }
}

/** A model that turns texts into vectors and does nothing else. */
export function listedEmbeddingModel(facts: Partial<ListedModel> & { model: string }): ListedModel {
  const cannot = { streaming: false, tools: false, reasoning: false, structuredOutput: false }
  return listedModel({ ...cannot, ...facts, surfaces: ['embeddings'] })
}

/** The objects of a list; null if it is not a list. */
export function readObjects(value: unknown): JsonObject[] | null {
  return Array.isArray(value) ? value.filter(isJsonObject) : null
}

export function readObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function readFlag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** Whether a list contains a word; null without a list. */
export function readMention(list: unknown, word: string): boolean | null {
  return Array.isArray(list) ? list.includes(word) : null
}

const maxTokens = 1_000_000_000

export function readTokens(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxTokens ? Number(value) : null
}
