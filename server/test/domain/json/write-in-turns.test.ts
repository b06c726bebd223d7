// Large JSON is written as JSON.stringify writes it, and holds the event loop for milliseconds.

import { expect, test } from 'vitest'
import { isLarge, JsonText, largeLength, lengthOfJson, writeJson } from '../../../src/domain/json/json-text.ts'
import { KeptList, KeptString } from '../../../src/domain/json/kept-json.ts'
import { LazyList } from '../../../src/domain/json/lazy-list.ts'
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
  numbers: [new Array(large).fill(0.1), [-0, Number.NaN, Number.NEGATIVE_INFINITY, 1e21]],
  'lists that are made when they are written': { a: new LazyList(large, at => ({ at })), b: new LazyList(0, at => at) },
  'many small texts': Array.from({ length: 90_000 }, (_, at) => ({ name: `n${at}`, text: '"quoted" words' })),
}

test.each(Object.entries(values))('%s', async (_name, value) => {
  const written = writeInTurns(value)
  expect(isLarge(value)).toBe(true)
  // A difference of this length would not be readable.
  expect(Buffer.from(await written).toString() === writeJson(value)).toBe(true)
})

test('texts and lists that came in pieces', async () => {
  const [text, list] = [new KeptString(), new KeptList()]
  for (const piece of ['"é', 'x'.repeat(large), '\ud83e', '']) text.add(piece)
  for (const piece of [['a'], [], new LazyList(2, at => at)]) list.add(piece)
  const value = { a: 'x'.repeat(large), text, list, none: [new KeptString(), new KeptList()] }
  expect(Buffer.from(await writeInTurns(value)).toString() === writeJson(value)).toBe(true)
})

test('the length of a value is that of its JSON without the escapes', () => {
  const value = { a: ['four', 'é'], b: new JsonText('{"five": 5}'), c: { d: -1.5, e: null, f: undefined, g: false } }
  for (const each of [value, [], {}, [[], {}], [1, 'two'], '', null, 12, [{ a: {} }]]) {
    expect(lengthOfJson(each)).toBe(writeJson(each).length)
  }
  expect(lengthOfJson('"\n')).toBe(4)
})

test.each([
  ['numbers', new Array(largeLength / 2).fill(0)],
  ['names', Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`name${at}`, at]))],
  ['the text of an object', new JsonText(`{"a":"${'x'.repeat(largeLength)}"}`)],
])('a value is large by its %s', (_name, value) => {
  expect(isLarge({ a: [value] })).toBe(true)
  expect(isLarge({ a: [] })).toBe(false)
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
