// Compares our verification of tokens with jose's. Ours may reject more, and must never accept what jose rejects; what
// both must accept is listed.
import fc from 'fast-check'
import { importJWK, type JWTVerifyOptions, jwtVerify } from 'jose'
import { describe, expect, inject, test } from 'vitest'
import { readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { readTokenForm } from '../../../src/crypto/token-form.ts'
import { leewaySeconds } from '../../../src/crypto/tokens/claim-rules.ts'
import { verifyExternalToken } from '../../../src/crypto/tokens/verify-external-token.ts'
import { verifyOwnToken } from '../../../src/crypto/tokens/verify-own-token.ts'
import {
  audience,
  externalAudience,
  externalClaims,
  externalIssuer,
  issuer,
  keySetText,
  makeKey,
  makeToken,
  nowMs,
  nowSeconds,
  ownClaims,
  ownHeader,
  type TestAlgorithm,
  type TestKey,
  without,
} from '../token-kit.ts'

const algorithms: TestAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
const keys = Object.fromEntries(algorithms.map(alg => [alg, makeKey('kid', alg)])) as Record<TestAlgorithm, TestKey>
const stranger = makeKey('kid')

/** How a token differs from a good one. */
interface Variant {
  key: TestAlgorithm
  alg: string
  header: Record<string, unknown>
  claims: Record<string, unknown>
  isStrangers: boolean
  /** Changes the finished token. */
  spoil: (token: string) => string
}

const time = fc.constantFrom(
  without,
  nowSeconds - 86_401,
  nowSeconds - leewaySeconds - 1,
  nowSeconds - 1,
  nowSeconds,
  nowSeconds + 1,
  nowSeconds + leewaySeconds,
  nowSeconds + leewaySeconds + 1,
  nowSeconds + 3_600,
  'soon',
  -1,
  null,
)
const anyClaims = fc.record(
  {
    iat: time,
    nbf: time,
    exp: time,
    iss: fc.constantFrom(issuer, externalIssuer, '', null, 1, [issuer]),
    aud: fc.constantFrom(audience, externalAudience, [audience, 'other'], [externalAudience], [], '', null),
  },
  { requiredKeys: [] },
)
const anyHeader = fc.record(
  {
    typ: fc.constantFrom('JWT', 'at+jwt', 'jwt', 'JOSE', without, null),
    alg: fc.constantFrom(...algorithms, 'none', 'HS256', 'RS384'),
    kid: fc.constantFrom('kid', 'other', '', without),
    crit: fc.constantFrom(['exp'], []),
    b64: fc.boolean(),
  },
  { requiredKeys: [] },
)
const unspoilt: Variant['spoil'] = token => token
const spoilings: Variant['spoil'][] = [
  token => `${token}=`,
  token => token.slice(0, -1),
  token => token.replace('.', '..'),
  token => `${token}.${token}`,
  token => token.replace(/\.[^.]*$/, '.'),
  token => ` ${token}`,
  token => token.replace(/^(.{20})./, '$1A'),
  token => token.replace(/(.)(.{8})$/, (_whole, one, rest) => `${one === 'A' ? 'B' : 'A'}${rest}`),
]
/** Most are wrong in one way at most: what is wrong in several says little of each. */
const variants: fc.Arbitrary<Variant> = fc.constantFrom(...algorithms).chain(key =>
  fc.record({
    key: fc.constant(key),
    alg: fc.oneof({ weight: 3, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: fc.constantFrom(...algorithms) }),
    header: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: anyHeader }),
    claims: fc.oneof({ weight: 1, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: anyClaims }),
    isStrangers: fc.integer({ min: 0, max: 9 }).map(number => number === 0),
    spoil: fc.oneof(
      { weight: 3, arbitrary: fc.constant(unspoilt) },
      { weight: 1, arbitrary: fc.constantFrom(...spoilings) },
    ),
  }),
)

function makeVariant(isOwn: boolean, { key: type, alg, header, claims, isStrangers, spoil }: Variant): string {
  const key = keys[type]
  const signer = isStrangers && type === 'RS256' ? stranger : key
  // An algorithm that the key cannot do is only claimed.
  const signedWith = isStrangers || alg === 'none' || keyTypeOf(alg) !== keyTypeOf(type) ? type : alg
  const body = isOwn ? ownClaims(claims) : externalClaims(claims)
  return spoil(makeToken(signer, { ...ownHeader(key), alg: isOwn ? 'RS256' : alg, ...header }, body, signedWith))
}

const keyTypeOf = (alg: string): string => (alg === 'PS256' ? 'RS256' : alg)

function verifyingKeyOf(key: TestKey) {
  const set = readKeySet(keySetText(key), { algorithms, reservedKids: new Set() })
  const found = typeof set === 'string' ? undefined : set.keys.get(key.kid)
  if (found === undefined) throw new Error('the test key is in no set')
  return found
}

const verifyingKeys = Object.fromEntries(algorithms.map(alg => [alg, verifyingKeyOf(keys[alg])]))
const common: JWTVerifyOptions = { currentDate: new Date(nowMs), clockTolerance: leewaySeconds }

async function acceptsByJose(token: string, key: TestKey, options: JWTVerifyOptions): Promise<boolean> {
  const { use: _use, ...jwk } = key.jwk
  const accepted = jwtVerify(token, await importJWK(jwk, String(key.jwk['alg'])), { ...common, ...options })
  return await accepted.then(
    () => true,
    () => false,
  )
}

function acceptsOwn(token: string, type: TestAlgorithm): boolean {
  const [form, key] = [readTokenForm(token), verifyingKeys[type]]
  if (typeof form === 'string' || key === undefined) return false
  return typeof verifyOwnToken(form, key, { issuer, audience }, nowMs) !== 'string'
}

function acceptsExternal(token: string, type: TestAlgorithm): boolean {
  const [form, key] = [readTokenForm(token), verifyingKeys[type]]
  if (typeof form === 'string' || key === undefined) return false
  const rules = { issuer: externalIssuer, audience: externalAudience, userIdClaim: 'sub', tierClaim: null }
  return typeof verifyExternalToken(form, key, rules, id => id, nowMs) !== 'string'
}

const plain: Variant = { key: 'RS256', alg: 'RS256', header: {}, claims: {}, isStrangers: false, spoil: unspoilt }
const runs = { numRuns: inject('prove') ? 20_000 : 1_500 }

describe('jose rejects what is rejected here, or is less strict; never the other way round', () => {
  test('own tokens', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(variants, async variant => {
        const token = makeVariant(true, { ...variant, key: 'RS256' })
        if (!acceptsOwn(token, 'RS256')) return
        accepted += 1
        const options = { issuer, audience, algorithms: ['RS256'], typ: 'JWT' }
        expect(await acceptsByJose(token, keys.RS256, options)).toBe(true)
      }),
      runs,
    )
    expect(accepted).toBeGreaterThan(runs.numRuns / 20)
  })

  test('tokens of an external identity provider, with every algorithm', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(variants, async variant => {
        const token = makeVariant(false, variant)
        if (!acceptsExternal(token, variant.key)) return
        accepted += 1
        const options = { issuer: externalIssuer, audience: externalAudience, algorithms }
        expect(await acceptsByJose(token, keys[variant.key], options)).toBe(true)
      }),
      runs,
    )
    expect(accepted).toBeGreaterThan(runs.numRuns / 20)
  })
})

describe('both accept', () => {
  test('a good token of our own', async () => {
    const token = makeVariant(true, plain)
    expect(acceptsOwn(token, 'RS256')).toBe(true)
    expect(await acceptsByJose(token, keys.RS256, { issuer, audience, algorithms: ['RS256'] })).toBe(true)
  })

  test.each(algorithms)('a good token of an external identity provider with %s', async alg => {
    const token = makeVariant(false, { ...plain, key: alg, alg })
    expect(acceptsExternal(token, alg)).toBe(true)
    expect(await acceptsByJose(token, keys[alg], { issuer: externalIssuer, audience: externalAudience })).toBe(true)
  })
})
