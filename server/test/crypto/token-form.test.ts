import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { readStrictObject } from '../../src/crypto/strict-json.ts'
import { decodeCanonical, readPayload, readTokenForm } from '../../src/crypto/token-form.ts'
import { encode, makeKey, makeToken, ownClaims, ownHeader } from './token-kit.ts'

const key = makeKey('k1')
const good = makeToken(key, ownHeader(key), ownClaims())
const [headerPart = '', payloadPart = '', signaturePart = ''] = good.split('.')

test('a good token comes apart into typed parts', () => {
  const form = readTokenForm(good)
  if (typeof form === 'string') throw new Error(form)
  expect(form).toMatchObject({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
  expect(form.signed.toString()).toBe(`${headerPart}.${payloadPart}`)
  expect(form.signature).toHaveLength(256)
  expect(readPayload(form)).toEqual(ownClaims())
})

describe('refused forms', () => {
  const header = (text: string | Buffer) => `${encode(text)}.${payloadPart}.${signaturePart}`
  const bytes = (...parts: Array<string | number>) =>
    Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part])))).toString(
      'base64url',
    )
  test.each([
    ['', 'not_three_parts'],
    ['..', 'not_three_parts'],
    [`${headerPart}.${payloadPart}`, 'not_three_parts'],
    [`${good}.`, 'not_three_parts'],
    [`${headerPart}.${payloadPart}.`, 'not_three_parts'],
    [`.${payloadPart}.${signaturePart}`, 'not_three_parts'],
    [`${good}\n`, 'not_base64url'],
    [`\ufeff${good}`, 'not_base64url'],
    [good.replace('e', 'ė'), 'not_base64url'],
    [good.padEnd(8193, 'A'), 'too_long'],
    [header('[]'), 'header_not_a_json_object'],
    [header('null'), 'header_not_a_json_object'],
    [header('"x"'), 'header_not_a_json_object'],
    [header('{"alg":"RS256",}'), 'header_not_a_json_object'],
    [header('\ufeff{"alg":"RS256"}'), 'header_not_a_json_object'],
    [`${bytes('{"alg":"RS256","x":"', 0xff, '"}')}.${payloadPart}.${signaturePart}`, 'header_not_utf8'],
    [`${bytes('{"alg":"RS256","x":"', 0xed, 0xa0, 0x80, '"}')}.${payloadPart}.${signaturePart}`, 'header_not_utf8'],
    [header('{"alg":"RS256","alg":"RS256"}'), 'header_duplicate_member'],
    [header('{"alg":"RS256","\\u0061lg":"RS256"}'), 'header_duplicate_member'],
    [header('{"alg":"RS256","x":{"y":1,"y":1}}'), 'header_duplicate_member'],
    [header('{"alg":"RS256","__proto__":{}}'), 'header_forbidden_member'],
    [header('{"alg":"RS256","x":[{"__pr\\u006fto__":1}]}'), 'header_forbidden_member'],
    [header('{"alg":"RS256","x":[[[[]]]]}'), 'header_too_deep'],
    [header('{}'), 'alg'],
    [header('{"alg":["RS256"]}'), 'alg'],
    [header('{"alg":"RS256","typ":1}'), 'typ'],
    [header('{"alg":"RS256","kid":""}'), 'kid'],
    [header(`{"alg":"RS256","kid":"${'k'.repeat(129)}"}`), 'kid'],
    [header('{"alg":"RS256","zip":"DEF"}'), 'header_member'],
    [header('{"alg":"RS256","b64":true}'), 'header_member'],
    [header('{"alg":"RS256","crit":[]}'), 'header_member'],
  ])('%j is %s', (token, error) => {
    expect(readTokenForm(token)).toBe(error)
  })

  test('8,192 characters are read, 8,193 are not', () => {
    const filled = (length: number) =>
      `${headerPart}.${'A'.repeat(length - headerPart.length - 2 - 342)}.${'A'.repeat(342)}`
    const read = [8189, 8190, 8191, 8192]
      .map(length => readTokenForm(filled(length)))
      .filter(form => typeof form === 'object')
    expect(read.length).toBeGreaterThan(0)
    expect(readTokenForm(filled(8193))).toBe('too_long')
  })
})

describe('strict JSON', () => {
  const read = (text: string) => readStrictObject(Buffer.from(text), 16)

  test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 })), value => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('__proto__'))
        expect(read(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: inject('prove') ? 10_000 : 300 },
    )
  })

  test('a member written twice, anywhere and however escaped, is found', () => {
    const escaped = (name: string) =>
      `"${[...name].map(char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string({ maxLength: 8 }), fc.nat(3), (value, name, depth) => {
        fc.pre(name !== '__proto__')
        const twice = `{${JSON.stringify(name)} : ${JSON.stringify(value)}, "other\\"{": [],${escaped(name)}:1}`
        fc.pre(!twice.includes('__proto__') && name !== 'other"{')
        expect(read(`${'{"in":['.repeat(depth)}${twice}${']}'.repeat(depth)}`)).toBe('duplicate_member')
      }),
      { numRuns: inject('prove') ? 10_000 : 300 },
    )
  })

  test('names may repeat in different objects, and as values', () => {
    expect(read('{"a":{"a":"a"},"b":[{"a":1},{"a":2}],"c":"a"}')).toEqual({
      a: { a: 'a' },
      b: [{ a: 1 }, { a: 2 }],
      c: 'a',
    })
  })

  test('the depth bound is exact', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    expect(read(nested(16))).toBeTypeOf('object')
    expect(read(nested(17))).toBe('too_deep')
  })
})

test('only one text decodes to given bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ minLength: 1, maxLength: 2 }),
      fc.nat(),
      (bytes, insert, at) => {
        const text = Buffer.from(bytes).toString('base64url')
        expect(decodeCanonical(text)).toEqual(Buffer.from(bytes))
        const place = at % (text.length + 1)
        const other = text.slice(0, place) + insert + text.slice(place)
        const decoded = decodeCanonical(other)
        if (decoded) expect(decoded.equals(Buffer.from(bytes))).toBe(false)
      },
    ),
    { numRuns: inject('prove') ? 20_000 : 500 },
  )
  // 2 and 4 stray bits in the last character.
  for (const text of ['QQ', 'QUE'])
    for (const last of 'BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const other = text.slice(0, -1) + last
      const decoded = decodeCanonical(other)
      if (decoded) expect(decoded.toString('base64url')).toBe(other)
    }
  expect(decodeCanonical('QR')).toBeNull()
  expect(decodeCanonical('QUF')).toBeNull()
  expect(decodeCanonical('Q')).toBeNull()
})
