// Prices as people and providers list them: in dollars for a million tokens, with unknown ones, and from when they are
// in force. The JSON of the model registry and of tenants' own models has this form.

import { isJsonObject, type JsonObject } from '../json-object.ts'
import type { NanoUsd, Prices, TokenPrices } from '../money.ts'

/** Null if unknown. */
export interface ListedPrices {
  input: number | null
  output: number | null
  cacheRead: number | null
  cacheWrite: number | null
  reasoning: number | null
}

export interface DatedPrices extends ListedPrices {
  /** ISO 8601; always in force if null. */
  effectiveFrom: string | null
}

/** What a model costs over time, in ascending order of `from`, in epoch ms. */
export type PriceSchedule = readonly { from: number; prices: Prices | null }[]

export const noPrices: ListedPrices = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null }

/** Reads prices and their later `changes`, each of which replaces all prices from its `effectiveFrom` on. */
export function readPriceSchedule(value: unknown): PriceSchedule {
  return readEntries(value).map(({ from, entry }) => ({ from, prices: readPrices(entry) }))
}

/** Null if the model has no price at that time. */
export function pricesAt(schedule: PriceSchedule, now: number): Prices | null {
  return schedule.findLast(({ from }) => from <= now)?.prices ?? null
}

/** The prices that are in force at that time, as they are listed. */
export function listedPricesAt(value: unknown, now: number): ListedPrices {
  const inForce = readEntries(value).findLast(({ from }) => from <= now)
  return inForce === undefined ? noPrices : readListedPrices(inForce.entry)
}

export function readDatedPrices(entry: JsonObject): DatedPrices {
  const { effectiveFrom } = entry
  return { ...readListedPrices(entry), effectiveFrom: typeof effectiveFrom === 'string' ? effectiveFrom : null }
}

function readListedPrices(entry: JsonObject): ListedPrices {
  return {
    input: readUsd(entry['input']),
    output: readUsd(entry['output']),
    cacheRead: readUsd(entry['cacheRead']),
    cacheWrite: readUsd(entry['cacheWrite']),
    reasoning: readUsd(entry['reasoning']),
  }
}

function readEntries(value: unknown): { from: number; entry: JsonObject }[] {
  if (!isJsonObject(value)) return []
  const changes = Array.isArray(value['changes']) ? value['changes'] : []
  return [value, ...changes]
    .filter(isJsonObject)
    .map(entry => ({ from: readTime(entry['effectiveFrom']), entry }))
    .filter(({ from }) => !Number.isNaN(from))
    .sort((a, b) => a.from - b.from)
}

function readTime(value: unknown): number {
  if (value === undefined || value === null) return Number.NEGATIVE_INFINITY
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}

/** Null if the price of the prompt or of the answer is unknown. */
function readPrices(entry: JsonObject): Prices | null {
  const listed = readListedPrices(entry)
  const { input, output } = listed
  if (input === null || output === null) return null
  const base = priceTokens({ ...listed, input, output })
  const steps = Array.isArray(entry['steps']) ? entry['steps'].filter(isJsonObject) : []
  return { ...base, steps: steps.flatMap(step => readStep(step, base)).sort((a, b) => a.above - b.above) }
}

type KnownPrices = ListedPrices & { input: number; output: number }

/** Without a price of its own, a cached token costs what another one costs, and reasoning what the answer costs. */
function priceTokens({ input, output, cacheRead, cacheWrite, reasoning }: KnownPrices): TokenPrices {
  return {
    input: toNano(input),
    cachedInput: toNano(cacheRead ?? input),
    cacheWrite: toNano(cacheWrite ?? input),
    output: toNano(output),
    reasoning: toNano(reasoning ?? output),
  }
}

/** A step lists the prices of prompt and answer only: the others rise as these do. */
function readStep(step: JsonObject, base: TokenPrices): (TokenPrices & { above: number })[] {
  const above = step['above']
  const { input, output, ...others } = readListedPrices(step)
  if (typeof above !== 'number' || input === null || output === null) return []
  const listed = priceTokens({ input, output, ...others })
  const scaled = {
    cachedInput: others.cacheRead === null ? scale(base.cachedInput, base.input, listed.input) : listed.cachedInput,
    cacheWrite: others.cacheWrite === null ? scale(base.cacheWrite, base.input, listed.input) : listed.cacheWrite,
    reasoning: others.reasoning === null ? scale(base.reasoning, base.output, listed.output) : listed.reasoning,
  }
  return [{ ...listed, ...scaled, above }]
}

function scale(price: NanoUsd, from: NanoUsd, to: NanoUsd): NanoUsd {
  return from === 0 ? to : Math.round((price / from) * to)
}

/** The greatest price of a million tokens, in dollars. */
export const maxPriceUsd = 1_000_000
const nanoPerUsd = 1_000_000_000

function readUsd(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= maxPriceUsd ? value : null
}

/** Exact for prices with at most nine decimal places. */
function toNano(usd: number): NanoUsd {
  return Math.round(usd * nanoPerUsd)
}

export function hasNineDecimals(usd: number): boolean {
  return toNano(usd) / nanoPerUsd === usd
}
