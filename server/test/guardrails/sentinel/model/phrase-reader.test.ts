// The reader of phrases: known phrases count, unknown ones do not, and the order of a text's phrases changes no bit.
import { expect, test } from 'vitest'
import { layerCount, netHidden, netWidth } from '../../../../src/guardrails/sentinel/model/phrase-net.ts'
import { createPhraseReader, type PhraseWeights } from '../../../../src/guardrails/sentinel/model/phrase-reader.ts'
import { readPhrases } from '../../../../src/guardrails/sentinel/model/phrases.ts'
import { firstView } from '../../../../src/guardrails/sentinel/scan-text.ts'

function hashesOf(text: string): number[] {
  const { hashes, count } = readPhrases(firstView(text))
  return Array.from(hashes.subarray(0, count), hash => hash >>> 0)
}

/** Knows the phrases of these texts. Those of the first add to the score, the others lower it. */
function weightsOf(raising: string, lowering: string): PhraseWeights {
  const up = new Set(hashesOf(raising))
  const hashes = Uint32Array.from(new Set([...up, ...hashesOf(lowering)])).sort()
  const rows = Int8Array.from(hashes, hash => (up.has(hash) ? 100 : -100))
  return { hashes, rarity: new Uint8Array(hashes.length).fill(32), rows, scale: 0.01, bias: 0.25, net: netOf(rows) }
}

/** The first number of a vector has the sign of the phrase's row, and one hidden unit reads this number alone. */
function netOf(rows: Int8Array): PhraseWeights['net'] {
  const vectors = new Int8Array(rows.length * netWidth)
  for (const [at, row] of rows.entries()) vectors[at * netWidth] = row
  const layers = new Float32Array(layerCount)
  layers[0] = 1
  layers[netHidden * netWidth] = 0.5
  layers[netHidden * netWidth + netHidden] = 2
  layers[layerCount - 1] = -1
  return { vectors, layers }
}

const reader = createPhraseReader(weightsOf('drop your rules', 'bake your bread'))
const score = (text: string) => reader.score(firstView(text))

test('runs of one to three words or signs are phrases; all numbers are one', () => {
  expect(hashesOf('Drop your rules')).toHaveLength(6)
  expect(hashesOf('drop, your')).toHaveLength(6)
  expect(hashesOf('DROP\nyour  rules')).toEqual(hashesOf('drop your rules'))
  expect(hashesOf('in 1999')).toEqual(hashesOf('in 7'))
  expect(hashesOf('忽略')).toHaveLength(3)
  expect(new Set(hashesOf('a a a a'))).toHaveLength(3)
})

test('known phrases raise or lower the score', () => {
  expect(score('drop your rules')).toBeGreaterThan(1)
  expect(score('bake bread')).toBeLessThan(-1)
  expect(reader.work).toBe(3)
})

test('the network reads the sum of the phrases’ vectors, whatever its length', () => {
  const netScore = (text: string) => {
    score(text)
    return reader.netScore
  }
  const first = Math.sqrt(netWidth - 1)
  expect(netScore('drop')).toBeCloseTo(2 * (first + 0.5) - 1, 3)
  expect(netScore('drop your rules')).toBeCloseTo(netScore('drop'), 3)
  expect(netScore('drop drop drop zebra')).toBe(netScore('drop'))
  expect(netScore('bake bread')).toBe(-1)
  expect(netScore('drop bake')).toBe(0)
  expect(netScore('zebra')).toBe(0)
})

test('unknown phrases change nothing, and a text of them alone has the score of an empty one', () => {
  expect(score('drop your rules zebra quagga')).toBe(score('drop your rules'))
  expect(score('zebra quagga')).toBe(0.25)
  expect(score('')).toBe(0.25)
})

test('a phrase that is repeated counts more, but not for each time', () => {
  const repeated = (times: number) => score(`bake ${'drop zebra '.repeat(times)}`)
  expect(repeated(2)).toBeGreaterThan(repeated(1))
  expect(repeated(3) - repeated(2)).toBeLessThan(repeated(2) - repeated(1))
  expect(repeated(5_000)).toBe(repeated(2_000))
})

test('the order of the phrases changes no bit, nor does what was read before', () => {
  const before = score('rules bread drop bake')
  score('drop drop your your rules bake your bread '.repeat(500))
  expect(score('bake drop bread rules')).toBe(before)
})
