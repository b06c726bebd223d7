import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeCursor, encodeCursor, parsePage } from '../../src/domain/cursor.ts'
import { messageIn, valueIn } from './expect-checked.ts'

const shape = ['number', 'string'] as const
const cursor = encodeCursor([1000, 'id-1'])
const raw = (text: string) => Buffer.from(text).toString('base64url')

describe('a cursor', () => {
  test('comes back as the key it was made of', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }), (number, text) => {
        fc.pre(!text.includes('\0') && !Object.is(number, -0))
        expect(decodeCursor(encodeCursor([number, text]), shape)).toEqual([number, text])
      }),
    )
  })

  test.each([
    ['empty', ''],
    ['cut', cursor.slice(0, -1)],
    ['padded', `${cursor}=`],
    ['with white space', `${cursor} `],
    ['plain base64', Buffer.from('[1000,"i>?"]').toString('base64')],
    ['not base64', '!!!'],
    ['not JSON', raw('hello')],
    ['another layout', raw('[1000, "id-1"]')],
    ['an object', raw('{"0":1000,"1":"id-1","length":2}')],
    ['too few parts', raw('[1000]')],
    ['too many parts', raw('[1000,"id-1","x"]')],
    ['a text for a number', raw('["1000","id-1"]')],
    ['a number for a text', raw('[1000,5]')],
    ['an object for a text', raw('[1000,{"a":1}]')],
    ['a fraction', raw('[1.5,"id-1"]')],
    ['infinity', raw('[1e999,"id-1"]')],
    ['NUL', raw('[1000,"a\\u0000"]')],
    ['half a pair', raw('[1000,"\\ud800"]')],
    ['very long', encodeCursor([1000, 'x'.repeat(10_000)])],
  ])('%s is not one', (_name, text) => expect(decodeCursor(text, shape)).toBeNull())
})

describe('a page', () => {
  test.each([
    [{}, { limit: 50, after: null }],
    [{ limit: '1' }, { limit: 1, after: null }],
    [{ limit: '200' }, { limit: 200, after: null }],
    [{ cursor }, { limit: 50, after: [1000, 'id-1'] }],
  ])('%j', (query, page) => expect(valueIn(parsePage(query, shape))).toEqual(page))

  test.each<[object, string]>([
    ...['0', '201', '-1', '1.5', '', 'ten', '1e1', '0x10', ' 5', '9'.repeat(40), ['5', '6']].map(
      (limit): [object, string] => [{ limit }, 'limit must be an integer 1-200'],
    ),
    ...['', 'x', [cursor, cursor]].map((bad): [object, string] => [{ cursor: bad }, 'cursor is not valid']),
  ])('%j is refused', (query, message) => expect(messageIn(parsePage(query, shape))).toBe(message))
})
