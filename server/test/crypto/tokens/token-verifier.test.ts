import fc from 'fast-check'
import { importJWK, jwtVerify } from 'jose'
import { describe, expect, inject, test } from 'vitest'
import type { SignatureAlgorithm } from '../../../src/crypto/keys/check-signature.ts'
import { createFixedKeySource, type KeySet, type KeySource, readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { createRemoteKeySet, type KeySetReply } from '../../../src/crypto/keys/remote-key-set.ts'
import { createTokenVerifier, type ExternalProvider } from '../../../src/crypto/tokens/token-verifier.ts'
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
  type TestKey,
} from '../token-kit.ts'

const algorithms: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
const own = makeKey('k1')
const next = makeKey('k2')
const idp = makeKey('idp', 'ES256')
const good = makeToken(own, ownHeader(own), ownClaims())
const external = makeToken(idp, { alg: 'ES256', kid: 'idp' }, externalClaims(), 'ES256')

function getSet(...keys: TestKey[]): KeySet {
  const set = readKeySet(keySetText(...keys), { algorithms, reservedKids: new Set() })
  if (typeof set === 'string') throw new Error(set)
  return set
}

function makeProvider(...keys: TestKey[]): ExternalProvider {
  return {
    issuer: externalIssuer,
    audience: externalAudience,
    userIdClaim: 'sub',
    tierClaim: null,
    keySet: getSet(...keys),
  }
}

const nobody = async () => null
const provider = makeProvider(idp)

function start(ownKeys: KeySource = createFixedKeySource(getSet(own))) {
  const clock = { ms: nowMs }
  const verifier = createTokenVerifier({
    ownKeys,
    ownRules: { issuer, audience },
    checkUserId: id => id,
    now: () => clock.ms,
  })
  return { clock, verifier }
}

function startRemote(keys: TestKey[]) {
  const origin = { reply: { status: 200, body: keySetText(...keys) } as KeySetReply, ms: nowMs, isDown: false }
  const keySet = createRemoteKeySet({
    url: 'http://keys.example',
    fetch: async () => {
      await new Promise(resolve => setImmediate(resolve))
      if (origin.isDown) throw new Error('down')
      return origin.reply
    },
    read: text => readKeySet(text, { algorithms: ['RS256'], reservedKids: new Set() }),
    now: () => origin.ms,
    cacheTtlSeconds: 300,
  })
  const verifier = createTokenVerifier({
    ownKeys: keySet,
    ownRules: { issuer, audience },
    checkUserId: id => id,
    now: () => origin.ms,
  })
  const outcomeOf = async (token: string) => (await verifier.verify(token, nobody)).outcome
  return { origin, keySet, verifier, outcomeOf }
}

test('the verdict names the path that was taken', async () => {
  const { verifier } = start()
  expect(await verifier.verify(good, async () => provider)).toEqual({
    outcome: 'verified',
    token: { provider: 'service', claims: ownClaims() },
  })
  expect(await verifier.verify(external, async () => provider)).toMatchObject({
    outcome: 'verified',
    token: { provider: 'external', claims: { uid: 'auth0|42' } },
  })
  expect(await verifier.verify(external, nobody)).toEqual({ outcome: 'refused', error: 'unknown_kid' })
})

test('a kid of our own is never tried with the external keys', async () => {
  const twin = makeKey('k1')
  const claims = externalClaims()
  const { verifier } = start()
  const verdict = await verifier.verify(makeToken(twin, { alg: 'RS256', kid: 'k1', typ: 'JWT' }, claims), async () =>
    makeProvider(twin),
  )
  expect(verdict).toEqual({ outcome: 'refused', error: 'signature' })
})

test('our own tokens do not ask for the external provider', async () => {
  const { verifier } = start()
  const findNone = () => Promise.reject(new Error('must not be asked'))
  for (let times = 0; times < 2; times++) expect((await verifier.verify(good, findNone)).outcome).toBe('verified')
})

describe('the cache', () => {
  test('one verification serves 100,000 requests with one object', async () => {
    const { verifier } = start()
    const verdicts = new Set<unknown>()
    const pending = Array.from({ length: 100_000 }, async () => verdicts.add(await verifier.verify(good, nobody)))
    await Promise.all(pending)
    expect(verdicts.size).toBe(1)
    expect(verifier.counters).toEqual({ hits: 99_999, verifications: 1 })
  })

  test('never outlives exp', async () => {
    const { verifier, clock } = start()
    const token = makeToken(own, ownHeader(own), ownClaims({ exp: nowSeconds + 60 }))
    expect((await verifier.verify(token, nobody)).outcome).toBe('verified')
    clock.ms += 60_000
    expect(await verifier.verify(token, nobody)).toEqual({ outcome: 'refused', error: 'expired' })
  })

  test('does not remember refusals', async () => {
    const { verifier } = start()
    const bad = `${good.slice(0, -1)}${good.endsWith('A') ? 'Q' : 'A'}`
    for (let times = 0; times < 3; times++) expect((await verifier.verify(bad, nobody)).outcome).toBe('refused')
    expect(verifier.counters.hits).toBe(0)
  })

  test('an external verdict belongs to one revision of one provider', async () => {
    const { verifier } = start()
    const verify = (found: ExternalProvider | null) => verifier.verify(external, async () => found)
    expect((await verify(provider)).outcome).toBe('verified')
    expect((await verify(provider)).outcome).toBe('verified')
    expect(verifier.counters.hits).toBe(1)
    expect((await verify(null)).outcome).toBe('refused')
    expect((await verify({ ...provider, audience: 'another-project' })).outcome).toBe('refused')
    expect((await verify(makeProvider(makeKey('idp', 'ES256')))).outcome).toBe('refused')
    expect((await verify(provider)).outcome).toBe('verified')
  })
})

describe('a key set from afar', () => {
  test('a removed key is refused within the cache time and one fetch', async () => {
    const { origin, outcomeOf } = startRemote([own, next])
    expect(await outcomeOf(good)).toBe('verified')
    origin.reply = { status: 200, body: keySetText(next) }
    origin.ms += 299_000
    expect(await outcomeOf(good)).toBe('verified')
    origin.ms += 1000
    await outcomeOf(good)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(await outcomeOf(good)).toBe('refused')
  })

  test('rotation under load refuses no good token', async () => {
    const { origin, keySet, outcomeOf } = startRemote([own])
    const tokens = [good]
    for (let second = 0; second < 1200; second++) {
      origin.ms += 1000
      if (second === 200) origin.reply = { status: 200, body: keySetText(own, next) }
      // The signer changes: the first token of the new key comes before anybody has fetched again.
      if (second === 201) tokens.push(makeToken(next, ownHeader(next), ownClaims()))
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, at) => outcomeOf(tokens[at % tokens.length] ?? '')),
      )
      expect(new Set(outcomes), `second ${second}`).toEqual(new Set(['verified']))
    }
    expect(keySet.counters.fetches).toBeLessThanOrEqual(6)
  })

  test('never fetched, or past the stale hour: unavailable, also for remembered tokens', async () => {
    const { origin, outcomeOf } = startRemote([own])
    origin.isDown = true
    expect(await outcomeOf(good)).toBe('unavailable')
    origin.isDown = false
    origin.ms += 60_000
    expect(await outcomeOf(good)).toBe('verified')
    origin.isDown = true
    origin.ms += 59 * 60_000
    const young = makeToken(own, ownHeader(own), ownClaims({ exp: nowSeconds + 86_400 }))
    expect(await outcomeOf(young)).toBe('verified')
    origin.ms += 2 * 60_000
    expect(await outcomeOf(young)).toBe('unavailable')
  })

  test('an unknown kid whose fetch outlasts the stale hour is no proof against the token', async () => {
    const { origin, verifier, outcomeOf } = startRemote([own])
    await outcomeOf(good)
    origin.isDown = true
    origin.ms += 59 * 60_000
    await outcomeOf(good)
    origin.ms += 59_000
    const late = verifier.verify(makeToken(next, ownHeader(next), ownClaims()), nobody)
    origin.ms += 2000
    expect((await late).outcome).toBe('unavailable')
  })

  test('100,000 tokens of unknown kids in a simulated minute cause at most two fetches', async () => {
    const { origin, keySet, outcomeOf } = startRemote([own])
    const [, payload, signature] = good.split('.')
    const count = inject('prove') ? 100_000 : 20_000
    for (let at = 0; at < count; at += 100) {
      const outcomes = Array.from({ length: 100 }, (_, index) => {
        const header = Buffer.from(JSON.stringify(ownHeader(own, { kid: `unknown-${at + index}` })))
        return outcomeOf(`${header.toString('base64url')}.${payload}.${signature}`)
      })
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['refused']))
      origin.ms += (60_000 * 100) / count
    }
    expect(keySet.counters.fetches).toBe(2)
  })

  test('what cannot be ours causes no fetch', async () => {
    const { keySet, outcomeOf } = startRemote([own])
    await outcomeOf(good)
    expect(await outcomeOf(external)).toBe('refused')
    expect(await outcomeOf(makeToken(own, ownHeader(own, { kid: undefined }), ownClaims()))).toBe('refused')
    expect(await outcomeOf('not.a.token')).toBe('refused')
    expect(keySet.counters.fetches).toBe(1)
  })
})

test('no text does anything but get a typed verdict', async () => {
  const { verifier } = start()
  const part = fc.oneof(
    fc.base64String(),
    fc.json().map(text => Buffer.from(text).toString('base64url')),
    fc.uint8Array().map(bytes => Buffer.from(bytes).toString('base64url')),
    fc.constantFrom(...good.split('.'), ...external.split('.'), ''),
    fc
      .record(
        {
          alg: fc.oneof(fc.constantFrom(...algorithms, 'none'), fc.jsonValue()),
          kid: fc.constantFrom('k1', 'idp', 'x'),
          typ: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map(header => Buffer.from(JSON.stringify(header)).toString('base64url')),
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(part, { maxLength: 5 }).map(parts => parts.join('.')),
    fc.tuple(part, part, part).map(parts => parts.join('.')),
  )
  await fc.assert(
    fc.asyncProperty(text, async token => {
      fc.pre(token !== good && token !== external)
      expect((await verifier.verify(token, async () => provider)).outcome).toBe('refused')
    }),
    { numRuns: inject('prove') ? 100_000 : 10_000 },
  )
})

test('whatever we accept, another implementation accepts too', async () => {
  const { verifier } = start()
  const publicKey = await importJWK(own.jwk, 'RS256')
  const claim = fc.record({
    uid: fc.string({ minLength: 1, unit: 'grapheme' }),
    exp: fc.integer({ min: nowSeconds - 5, max: nowSeconds + 86_405 }),
  })
  await fc.assert(
    fc.asyncProperty(claim, async more => {
      const token = makeToken(own, ownHeader(own), ownClaims(more))
      const ours = await verifier.verify(token, nobody)
      const options = { issuer, audience, algorithms: ['RS256'], currentDate: new Date(nowMs) }
      const theirs = await jwtVerify(token, publicKey, options).then(
        ({ payload }) => payload,
        () => null,
      )
      if (ours.outcome === 'verified') expect(theirs).toEqual(ours.token.claims)
      else expect(more.exp <= nowSeconds || more.exp > nowSeconds + 86_400).toBe(true)
    }),
    { numRuns: inject('prove') ? 2000 : 100 },
  )
})
