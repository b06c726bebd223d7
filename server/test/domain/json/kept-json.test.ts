// Texts and lists that are kept as JSON are written as JSON.stringify writes them, however they came.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeJson, writeJsonPieces } from '../../../src/domain/json/json-text.ts'
import { KeptList, KeptString } from '../../../src/domain/json/kept-json.ts'

const joined = (value: unknown) =>
  Buffer.concat(writeJsonPieces(value).map(piece => Buffer.from(piece as string))).toString()

it('keeps a text of pieces', () => {
  const pieces = fc.array(fc.string({ unit: 'binary', maxLength: 9 }), { maxLength: 5 })
  fc.assert(
    fc.property(pieces, fc.constantFrom(1, 15_000), (some, times) => {
      const text = new KeptString()
      const all = some.flatMap(piece => [piece.repeat(times), '"'])
      for (const piece of all) text.add(piece)
      const value = { before: '\\u0041', text, after: [text, 1] }
      const same = { before: '\\u0041', text: all.join(''), after: [all.join(''), 1] }
      expect(text.whole()).toBe(all.join(''))
      expect(JSON.parse(joined(value))).toEqual(same)
      expect(writeJson(value)).toBe(JSON.stringify(same))
      expect(JSON.stringify(value)).toBe(JSON.stringify(same))
    }),
    { numRuns: 20 },
  )
})

it('keeps a pair of surrogates that came in two pieces', () => {
  const text = new KeptString()
  text.add(`${'a'.repeat(70_000)}\ud83e`)
  text.add('\udd8a')
  expect(text.whole()).toBe(`${'a'.repeat(70_000)}🦊`)
  expect(JSON.parse(joined([text]))).toEqual([`${'a'.repeat(70_000)}🦊`])
})

it('keeps a list that comes in parts', () => {
  const list = new KeptList()
  expect(joined({ list })).toBe('{"list":[]}')
  list.add([1, { a: 'b' }])
  list.add([])
  list.add(['c'])
  expect(joined({ list })).toBe('{"list":[1,{"a":"b"},"c"]}')
  expect(JSON.stringify({ list })).toBe('{"list":[1,{"a":"b"},"c"]}')
})
