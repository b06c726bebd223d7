// Money as whole nano-dollars: what an answer costs, and the most that a request can cost. Each cost is computed
// exactly and rounded once. Must not compute with fractions of a nano-dollar in floating point.

/** A safe integer of at least 0. */
export type NanoUsd = number

/** For a million tokens each, in nano-dollars: a dollar for a million is 1,000 nano-dollars for one. */
export interface TokenPrices {
  /** The cost of prompt tokens that no cache is concerned with. */
  input: NanoUsd
  /** The cost of prompt tokens that the provider read from its cache. */
  cachedInput: NanoUsd
  /** The cost of prompt tokens that the provider wrote to its cache. */
  cacheWrite: NanoUsd
  output: NanoUsd
  /** The cost of the generated tokens that are reasoning. */
  reasoning: NanoUsd
}

export interface Prices extends TokenPrices {
  /** What all tokens cost if the prompt has more tokens than `above`. In ascending order. */
  steps: readonly (TokenPrices & { above: number })[]
}

export interface BilledTokens {
  /** Includes those read from a cache and those written to one. */
  promptTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  /** Includes reasoning. */
  completionTokens: number
  reasoningTokens: number
}

const tokensPerPrice = 1_000_000

/** In dollars. No real answer costs that much, and the costs of several hundred answers add up to a safe integer. */
const maxCostUsd = 10_000
/** What one request costs at most, whatever its provider reports. */
export const maxCost: NanoUsd = maxCostUsd * 1_000_000_000

/** What an answer costs: a half is rounded up, and a part that is greater than its whole counts as the whole. */
export function costOf(tokens: BilledTokens, prices: Prices): NanoUsd {
  const { promptTokens, completionTokens } = tokens
  const { input, cachedInput, cacheWrite, output, reasoning } = pricesFor(promptTokens, prices)
  const cachedTokens = Math.min(tokens.cachedTokens, promptTokens)
  const writtenTokens = Math.min(tokens.cacheWriteTokens, promptTokens - cachedTokens)
  const reasoningTokens = Math.min(tokens.reasoningTokens, completionTokens)
  const products: Product[] = [
    [promptTokens - cachedTokens - writtenTokens, input],
    [cachedTokens, cachedInput],
    [writtenTokens, cacheWrite],
    [completionTokens - reasoningTokens, output],
    [reasoningTokens, reasoning],
  ]
  return sumOf(products, tokensPerPrice / 2)
}

/** The most that an answer can cost, by whole numbers of tokens. Rounded up. */
export function estimateOf(promptTokens: number, maxCompletionTokens: number, prices: Prices): NanoUsd {
  const { input, cachedInput, cacheWrite, output, reasoning } = pricesFor(promptTokens, prices)
  const products: Product[] = [
    [promptTokens, Math.max(input, cachedInput, cacheWrite)],
    [maxCompletionTokens, Math.max(output, reasoning)],
  ]
  return sumOf(products, tokensPerPrice - 1)
}

function pricesFor(promptTokens: number, prices: Prices): TokenPrices {
  return prices.steps.findLast(({ above }) => promptTokens > above) ?? prices
}

/** Tokens, and what a million of them costs. */
type Product = readonly [tokens: number, price: NanoUsd]

/** `roundBy` is added before the fraction of a nano-dollar is cut off. */
function sumOf(products: readonly Product[], roundBy: number): NanoUsd {
  let sum = roundBy
  for (const [tokens, price] of products) sum += tokens * price
  // Exact if it is safe: no step on the way was greater.
  if (Number.isSafeInteger(sum)) return Math.min((sum - (sum % tokensPerPrice)) / tokensPerPrice, maxCost)
  let exact = BigInt(roundBy)
  for (const [tokens, price] of products) exact += BigInt(tokens) * BigInt(price)
  return bounded(exact / BigInt(tokensPerPrice))
}

/**
 * Dollars as nano-dollars, rounded half up by their decimal digits: a product in floating point would round some halves
 * down.
 */
export function nanoUsdOf(usd: number): NanoUsd {
  if (usd >= maxCostUsd) return maxCost
  // The fewest digits that stand for this number, such as `1.25e-7`.
  const [digits = '', exponent = ''] = usd.toExponential().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const significand = BigInt(whole + fraction)
  const places = Number(exponent) + 9 - fraction.length
  if (places >= 0) return Number(significand * 10n ** BigInt(places))
  const divisor = 10n ** BigInt(-places)
  return Number((significand + divisor / 2n) / divisor)
}

function bounded(cost: bigint): NanoUsd {
  return cost < BigInt(maxCost) ? Number(cost) : maxCost
}
