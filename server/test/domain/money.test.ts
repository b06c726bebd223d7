import { describe, expect, test } from 'vitest'
import { type BilledTokens, costOf, estimateOf, maxCost, nanoUsdOf, type Prices } from '../../src/domain/money.ts'

/** Dollars for a million tokens, in nano-dollars. */
const usd = (dollars: number) => Math.round(dollars * 1e9)

const prices: Prices = {
  input: usd(3),
  cachedInput: usd(0.3),
  cacheWrite: usd(3.75),
  output: usd(15),
  reasoning: usd(18),
  steps: [],
}
const noTokens: BilledTokens = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

describe('the cost of an answer', () => {
  test('each kind of token costs its own price', () => {
    const tokens = { promptTokens: 1_000, cachedTokens: 600, cacheWriteTokens: 300, completionTokens: 50 }
    // 100 × 3,000 + 600 × 300 + 300 × 3,750 + 30 × 15,000 + 20 × 18,000 nano-dollars
    expect(costOf({ ...tokens, reasoningTokens: 20 }, prices)).toBe(2_415_000)
  })

  test('is rounded once, a half upwards', () => {
    const half = { ...prices, input: 500_000, output: 500_000 }
    expect(costOf({ ...noTokens, promptTokens: 1 }, half)).toBe(1)
    expect(costOf({ ...noTokens, promptTokens: 1 }, { ...half, input: 499_999 })).toBe(0)
    // Each part alone would be rounded up to 1.
    expect(costOf({ ...noTokens, promptTokens: 1, completionTokens: 1 }, half)).toBe(1)
    expect(costOf({ ...noTokens, promptTokens: 3 }, half)).toBe(2)
  })

  test('a part that is greater than its whole counts as the whole', () => {
    const tokens = { promptTokens: 10, cachedTokens: 8, cacheWriteTokens: 8, completionTokens: 10, reasoningTokens: 30 }
    expect(costOf(tokens, prices)).toBe(8 * 300 + 2 * 3_750 + 10 * 18_000)
    expect(costOf({ ...tokens, cachedTokens: 90 }, prices)).toBe(10 * 300 + 10 * 18_000)
  })

  test('a long prompt changes the prices of all tokens', () => {
    const step = { input: usd(6), cachedInput: usd(0.6), cacheWrite: usd(7.5), output: usd(22.5), reasoning: usd(22.5) }
    const stepped = {
      ...prices,
      steps: [
        { ...step, above: 1_000 },
        { ...step, above: 2_000, input: usd(9) },
      ],
    }
    const costAt = (promptTokens: number) => costOf({ ...noTokens, promptTokens, completionTokens: 10 }, stepped)
    expect(costAt(1_000)).toBe(1_000 * 3_000 + 10 * 15_000)
    expect(costAt(1_001)).toBe(1_001 * 6_000 + 10 * 22_500)
    expect(costAt(2_001)).toBe(2_001 * 9_000 + 10 * 22_500)
    expect(estimateOf(2_001, 10, stepped)).toBe(2_001 * 9_000 + 10 * 22_500)
  })

  test('equals a separate computation for numbers of every size', () => {
    const next = numbersFrom(7)
    for (let round = 0; round < 5_000; round++) {
      // From a few to 2^30 tokens, and from fractions to millions of dollars.
      const tokensUpTo = 2 ** (1 + (next() % 30))
      const priceUpTo = 10 ** (1 + (next() % 15))
      const price = () => Math.floor((next() / 2 ** 32) * priceUpTo)
      const random = {
        input: price(),
        cachedInput: price(),
        cacheWrite: price(),
        output: price(),
        reasoning: price(),
        steps: [],
      }
      const plain = next() % tokensUpTo
      const cachedTokens = next() % tokensUpTo
      const cacheWriteTokens = next() % tokensUpTo
      const said = next() % tokensUpTo
      const reasoningTokens = next() % tokensUpTo
      const promptTokens = plain + cachedTokens + cacheWriteTokens
      const completionTokens = said + reasoningTokens
      const exact =
        BigInt(plain) * BigInt(random.input) +
        BigInt(cachedTokens) * BigInt(random.cachedInput) +
        BigInt(cacheWriteTokens) * BigInt(random.cacheWrite) +
        BigInt(said) * BigInt(random.output) +
        BigInt(reasoningTokens) * BigInt(random.reasoning)
      const rounded = (2n * exact + 1_000_000n) / 2_000_000n
      const expected = rounded > BigInt(maxCost) ? BigInt(maxCost) : rounded
      const tokens = { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens }
      expect(BigInt(costOf(tokens, random)), JSON.stringify({ tokens, random })).toBe(expected)
      expect(estimateOf(promptTokens, completionTokens, random)).toBeGreaterThanOrEqual(Number(expected))
    }
  })

  test('no answer costs more than the maximum', () => {
    const dear = { ...prices, input: usd(1_000_000) }
    expect(costOf({ ...noTokens, promptTokens: 1_000_000_000 }, dear)).toBe(maxCost)
    expect(costOf({ ...noTokens, promptTokens: 11_000 }, dear)).toBe(maxCost)
    expect(costOf({ ...noTokens, promptTokens: 9_999 }, dear)).toBe(9_999_000_000_000)
  })
})

describe('the estimate of a request', () => {
  test('is what its tokens cost at their dearest, rounded up', () => {
    expect(estimateOf(100, 10, prices)).toBe(100 * 3_750 + 10 * 18_000)
    expect(estimateOf(1, 0, { ...prices, cachedInput: 0, cacheWrite: 0, input: 1 })).toBe(1)
    expect(estimateOf(0, 0, prices)).toBe(0)
  })
})

describe('dollars that a provider reports', () => {
  test.each([
    [0, 0],
    [0.00014, 140_000],
    [1.25e-7, 125],
    [5e-10, 1],
    [4.9e-10, 0],
    [5e-324, 0],
    // In floating point, a billion times this is 7.499999999999999.
    [7.5e-9, 8],
    [1.0000000005, 1_000_000_001],
    [9_999.999999999, 9_999_999_999_999],
    [10_000, maxCost],
    [3_144_000, maxCost],
    [1e300, maxCost],
    [Number.POSITIVE_INFINITY, maxCost],
  ])('%d dollars are %d nano-dollars', (dollars, nano) => {
    expect(nanoUsdOf(dollars)).toBe(nano)
  })

  test('are rounded by their decimal digits, where a product in floating point is not', () => {
    let differences = 0
    for (let tenths = 5; tenths < 200_000; tenths += 10) {
      // Its decimal digits end in a half nano-dollar.
      const dollars = Number(`${tenths}e-10`)
      expect(nanoUsdOf(dollars)).toBe((tenths + 5) / 10)
      if (Math.round(dollars * 1e9) !== (tenths + 5) / 10) differences++
    }
    expect(differences).toBeGreaterThan(0)
  })
})

/** The same sequence at each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // The lowest bits alone would repeat soon.
    return (state ^ (state >>> 15)) >>> 0
  }
}
