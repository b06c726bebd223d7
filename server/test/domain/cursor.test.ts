import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getPage } from '../../src/domain/cursor.ts'

type List = Parameters<typeof getPage>[1]['list']
const listed = (...list: List) => ({ list, key: ['number', 'string'] }) as const
const shape = listed('things', 'project-1')
const { cursorAfter } = getPage({}, shape)
const cursor = cursorAfter([1000, 'id-1'])
const [mark] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
/** As a cursor is made, of anything. */
const raw = (text: string) => Buffer.from(text.replace('MARK', mark)).toString('base64url')
const after = (text: unknown, of = shape) => getPage({ cursor: text }, of).after
const refusal = (param: string, message: string) =>
  expect.objectContaining({ code: 'validation_failed', details: { param, message } })
const invalid = refusal('cursor', 'cursor is not valid')

describe('a cursor', () => {
  test('comes back as the key it was made of', () => {
    expect(raw('["MARK",1000,"id-1"]')).toBe(cursor)
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }), (number, text) => {
        fc.pre(!text.includes('\0') && !Object.is(number, -0))
        expect(after(cursorAfter([number, text]))).toEqual([number, text])
      }),
    )
  })

  test.each([
    ['empty', ''],
    ['cut', cursor.slice(0, -1)],
    ['padded', `${cursor}=`],
    ['with white space', `${cursor} `],
    ['plain base64', Buffer.from(`["${mark}",1000,"i>?"]`).toString('base64')],
    ['not base64', '!!!'],
    ['not JSON', raw('hello')],
    ['another layout', raw('["MARK",1000, "id-1"]')],
    ['an object', raw('{"0":"MARK","1":1000,"2":"id-1","length":3}')],
    ['too few parts', raw('["MARK",1000]')],
    ['too many parts', raw('["MARK",1000,"id-1","x"]')],
    ['without its list', raw('[1000,"id-1"]')],
    ['of a list that is no text', raw('[1,1000,"id-1"]')],
    ['a text for a number', raw('["MARK","1000","id-1"]')],
    ['a number for a text', raw('["MARK",1000,5]')],
    ['an object for a text', raw('["MARK",1000,{"a":1}]')],
    ['a fraction', raw('["MARK",1.5,"id-1"]')],
    ['infinity', raw('["MARK",1e999,"id-1"]')],
    ['NUL', raw('["MARK",1000,"a\\u0000"]')],
    ['half a pair', raw('["MARK",1000,"\\ud800"]')],
    ['very long', cursorAfter([1000, 'x'.repeat(10_000)])],
  ])('%s is not one', (_name, text) => expect(() => after(text)).toThrow(invalid))

  test('is one of its own list alone', () => {
    expect(after(cursor, listed('things', 'project-1'))).toEqual([1000, 'id-1'])
    const others: List[] = [['things'], ['things', 'project-2'], ['things', 'project-1', ''], ['other', 'project-1']]
    for (const other of others) expect(() => after(cursor, listed(...other)), other.join()).toThrow(invalid)
  })
})

describe('a page', () => {
  test.each([
    [{}, { limit: 50, after: null }],
    [{ limit: '1' }, { limit: 1, after: null }],
    [{ limit: '200' }, { limit: 200, after: null }],
    [{ cursor }, { limit: 50, after: [1000, 'id-1'] }],
  ])('%j', (query, page) => expect(getPage(query, shape)).toMatchObject(page))

  test.each(['0', '201', '-1', '1.5', '', 'ten', '1e1', '0x10', ' 5', '9'.repeat(40), ['5', '6']])(
    'a limit of %j is refused',
    limit => expect(() => getPage({ limit }, shape)).toThrow(refusal('limit', 'limit must be an integer 1-200')),
  )

  test('two cursors are refused', () => expect(() => after([cursor, cursor])).toThrow(invalid))
})
