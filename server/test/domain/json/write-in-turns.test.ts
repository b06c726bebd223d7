// Large JSON is written as JSON.stringify writes it, and holds the event loop for milliseconds.

import { expect, test } from 'vitest'
import { isLonger, JsonText, writeJson } from '../../../src/domain/json/json-text.ts'
import { writeInTurns } from '../../../src/domain/json/write-in-turns.ts'
import { longestHoldMs, processorSlowness } from '../../support/slowness.ts'

const maxHoldMs = 50
const bodyBytes = 9_500_000
const large = 300_000

const values: Record<string, unknown> = {
  text: 'some words '.repeat(large),
  'pairs of surrogates, cut in the middle': `a${'🦊'.repeat(large)}`,
  'halves of pairs': `${'\ud83e'.repeat(large)}${'\udd8a'.repeat(large)}`,
  'escapes and letters beyond ASCII': '"\\\n\u0000é東\u2028'.repeat(large),
  'a list': [undefined, null, true, -0, 1e21, Number.NaN, () => 1, [], {}, ['x'.repeat(large)]],
  'an object': { b: undefined, '': {}, 10: 'x', 2: 'y', toString: 'a', nested: { text: 'x'.repeat(large), c: [[]] } },
  'other objects': {
    at: new Date(0),
    digits: JSON.rawJSON('1.00'),
    x: 'x'.repeat(large),
  },
  'texts of objects': { a: new JsonText(`{"n": 1.0, "t": "${'x'.repeat(large)}"}`), b: [new JsonText('{"m":1e2}')] },
  'many small texts': Array.from({ length: 90_000 }, (_, at) => ({ name: `n${at}`, text: '"quoted" words' })),
}

test.each(Object.entries(values))('%s', async (_name, value) => {
  const written = writeInTurns(value)
  expect(isLonger(value, large - 1)).toBe(true)
  // A difference of this length would not be readable.
  expect(Buffer.from(await written).toString() === writeJson(value)).toBe(true)
})

test('the length of a value is that of its texts', () => {
  const value = { a: ['four'], b: new JsonText('{"five":5}'), c: { d: 1, e: null } }
  expect(isLonger(value, 20)).toBe(false)
  expect(isLonger(value, 10)).toBe(true)
})

test.each([
  ['quotes', '"'],
  ['halves of surrogate pairs', '\ud83e'],
  ['letters beyond ASCII', 'é東🦊'],
])('a text of %s', async (_name, unit) => {
  const text = unit.repeat(bodyBytes / (Buffer.byteLength(JSON.stringify(unit)) - 2))
  const runs: number[] = []
  for (let run = 0; run < 3; run++) runs.push(await longestHoldMs(async () => await writeInTurns({ a: text })))
  expect(Math.min(...runs) / processorSlowness()).toBeLessThan(maxHoldMs)
})
