// The prices that a tenant sets, of a model of its own provider or in place of the registry's: their description in
// bodies and responses, and their checks.

import { z } from 'zod'
import { accept, type Checked, refuse } from '../../domain/checked.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { type DatedPrices, hasNineDecimals, type ListedPrices, maxPriceUsd } from '../../domain/prices/listed-prices.ts'
import { isoTime, readIsoTime } from '../plane/iso-time.ts'

const requiredPrices = ['input', 'output'] as const
const prices = ['input', 'cached_input', 'cache_write', 'output', 'reasoning'] as const
type PriceField = (typeof prices)[number]
export const priceFields: readonly string[] = [...prices, 'effective_from']

const meanings: Record<PriceField, string> = {
  input: 'Prompt tokens',
  cached_input: 'Prompt tokens read from a cache; `input` where absent',
  cache_write: 'Prompt tokens written to a cache; `input` where absent',
  output: 'Generated tokens',
  reasoning: 'Generated tokens that are reasoning; `output` where absent',
}

const price = z.number().nullable()

/** Prices in responses. */
export const shownPrices = {
  input: price,
  cached_input: price,
  cache_write: price,
  output: price,
  reasoning: price,
  effective_from: z.string().nullable().meta({ description: 'When the prices begin; null if they always apply' }),
}

export function showPrices(listed: DatedPrices) {
  return {
    input: listed.input,
    cached_input: listed.cacheRead,
    cache_write: listed.cacheWrite,
    output: listed.output,
    reasoning: listed.reasoning,
    effective_from: listed.effectiveFrom,
  }
}

/** Their description in a request body, as a JSON schema. */
export const pricesInput = {
  type: 'object',
  required: requiredPrices,
  properties: {
    ...Object.fromEntries(prices.map(name => [name, describePrice(name)])),
    effective_from: {
      type: 'string',
      format: 'date-time',
      description: 'From when the prices apply, as an ISO 8601 time or date in UTC; at once where absent',
    },
  },
  description: 'USD per million tokens, by which usage is priced',
}

function describePrice(name: PriceField) {
  return { type: 'number', minimum: 0, maximum: maxPriceUsd, description: meanings[name] }
}

/** `prefix` is the path of the object in the body, which ends with a dot, or empty. */
export function checkPriceFields(given: JsonObject, prefix: string): Checked<DatedPrices> {
  for (const name of prices) {
    const usd = given[name] ?? (requiredPrices.some(required => required === name) ? null : 0)
    if (typeof usd !== 'number' || !(usd >= 0 && usd <= maxPriceUsd)) {
      return refuse(`${prefix}${name} must be a number of 0-${maxPriceUsd}`)
    }
    if (!hasNineDecimals(usd)) return refuse(`${prefix}${name} must have at most 9 decimal places`)
  }
  const { effective_from: wanted = null } = given
  const time = readIsoTime(wanted)
  if (wanted !== null && time === null) return refuse(`${prefix}effective_from must be an ISO 8601 time`)
  const priceOf = (name: PriceField) => (given[name] ?? null) as number | null
  const listed: ListedPrices = {
    input: priceOf('input'),
    output: priceOf('output'),
    cacheRead: priceOf('cached_input'),
    cacheWrite: priceOf('cache_write'),
    reasoning: priceOf('reasoning'),
  }
  return accept({ ...listed, effectiveFrom: isoTime(time?.millis ?? null) })
}
