// One page of a provider's model list as we keep it, and how single fields of such a page are read: what has not the
// expected shape is not known. Knows no provider.

import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'

/** Null throughout: the list does not say. */
export interface ListedModel {
  /** The name that the provider itself uses. */
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
  /** Such as `deprecated`. */
  status: string | null
  prices: ListedPrices | null
}

/** USD per million tokens. */
export interface ListedPrices {
  input: number | null
  output: number | null
  cacheRead: number | null
  cacheWrite: number | null
}

export interface ModelPage {
  models: ListedModel[]
  /** What the next page's query adds to the first one's; null on the last page. */
  next: Record<string, string> | null
}

/** Null where the body is no page of this format. */
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
  status: null,
  prices: null,
}

/** A model of which only the given facts are known. */
export function listedModel(facts: Partial<ListedModel> & { model: string }): ListedModel {
  return { ...unknownModel, ...facts }
}

/** The objects in a list; null where it is none. */
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

/** Whether a list names something; null where there is no list. */
export function readMention(list: unknown, word: string): boolean | null {
  return Array.isArray(list) ? list.includes(word) : null
}

const maxTokens = 1_000_000_000

export function readTokens(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxTokens ? Number(value) : null
}
