// Tests that a JSON text is read as the same lines as the value that is parsed from it, and that a repeated member hides
// nothing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonText } from '../../src/domain/json/json-text.ts'
import { linesOf } from '../../src/guardrails/value-lines.ts'
import { finish } from '../support/finish.ts'

const names = fc.constantFrom('type', 'a', 'properties', 'n'.repeat(25), '', 'é"')
const value = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('text', 'said', 1, true, null, '"'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
})).value

test('a text has the lines of its value', () => {
  fc.assert(
    fc.property(fc.dictionary(names, value, { maxKeys: 4 }), object => {
      const parsed = finish(linesOf([{ schema: object }]))
      expect(finish(linesOf([{ schema: JsonText.of(object) }]))).toEqual(parsed)
    }),
  )
})

test('all values of a repeated member are read', () => {
  const text = new JsonText('{"description":"first","description":"second"}')
  expect(finish(linesOf([{ schema: text }]))).toEqual(['schema', 'description: first', 'description: second'])
})
