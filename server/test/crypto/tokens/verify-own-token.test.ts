import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import type { VerifyingKey } from '../../../src/crypto/keys/check-signature.ts'
import { readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { createSigningKey } from '../../../src/crypto/keys/signing-key.ts'
import { readTokenForm } from '../../../src/crypto/token-form.ts'
import { mintToken } from '../../../src/crypto/tokens/mint-token.ts'
import { verifyOwnToken } from '../../../src/crypto/tokens/verify-own-token.ts'
import {
  audience,
  issuer,
  keySetText,
  makeKey,
  makeToken,
  nowMs,
  nowSeconds,
  ownClaims,
  ownHeader,
  without,
} from '../token-kit.ts'

const key = makeKey('k1')
const verifyingKey = getVerifyingKey()

function getVerifyingKey(): VerifyingKey {
  const set = readKeySet(keySetText(key), { algorithms: ['RS256'], reservedKids: new Set() })
  const found = typeof set === 'string' ? undefined : set.keys.get('k1')
  if (!found) throw new Error('no key')
  return found
}

function verify(token: string, at = nowMs) {
  const form = readTokenForm(token)
  return typeof form === 'string' ? form : verifyOwnToken(form, verifyingKey, { issuer, audience }, at)
}

const withClaims = (more: Record<string, unknown>) => makeToken(key, ownHeader(key), ownClaims(more))

test('what the mint makes is verified', async () => {
  const signingKey = createSigningKey('k1', key.privateKey)
  const minter = { signingKey, issuer, audience, now: () => nowMs, randomId: () => 'an-id' }
  const subject = { tenantId: 't', projectId: 'p', userId: 'ü'.repeat(255), role: 'admin', ttlSeconds: 86_400 }
  for (const tier of ['gold', undefined]) {
    const token = await mintToken(minter, { ...subject, ...(tier === undefined ? {} : { tier }) })
    const claims = verify(token)
    expect(claims).toMatchObject({ tid: 't', pid: 'p', uid: subject.userId, role: 'admin', scp: [], jti: 'an-id' })
    expect(claims).toHaveProperty('exp', nowSeconds + 86_400)
    if (tier === undefined) expect(claims).not.toHaveProperty('tier')
    else expect(claims).toHaveProperty('tier', tier)
  }
})

test('the verdict is frozen and holds nothing but known claims', () => {
  const claims = verify(withClaims({ extra: 1, toString: 'x' }))
  expect(Object.isFrozen(claims)).toBe(true)
  expect(claims).toEqual(ownClaims())
})

describe('claims', () => {
  test.each([
    ['iss', `${issuer}/`, 'iss'],
    ['iss', without, 'iss'],
    ['aud', 'another', 'aud'],
    ['aud', ['another'], 'aud'],
    ['aud', [audience, 1], 'aud'],
    ['aud', without, 'aud'],
    ['exp', without, 'exp'],
    ['exp', nowSeconds + 60.5, 'exp'],
    ['exp', -1, 'exp'],
    ['exp', null, 'exp'],
    ['exp', 2 ** 53, 'exp'],
    ['exp', nowSeconds, 'lifetime'],
    ['exp', nowSeconds + 86_401, 'lifetime'],
    ['nbf', without, 'nbf'],
    ['nbf', nowSeconds + 0.5, 'nbf'],
    ['iat', without, 'iat'],
    ['iat', true, 'iat'],
    ['jti', without, 'claims'],
    ['jti', '', 'claims'],
    ['jti', 7, 'claims'],
    ['tid', without, 'claims'],
    ['tid', '', 'claims'],
    ['pid', ['p'], 'claims'],
    ['uid', '', 'claims'],
    ['uid', 'a\ud800', 'claims'],
    ['role', 'Admin', 'claims'],
    ['role', ['user'], 'claims'],
    ['scp', without, 'claims'],
    ['scp', 'all', 'claims'],
    ['scp', [1], 'claims'],
    ['tier', '', 'claims'],
    ['tier', 1, 'claims'],
    ['tier', null, 'claims'],
  ])('%s = %j is %s', (name, value, error) => {
    expect(verify(withClaims({ [name]: value }))).toBe(error)
  })

  test.each([
    ['iat', { iat: nowSeconds + 30, nbf: nowSeconds }, { iat: nowSeconds + 31, nbf: nowSeconds }, 'iat'],
    ['nbf', { nbf: nowSeconds + 30 }, { nbf: nowSeconds + 31 }, 'nbf'],
    ['lifetime', { exp: nowSeconds + 86_400 }, { exp: nowSeconds + 86_401 }, 'lifetime'],
  ])('%s at its bound and past it', (_name, within, past, error) => {
    expect(verify(withClaims(within))).toBeTypeOf('object')
    expect(verify(withClaims(past))).toBe(error)
  })

  test('an expired token has no leeway', () => {
    const token = withClaims({ exp: nowSeconds + 60 })
    expect(verify(token, (nowSeconds + 60) * 1000 - 1)).toBeTypeOf('object')
    expect(verify(token, (nowSeconds + 60) * 1000)).toBe('expired')
  })
})

describe('header', () => {
  test.each([
    [{ typ: without }, 'typ'],
    [{ typ: 'jwt' }, 'typ'],
    [{ typ: 'at+jwt' }, 'typ'],
    [{ alg: 'RS512' }, 'alg'],
    [{ alg: 'rs256' }, 'alg'],
    [{ kid: 'k2' }, 'kid'],
    [{ kid: without }, 'kid'],
    [{ x5c: [] }, 'header_member'],
    [{ jku: '' }, 'header_member'],
  ])('%j is %s', (more, error) => {
    expect(verify(makeToken(key, ownHeader(key, more), ownClaims()))).toBe(error)
  })
})

test('no mutation of a good token verifies', () => {
  const good = withClaims({})
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= \n+/é\0'
  const place = fc.nat(good.length)
  const mutation = fc.oneof(
    fc.tuple(place, fc.constantFrom(...alphabet)).map(([at, char]) => good.slice(0, at) + char + good.slice(at + 1)),
    fc.tuple(place, fc.constantFrom(...alphabet)).map(([at, char]) => good.slice(0, at) + char + good.slice(at)),
    fc.tuple(place, fc.nat(40)).map(([at, length]) => good.slice(0, at) + good.slice(at + length)),
    fc.tuple(place, place).map(([from, to]) => good.slice(0, from) + good.slice(to)),
    fc.tuple(fc.nat(2), fc.string({ unit: 'binary' })).map(([part, text]) => {
      const parts = good.split('.')
      parts[part] = Buffer.from(text).toString('base64url')
      return parts.join('.')
    }),
  )
  expect(verify(good)).toBeTypeOf('object')
  fc.assert(
    fc.property(mutation, token => {
      fc.pre(token !== good)
      expect(verify(token)).toBeTypeOf('string')
    }),
    { numRuns: inject('prove') ? 50_000 : 2000 },
  )
})
