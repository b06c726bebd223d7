// Every row of the attack list that token and key-set code can decide; the others are named below for the gateway.
import { createHmac, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFixedKeySource, type KeySet, readKeySet } from '../../../src/crypto/keys/key-set.ts'
import {
  createTokenVerifier,
  type ExternalProvider,
  type TokenVerdict,
} from '../../../src/crypto/tokens/token-verifier.ts'
import { checkUserId } from '../../../src/domain/end-users/user-id.ts'
import {
  audience,
  encode,
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
  without,
} from '../token-kit.ts'

/** Rows that need hosts, headers, project state or the whole system: issue of the gateway. */
const rowsForTheGateway = [
  'own token on the wrong slug host',
  'token in ?access_token=, cookie, X-Forwarded-Authorization',
  'Authorization: bearer / BEARER / Bearer<TAB> / two spaces / comma list',
  'two Authorization headers',
]

/** Rows that have a test of their own in the file named. */
const rowsElsewhere: Record<string, string> = {
  'external JWKS: 10 MiB body / 10,000 keys / slow drip / redirect / HTML': 'key-set.test.ts, remote-key-set.test.ts',
  'same good token x 100,000 concurrent': 'token-verifier.test.ts',
  'cached good token after exp / after project suspend / after key removal': 'token-verifier.test.ts',
  'token signed by a removed key': 'token-verifier.test.ts',
  'JWKS origin down 59 min with warm cache': 'remote-key-set.test.ts',
  'JWKS origin returns {} / [] / keys:null / 500 / HTML with warm cache': 'remote-key-set.test.ts',
}

const own = makeKey('k1')
const evil = makeKey('k1')
const external = makeKey('idp-1')
const good = makeToken(own, ownHeader(own), ownClaims())
const [headerPart = '', payloadPart = '', signaturePart = ''] = good.split('.')
const evilSigned = (more: Record<string, unknown>) => makeToken(evil, ownHeader(own, more), ownClaims())
const ownSigned = (header: Record<string, unknown>, claims: Record<string, unknown> = {}) =>
  makeToken(own, ownHeader(own, header), ownClaims(claims))
const unsigned = (alg: string) => `${encode(ownHeader(own, { alg }))}.${payloadPart}.`
/** The same claims as JSON text with one place rewritten. */
const rewritten = (from: string, to: string) =>
  makeToken(own, ownHeader(own), JSON.stringify(ownClaims()).replace(from, to))

const tokens: Record<string, () => string | string[]> = {
  'valid control': () => good,
  'alg="none" empty sig': () => unsigned('none'),
  'alg="NONE" empty sig': () => unsigned('NONE'),
  'alg="nOnE" empty sig': () => unsigned('nOnE'),
  'alg none with original sig': () => `${unsigned('none')}${signaturePart}`,
  'alg missing': () => ownSigned({ alg: without }),
  'HS256 with DER spki': () => {
    const spki = createPublicKey(own.privateKey).export({ type: 'spki', format: 'der' })
    const input = `${encode(ownHeader(own, { alg: 'HS256' }))}.${payloadPart}`
    return `${input}.${createHmac('sha256', spki).update(input).digest('base64url')}`
  },
  'PS256 same key': () => makeToken(own, ownHeader(own, { alg: 'PS256' }), ownClaims(), 'PS256'),
  'RS256 header, SHA1 sig': () =>
    `${headerPart}.${payloadPart}.${sign('sha1', Buffer.from(`${headerPart}.${payloadPart}`), own.privateKey).toString('base64url')}`,
  'foreign key same kid': () => evilSigned({}),
  'jwk header injection': () => [evilSigned({ jwk: evil.jwk }), ownSigned({ jwk: own.jwk })],
  'jku header': () => [evilSigned({ jku: 'https://evil.example/jwks' }), ownSigned({ jku: `${issuer}/jwks` })],
  'x5u header': () => [evilSigned({ x5u: 'https://evil.example/x' }), ownSigned({ x5u: 'https://evil.example/x' })],
  'kid="\' OR 1=1--" evil-signed': () => evilSigned({ kid: "' OR 1=1--" }),
  'kid="k1\\u0000" evil-signed': () => evilSigned({ kid: 'k1\u0000' }),
  'kid="" evil-signed': () => evilSigned({ kid: '' }),
  'kid="constructor" evil-signed': () => evilSigned({ kid: 'constructor' }),
  'kid missing, own key': () => ownSigned({ kid: without }),
  'kid number': () => ownSigned({ kid: 1 }),
  'crit unknown': () => ownSigned({ crit: ['x-unknown'], 'x-unknown': 1 }),
  'crit b64=false': () => ownSigned({ crit: ['b64'], b64: false }),
  'duplicate alg in header (none last)': () => {
    const text = `{"alg":"RS256","typ":"JWT","kid":"k1","alg":"none"}`
    return [makeToken(own, text, ownClaims()), makeToken(own, text.replace('"none"', '"RS256"'), ownClaims())]
  },
  'duplicate claim in payload exp (signed)': () => rewritten('{', `{"exp":${nowSeconds + 3600},`),
  '4 segments': () => `${good}.${signaturePart}`,
  'JSON-serialised JWS as bearer': () =>
    JSON.stringify({ protected: headerPart, payload: payloadPart, signature: signaturePart }),
  'trailing space in sig': () => `${good} `,
  'inner space in sig': () => `${good.slice(0, -10)} ${good.slice(-10)}`,
  'padding = on sig': () => [`${good}=`, `${good}==`],
  'std base64 sig': () => {
    const signature = Buffer.from(signaturePart, 'base64url').toString('base64')
    return `${headerPart}.${payloadPart}.${signature}`
  },
  'exp string': () => ownSigned({}, { exp: String(nowSeconds + 3600) }),
  'exp 1e400 (Infinity→null)': () => rewritten(`"exp":${nowSeconds + 3600}`, '"exp":1e400'),
  'exp far future (10y)': () => ownSigned({}, { exp: nowSeconds + 10 * 365 * 86_400 }),
  'iat future +1h': () => ownSigned({}, { iat: nowSeconds + 3600, exp: nowSeconds + 7200 }),
  'iat missing': () => ownSigned({}, { iat: without }),
  'iat string': () => ownSigned({}, { iat: String(nowSeconds) }),
  'iss array': () => ownSigned({}, { iss: [issuer] }),
  'aud array incl.': () => ownSigned({}, { aud: [audience, 'another'] }),
  'typ=dashboard-session+jwt': () => ownSigned({ typ: 'dashboard-session+jwt' }),
  'payload not json': () => makeToken(own, ownHeader(own), 'not json'),
  '__proto__ claim': () => [rewritten('{', '{"__proto__":{"role":"admin"},'), rewritten('{', '{"\\u005f_proto__":1,')],
  '1 MiB token': () => ownSigned({}, { padding: 'x'.repeat(1 << 20) }),
  'kid equal to own kid, signed by the external IdP key': () =>
    makeToken(external, { alg: 'RS256', typ: 'JWT', kid: own.kid }, externalClaims()),
  'external sub empty / 4 KiB / CRLF / reserved': () =>
    ['', 'x'.repeat(4096), 'a\r\nb', 'admin', 'ＡＤＭＩＮ', 'Service', 'svc:x'].map(sub =>
      makeToken(external, { alg: 'RS256', kid: external.kid }, externalClaims({ sub })),
    ),
  'own token with role not in enum': () => [ownSigned({}, { role: 'owner' }), ownSigned({}, { role: without })],
}

const withKey = (more: Record<string, unknown>) => keySetText({ ...external.jwk, ...more })
const refusedSets: Record<string, () => string[]> = {
  'external key set publishes kid="default" (clash with own)': () => [withKey({ kid: 'default' })],
  'external JWKS: kty=oct': () => [
    keySetText({ kty: 'oct', k: 'c2VjcmV0', kid: 'a', alg: 'HS256' }),
    keySetText(external, { kty: 'oct', k: 'c2VjcmV0', kid: 'a' }),
  ],
  'external JWKS: RSA 512/1024 bit': () => [512, 1024].map(bits => keySetText(makeKey('weak', 'RS256', bits))),
  'external JWKS: RSA e=1': () => [withKey({ e: 'AQ' }), withKey({ e: 'Aw' })],
  'external JWKS: use=enc / key_ops=[encrypt]': () => [withKey({ use: 'enc' }), withKey({ key_ops: ['encrypt'] })],
  'external JWKS: duplicate kid': () => [keySetText(external, makeKey(external.kid))],
  'external JWKS: private members d,p,q present': () => [
    keySetText({ ...external.privateKey.export({ format: 'jwk' }), kid: 'leaked' }),
    withKey({ d: 'AQAB' }),
    withKey({ p: 'AQAB' }),
    withKey({ q: 'AQAB' }),
  ],
}

const externalRules = { algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'], reservedKids: new Set(['default']) } as const

function getKeySet(text: string): KeySet {
  const keySet = readKeySet(text, externalRules)
  if (typeof keySet === 'string') throw new Error(keySet)
  return keySet
}

const provider: ExternalProvider = {
  issuer: externalIssuer,
  audience: externalAudience,
  userIdClaim: 'sub',
  tierClaim: null,
  keySet: getKeySet(keySetText(external)),
}

async function verify(token: string): Promise<TokenVerdict> {
  const verifier = createTokenVerifier({
    ownKeys: createFixedKeySource(getKeySet(keySetText(own))),
    ownRules: { issuer, audience },
    checkUserId: id => {
      const checked = checkUserId(id)
      return checked.ok ? checked.value : null
    },
    now: () => nowMs,
  })
  return verifier.verify(token, async () => provider)
}

const rows = readFileSync(join(import.meta.dirname, '../../data/security/jwt_attacks.tsv'), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => line.split('\t'))
  .map(([name = '', verdict = '']) => ({ name, verdict }))

test('every row is decided here, elsewhere by name, or left to the gateway by name', () => {
  const known = [tokens, refusedSets, rowsElsewhere].flatMap(Object.keys).concat(rowsForTheGateway)
  const claimRow = 'external token with tid,pid,role=admin,tier claims'
  expect(rows.map(row => row.name).toSorted()).toEqual([...known, claimRow].toSorted())
})

describe('tokens', () => {
  for (const { name, verdict } of rows) {
    const build = tokens[name]
    if (!build) continue
    test(name, async () => {
      for (const token of [build()].flat()) {
        const { outcome } = await verify(token)
        expect(outcome, token.slice(0, 300)).toBe(verdict === 'ACCEPT' ? 'verified' : 'refused')
      }
    })
  }

  test('external token with tid,pid,role=admin,tier claims', async () => {
    const foreign = { tid: 't', pid: 'p', role: 'admin', tier: 'gold', scp: ['all'] }
    const verdict = await verify(makeToken(external, { alg: 'RS256', kid: external.kid }, externalClaims(foreign)))
    const { exp, iat } = externalClaims()
    expect(verdict).toEqual({
      outcome: 'verified',
      token: { provider: 'external', claims: { uid: 'auth0|42', exp, iat } },
    })
  })
})

describe('key sets', () => {
  for (const [name, build] of Object.entries(refusedSets)) {
    test(name, () => {
      for (const text of build()) expect(typeof readKeySet(text, externalRules), text.slice(0, 300)).toBe('string')
    })
  }
})
