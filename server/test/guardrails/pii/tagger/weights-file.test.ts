// The file of weights: small, whole, and refused with a clear word where it is not what this program needs.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTagger } from '../../../../src/guardrails/pii/tagger/tagger.ts'
import { readWeights, writeWeights } from '../../../../src/guardrails/pii/tagger/weights-file.ts'

const file = readFileSync(new URL('../../../../src/guardrails/pii/tagger/weights.bin', import.meta.url))

function changed(at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(file)
  copy[at] = change(copy[at] ?? 0)
  return copy
}

test('the file is below 3 MB and is read', () => {
  expect(file.length).toBeLessThan(3 * 1024 * 1024)
  expect(createTagger(readWeights(file)).tag('I met Margarethe Lindqvist.')).toHaveLength(1)
})

test.each([
  ['cut short', file.subarray(0, file.length - 1), /corrupt/],
  ['with one bit turned in the weights', changed(5_000, byte => byte ^ 1), /corrupt/],
  ['with one bit turned in the words', changed(file.length - 3, byte => byte ^ 64), /corrupt/],
  ['with another number of rows', changed(12, byte => byte ^ 1), /corrupt/],
  ['of another version', changed(4, byte => byte + 1), /version/],
  ['that is something else', Buffer.from('{"not":"weights"}'.repeat(20)), /no such file/],
  ['that is empty', Buffer.alloc(0), /no such file/],
])('a file %s is refused', (_what, bytes, message) => {
  expect(() => readWeights(bytes)).toThrow(message)
})

test('what is written is read: small weights beside large ones, moves, words and cuts', () => {
  const rows = Float32Array.from({ length: 4 * 8 }, (_, at) => (at % 8 === 7 ? 0 : at === 3 ? -4 : at * 0.001))
  const written = writeWeights({
    lexiconKeys: Int32Array.of(-7, 12, 900),
    lexiconBits: Uint16Array.of(1, 2, 65_535),
    rows,
    moves: new Float32Array(64).fill(0.5),
    cuts: [0.25, 0.75],
  })
  const read = readWeights(written)
  expect(read.cuts).toEqual([0.25, 0.75])
  expect(read.mask).toBe(3)
  for (const [at, weight] of rows.entries()) {
    expect(Math.abs((read.rows[at] ?? 0) * read.scale - weight)).toBeLessThan(0.003 + Math.abs(weight) * 0.1)
  }
  expect(read.moves[1]).toBeCloseTo(Math.exp(0.5))
  expect(read.moves[2]).toBe(0)
})
