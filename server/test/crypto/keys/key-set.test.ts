import { describe, expect, test } from 'vitest'
import { isSignedBy, type SignatureAlgorithm } from '../../../src/crypto/keys/check-signature.ts'
import { createFixedKeySource, type KeySet, readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { keySetText, makeKey } from '../token-kit.ts'

const algorithms: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
const rules = { algorithms, reservedKids: new Set(['default', 'previous']) }
const read = (text: string) => readKeySet(text, rules)
const rsa = makeKey('a')
const ec = makeKey('b', 'ES256')
const ed = makeKey('c', 'EdDSA')

function getSet(text: string): KeySet {
  const set = read(text)
  if (typeof set === 'string') throw new Error(set)
  return set
}

test('keys are pinned to what they are for', () => {
  const set = getSet(keySetText(rsa, { ...rsa.jwk, kid: 'any', alg: undefined }, makeKey('d', 'PS256'), ec, ed))
  expect([...set.keys.values()].map(key => [key.kid, key.algorithms])).toEqual([
    ['a', ['RS256']],
    ['any', ['RS256', 'PS256']],
    ['d', ['PS256']],
    ['b', ['ES256']],
    ['c', ['EdDSA']],
  ])
  expect(set.skipped).toBe(0)
})

test('what is merely not for us is left out, and the rest serves', () => {
  const set = getSet(
    keySetText(
      rsa,
      { ...rsa.jwk, kid: 'for-encryption', use: 'enc' },
      { ...rsa.jwk, kid: 'for-both', use: undefined, key_ops: ['verify', 'encrypt'] },
      { ...rsa.jwk, kid: 'long-hash', alg: 'RS512' },
      { ...rsa.jwk, kid: undefined },
      { ...ec.jwk, kid: 'other-curve', crv: 'P-384', alg: 'ES384' },
      { ...ed.jwk, kid: 'for-agreement', crv: 'X25519' },
      { kty: 'AKP', kid: 'later', alg: 'ML-DSA-65', pub: 'AA' },
    ),
  )
  expect([...set.keys.keys()]).toEqual(['a'])
  expect(set.skipped).toBe(7)
})

test('a set of our own takes our own algorithm only', () => {
  expect(
    readKeySet(keySetText(ec, ed, makeKey('p', 'PS256')), { algorithms: ['RS256'], reservedKids: new Set() }),
  ).toBe('no_usable_key')
})

describe('refused sets', () => {
  const withKey = (more: Record<string, unknown>) => keySetText({ ...rsa.jwk, ...more })
  const withEc = (more: Record<string, unknown>) => keySetText({ ...ec.jwk, ...more })
  const many = (count: number) =>
    keySetText(...Array.from({ length: count }, (_, at) => ({ ...rsa.jwk, kid: `k${at}` })))
  const even = Buffer.from(String(rsa.jwk['n']), 'base64url')
  even[even.length - 1]! &= 0xfe
  const zeros = (key: string) => Buffer.concat([Buffer.alloc(1), Buffer.from(key, 'base64url')]).toString('base64url')

  test.each<[string, string, string]>([
    ['nothing', '', 'not_a_json_object'],
    ['HTML', '<!doctype html><p>Sign in</p>', 'not_a_json_object'],
    ['an array', '[]', 'not_a_json_object'],
    ['an empty object', '{}', 'not_a_key_set'],
    ['keys: null', '{"keys":null}', 'not_a_key_set'],
    ['keys as an object', '{"keys":{"0":{}}}', 'not_a_key_set'],
    ['no keys', '{"keys":[]}', 'no_usable_key'],
    ['a key that is no object', '{"keys":["a"]}', 'invalid_key'],
    ['keys twice', `{"keys":[],${keySetText(rsa).slice(1)}`, 'duplicate_member'],
    ['a member twice', keySetText(rsa).replace('"kty":"RSA"', '"kty":"RSA","kty":"RSA"'), 'duplicate_member'],
    ['a prototype', keySetText(rsa).replace('{"kty"', '{"__proto__":{},"kty"'), 'forbidden_member'],
    ['too much nesting', `{"keys":[],"x":${'['.repeat(9)}${']'.repeat(9)}}`, 'too_deep'],
    ['more than 256 KiB', keySetText(rsa).padEnd(256 * 1024 + 1), 'too_large'],
    ['51 keys', many(51), 'too_many_keys'],
    ['10,000 empty keys', `{"keys":[${Array(10_000).fill('{}').join()}]}`, 'too_many_keys'],
    ['a symmetric key', keySetText(rsa, { kty: 'oct', k: 'AA', kid: 'x' }), 'symmetric_key'],
    ['a hidden symmetric key', withKey({ k: 'AA' }), 'symmetric_key'],
    ['a private key', keySetText(rsa, { ...ec.privateKey.export({ format: 'jwk' }), kid: 'x' }), 'private_key'],
    ['a private key for encryption', keySetText(rsa, { kty: 'RSA', use: 'enc', d: 'AA' }), 'private_key'],
    ['a kid twice', keySetText(rsa, { ...ec.jwk, kid: 'a' }), 'duplicate_kid'],
    ['our kid', withKey({ kid: 'default' }), 'own_kid'],
    ['our previous kid on a key we would skip', keySetText(rsa, { kty: 'EC', kid: 'previous', use: 'enc' }), 'own_kid'],
    ['a kid that is a number', withKey({ kid: 1 }), 'invalid_key'],
    ['a kid that is empty', withKey({ kid: '' }), 'invalid_key'],
    ['a kid of 129 characters', withKey({ kid: 'k'.repeat(129) }), 'invalid_key'],
    ['1024 bits', keySetText(makeKey('x', 'RS256', 1024)), 'weak_key'],
    ['2040 bits', keySetText(makeKey('x', 'RS256', 2040)), 'weak_key'],
    ['8200 bits', withKey({ n: Buffer.alloc(1025, 0xff).toString('base64url') }), 'weak_key'],
    [
      '1024 bits behind zeros',
      withKey({ n: Buffer.concat([Buffer.alloc(128), Buffer.alloc(128, 0xff)]).toString('base64url') }),
      'weak_key',
    ],
    ['an even modulus', withKey({ n: even.toString('base64url') }), 'weak_key'],
    ['e = 1', withKey({ e: 'AQ' }), 'weak_key'],
    ['e = 3', withKey({ e: 'Aw' }), 'weak_key'],
    ['e = 65536', withKey({ e: 'AQAA' }), 'weak_key'],
    ['e = 65538', withKey({ e: 'AQAC' }), 'weak_key'],
    ['an e as long as n', withKey({ e: rsa.jwk['n'] }), 'weak_key'],
    ['no modulus', withKey({ n: undefined }), 'invalid_key'],
    ['an empty modulus', withKey({ n: '' }), 'invalid_key'],
    ['a modulus with padding', withKey({ n: `${rsa.jwk['n']}==` }), 'invalid_key'],
    ['a point off the curve', withEc({ x: ec.jwk['y'], y: ec.jwk['x'] }), 'invalid_key'],
    [
      'the point at zero',
      withEc({ x: Buffer.alloc(32).toString('base64url'), y: Buffer.alloc(32).toString('base64url') }),
      'invalid_key',
    ],
    ['a long coordinate', withEc({ x: zeros(String(ec.jwk['x'])) }), 'invalid_key'],
    ['no y', withEc({ y: undefined }), 'invalid_key'],
    ['a short Ed25519 key', keySetText({ ...ed.jwk, x: 'AAAA' }), 'invalid_key'],
    ['an EC key that says RSA', withEc({ kty: 'RSA', alg: undefined }), 'invalid_key'],
    ['an EC key that says ES512', withEc({ alg: 'ES512' }), 'no_usable_key'],
    ['an RSA key that says ES256', withKey({ alg: 'ES256' }), 'no_usable_key'],
    ['use=enc alone', withKey({ use: 'enc' }), 'no_usable_key'],
    ['key_ops=[encrypt] alone', withKey({ use: undefined, key_ops: ['encrypt'] }), 'no_usable_key'],
    ['key_ops=[verify,sign] alone', withKey({ key_ops: ['verify', 'sign'] }), 'no_usable_key'],
    ['key_ops as text', withKey({ key_ops: 'verify' }), 'no_usable_key'],
    ['no kid alone', withKey({ kid: undefined }), 'no_usable_key'],
  ])('%s', (_name, text, error) => {
    expect(read(text)).toBe(error)
  })

  test('at their bounds sets are read', () => {
    expect(getSet(many(50)).keys.size).toBe(50)
    expect(getSet(keySetText(rsa).padEnd(256 * 1024)).keys.size).toBe(1)
    expect(getSet(withKey({ n: zeros(String(rsa.jwk['n'])) })).keys.size).toBe(1)
    expect(getSet(withKey({ key_ops: ['verify'] })).keys.size).toBe(1)
  })
})

test('an Ed25519 key of small order, with which anybody signs anything, is refused', () => {
  // y = 1 is the neutral element: R = S·B verifies for every message; S = 0 makes R the neutral element itself.
  const neutral = Buffer.alloc(32)
  neutral[0] = 1
  const forged = Buffer.concat([neutral, Buffer.alloc(32)])
  const asKey = (x: Buffer) => ({ kty: 'OKP', crv: 'Ed25519', kid: 'x', x: x.toString('base64url') })
  expect(read(keySetText(asKey(neutral)))).toBe('weak_key')
  const signed = Buffer.from(neutral)
  signed[31]! |= 0x80
  expect(read(keySetText(asKey(signed)))).toBe('weak_key')
  const honest = getSet(keySetText(ed)).keys.get('c')
  expect(honest && isSignedBy(honest, 'EdDSA', Buffer.from('anything'), forged)).toBe(false)
})

test('a fixed source always has its set', async () => {
  const set = getSet(keySetText(rsa))
  const source = createFixedKeySource(set)
  expect([source.current(), await source.ready(), await source.seek(false)]).toEqual([set, set, set])
})
