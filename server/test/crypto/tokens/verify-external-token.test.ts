import { describe, expect, test } from 'vitest'
import { readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { readTokenForm } from '../../../src/crypto/token-form.ts'
import { type ExternalTokenRules, verifyExternalToken } from '../../../src/crypto/tokens/verify-external-token.ts'
import { checkUserId } from '../../../src/domain/end-users/user-id.ts'
import {
  externalAudience,
  externalClaims,
  externalIssuer,
  keySetText,
  makeKey,
  makeToken,
  nowMs,
  nowSeconds,
  type TestAlgorithm,
  without,
} from '../token-kit.ts'

const algorithms: TestAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
const keys = Object.fromEntries(algorithms.map(alg => [alg, makeKey(`idp-${alg}`, alg)]))
const rules: ExternalTokenRules = {
  issuer: externalIssuer,
  audience: externalAudience,
  userIdClaim: 'sub',
  tierClaim: 'https://app.example/plan',
}

function getKey(alg: TestAlgorithm) {
  const key = keys[alg]
  if (!key) throw new Error(alg)
  return key
}

function verify(token: string, keyAlg: TestAlgorithm = 'RS256', more: Partial<ExternalTokenRules> = {}, at = nowMs) {
  const set = readKeySet(keySetText(getKey(keyAlg)), { algorithms, reservedKids: new Set() })
  const key = typeof set === 'string' ? undefined : set.keys.get(getKey(keyAlg).kid)
  const form = readTokenForm(token)
  if (!key) throw new Error('no key')
  const check = (id: string) => {
    const checked = checkUserId(id)
    return checked.ok ? checked.value : null
  }
  return typeof form === 'string' ? form : verifyExternalToken(form, key, { ...rules, ...more }, check, at)
}

function make(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  alg: TestAlgorithm = 'RS256',
) {
  const key = getKey(alg)
  return makeToken(key, { alg, kid: key.kid, ...header }, externalClaims(claims), alg)
}

describe('algorithms', () => {
  test.each(algorithms)('%s is verified with its own key', alg => {
    expect(verify(make({}, {}, alg), alg)).toMatchObject({ uid: 'auth0|42' })
  })

  test('no other algorithm is taken with a key, not even one that its type could do', () => {
    const others = [...algorithms, 'none', 'HS256', 'RS512', 'ES384', 'Ed25519', 'toString', '']
    for (const alg of algorithms) {
      for (const other of others.filter(name => name !== alg)) {
        expect(verify(make({}, { alg: other }, alg), alg), `${other} with a key for ${alg}`).toBe('alg')
      }
    }
    const rsa = getKey('RS256')
    expect(verify(makeToken(rsa, { alg: 'PS256', kid: rsa.kid }, externalClaims(), 'PS256'))).toBe('alg')
  })
})

test.each([
  [without, true],
  ['JWT', true],
  ['at+jwt', true],
  ['jwt', false],
  ['logout+jwt', false],
  ['', false],
  [null, false],
  [1, false],
])('typ %j: %s', (typ, accepted) => {
  expect(typeof verify(make({}, { typ }))).toBe(accepted ? 'object' : 'string')
})

test('headers that point to keys are not followed: the project has named its keys', () => {
  const stranger = makeKey(getKey('RS256').kid)
  const header = { alg: 'RS256', kid: stranger.kid, jwk: stranger.jwk, jku: 'https://evil.example/' }
  expect(verify(makeToken(stranger, header, externalClaims()))).toBe('signature')
})

test.each([
  ['iss', 'https://idp.example.net', 'iss'],
  ['iss', without, 'iss'],
  ['iss', [externalIssuer], 'iss'],
  ['aud', without, 'aud'],
  ['aud', 'other-app', 'aud'],
  ['aud', [], 'aud'],
  ['exp', without, 'exp'],
  ['exp', nowSeconds + 0.5, 'exp'],
  ['exp', nowSeconds, 'expired'],
  ['nbf', nowSeconds + 31, 'nbf'],
  ['nbf', 'soon', 'nbf'],
  ['nbf', null, 'nbf'],
  ['iat', nowSeconds + 31, 'iat'],
  ['iat', null, 'iat'],
  ['sub', without, 'claims'],
  ['sub', '', 'claims'],
  ['sub', 42, 'claims'],
  ['sub', 'a\ud800', 'claims'],
  ['sub', 'SYSTEM', 'user_id'],
  ['sub', 'SVC:batch', 'user_id'],
  ['sub', '  ', 'user_id'],
  ['sub', 'x'.repeat(256), 'user_id'],
  ['sub', 'a\r\nx-role: admin', 'user_id'],
])('%s = %j is %s', (name, value, error) => {
  expect(verify(make({ [name]: value }))).toBe(error)
})

test('an audience may be one of several; nbf and iat may be absent', () => {
  const claims = verify(make({ aud: ['other', externalAudience], iat: without, nbf: without }))
  expect(claims).toEqual({ uid: 'auth0|42', exp: nowSeconds + 3600 })
})

test('leeway is 30 seconds for nbf and iat, and none for exp', () => {
  expect(verify(make({ nbf: nowSeconds + 30, iat: nowSeconds + 30 }))).toBeTypeOf('object')
  expect(verify(make({ exp: nowSeconds + 1 }), 'RS256', {}, nowMs + 999)).toBeTypeOf('object')
  expect(verify(make({ exp: nowSeconds + 1 }), 'RS256', {}, nowMs + 1000)).toBe('expired')
})

describe('the user id comes from the claim that the project names', () => {
  test('with the rules of the mint, sub being required all the same', () => {
    expect(verify(make({ email: ' ann@example.org ' }), 'RS256', { userIdClaim: 'email' })).toMatchObject({
      uid: 'ann@example.org',
    })
    expect(verify(make({ email: 'admin' }), 'RS256', { userIdClaim: 'email' })).toBe('user_id')
    expect(verify(make({ email: ['a'] }), 'RS256', { userIdClaim: 'email' })).toBe('user_id')
    expect(verify(make({ email: 'a@b', sub: without }), 'RS256', { userIdClaim: 'email' })).toBe('claims')
  })

  test.each(['email', 'constructor', 'toString', '__proto__'])('%s is not there', userIdClaim => {
    expect(verify(make(), 'RS256', { userIdClaim })).toBe('user_id')
  })
})

test('the tier comes from the named claim alone, and only as a name', () => {
  const plan = 'https://app.example/plan'
  expect(verify(make({ [plan]: 'gold', tier: 'platinum' }))).toMatchObject({ tier: 'gold' })
  expect(verify(make({ [plan]: 'gold' }), 'RS256', { tierClaim: null })).not.toHaveProperty('tier')
  for (const value of [1, '', ['gold'], null, 'x'.repeat(256)])
    expect(verify(make({ [plan]: value }))).not.toHaveProperty('tier')
})
