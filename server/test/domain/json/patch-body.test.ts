import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { patchBody } from '../../../src/domain/json/patch-body.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'

const patch = (text: string, changes: JsonObject) => {
  const bytes = Buffer.from(`xx${text}`).subarray(2)
  return patchBody(bytes, changes)?.toString() ?? null
}

describe('patchBody', () => {
  test.each<[string, string, JsonObject, string]>([
    ['keeps everything without a change', ' { "a" : 1.0 }\n', {}, ' { "a" : 1.0 }\n'],
    ['replaces a value in place', '{"a":1,"model":"x","b":2}', { model: 'y' }, '{"a":1,"model":"y","b":2}'],
    ['adds what is missing', '{"a":1}', { b: [2], c: { d: null } }, '{"a":1,"b":[2],"c":{"d":null}}'],
    ['adds to an empty object', ' {\n} ', { a: 'ü' }, ' {"a":"ü"\n} '],
    [
      'keeps a value that is the same',
      '{"a":1e2,"b":["\\u0061"], "c":1e2}',
      { a: 100, b: ['a'], c: 101 },
      '{"a":1e2,"b":["\\u0061"], "c":101}',
    ],
    ['replaces by null', '{"a":1}', { a: null }, '{"a":null}'],
    [
      'keeps numbers',
      '{"n":[1.0,1e3,-0,12345678901234567890],"m":1}',
      { m: 2 },
      '{"n":[1.0,1e3,-0,12345678901234567890],"m":2}',
    ],
    ['keeps white space', '{ "a" :\t1 ,\r\n "b" : 2 }', { a: 3 }, '{ "a" :\t3 ,\r\n "b" : 2 }'],
    ['replaces an object', '{"a":{"b":[{}]} ,"c":0}', { a: 1 }, '{"a":1 ,"c":0}'],
    ['leaves inner members', '{"in":{"a":1,"b":[{"a":2}]},"a":3}', { a: undefined }, '{"in":{"a":1,"b":[{"a":2}]}}'],
    ['ignores names inside strings', '{"t":"\\",\\"a\\":1","a":2}', { a: 3 }, '{"t":"\\",\\"a\\":1","a":3}'],
    ['knows a name by its escapes', '{"\\u0061b":1}', { ab: 2 }, '{"\\u0061b":2}'],
    ['knows a name of several bytes', '{"ü":1,"b":"ü"}', { ü: 2, b: 3 }, '{"ü":2,"b":3}'],
    ['adds names that objects inherit', '{"a":1}', { constructor: 2 }, '{"a":1,"constructor":2}'],
    ['keeps names that objects inherit', '{"toString":1,"a":1}', { a: 2 }, '{"toString":1,"a":2}'],
    ['removes the first', '{ "a":1, "b":2 }', { a: undefined }, '{ "b":2 }'],
    ['removes the last', '{ "a":1, "b":2 }', { b: undefined }, '{ "a":1 }'],
    ['removes the middle', '{"a":1 , "b":2 , "c":3}', { b: undefined }, '{"a":1 , "c":3}'],
    ['removes several', '{"a":1,"b":2,"c":3,"d":4}', { a: undefined, c: undefined, d: undefined }, '{"b":2}'],
    ['removes all', '{"a":1,"b":2}', { a: undefined, b: undefined }, '{}'],
    ['removes all and adds', '{"a":1,"b":2}', { a: undefined, b: undefined, c: 3 }, '{"c":3}'],
    ['removes nothing that is not there', '{"a":1}', { b: undefined }, '{"a":1}'],
  ])('%s', (_, text, changes, expected) => expect(patch(text, changes)).toBe(expected))

  test.each([
    '{"a":1,"b":2,"a":3}',
    '{"a":1,"\\u0061":3}',
    '{"m":[{"content":"seen first","x":{},"content":"seen last"}]}',
    '{"m":{"n":[{"x":1},{"x":1}],"o":1,"o":2}}',
  ])('rejects two members of one name: %s', text => {
    expect(patch(text, {})).toBe(null)
    expect(patch(text, { a: 1 })).toBe(null)
  })

  it('allows one name in several objects', () => {
    const text = '{"a":{"a":[{"a":1},{"a":"a"}]},"b":{"a":2}}'
    expect(patch(text, {})).toBe(text)
  })

  it('finds the end of long strings', () => {
    for (const tail of ['', '\\\\', '\\"', '\\\\\\"', '"\u{1f98a}"'.slice(1, -1)]) {
      for (const length of [60, 61, 62, 63, 64, 65, 66, 5_000]) {
        const long = `"${'x'.repeat(length)}${tail}"`
        expect(patch(`{${long}:${long},"a":1}`, { a: 2 })).toBe(`{${long}:${long},"a":2}`)
      }
    }
  })

  it('comes to the same value as a change of the parsed object', () => {
    const names = fc.constantFrom('a', 'b', 'model', 'ü"\\')
    const changes = fc.dictionary(names, fc.option(fc.jsonValue(), { nil: undefined }), { noNullPrototype: true })
    const objects = fc.dictionary(fc.oneof(names, fc.string()), fc.jsonValue(), { noNullPrototype: true })
    fc.assert(
      fc.property(objects, changes, fc.constantFrom(undefined, 1, '\t'), (object, wanted, space) => {
        const text = JSON.stringify(object, null, space)
        const patched = patch(text, wanted)
        expect(JSON.parse(patched ?? '')).toEqual(JSON.parse(JSON.stringify({ ...object, ...wanted })))
        for (const [name, value] of Object.entries(object)) {
          if (!Object.hasOwn(wanted, name)) expect(patched).toContain(JSON.stringify(name))
          if (!Object.hasOwn(wanted, name) && space === undefined) expect(patched).toContain(JSON.stringify(value))
        }
      }),
    )
  })
})
