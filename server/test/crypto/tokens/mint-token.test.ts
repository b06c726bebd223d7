// Our tokens as an outside library sees them, against the key set we publish.
import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import {
  createSigningKey,
  findPublicJwks,
  findRsaPrivateKey,
  keySetDocument,
} from '../../../src/crypto/keys/signing-key.ts'
import { mintToken, type TokenSubject } from '../../../src/crypto/tokens/mint-token.ts'
import { StartupProblem } from '../../../src/domain/startup-problem.ts'

const newKey = (kid: string) => createSigningKey(kid, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const current = newKey('current')
const retired = newKey('retired')
const nowMs = 1_790_000_000_987
const minter = {
  signingKey: current,
  issuer: 'https://gate.example',
  audience: 'service',
  now: () => nowMs,
  randomId: randomUUID,
}
const subject: TokenSubject = { tenantId: 't', projectId: 'p', userId: 'Zoë 🦊', role: 'user', ttlSeconds: 60 }
const rules = {
  issuer: minter.issuer,
  audience: minter.audience,
  algorithms: ['RS256'],
  currentDate: new Date(nowMs),
}

test('a token has the claims and the header of the contract and verifies against the published set', async () => {
  const keySet = createLocalJWKSet(keySetDocument(current, [retired.publicJwk]))
  const { payload, protectedHeader } = await jwtVerify(await mintToken(minter, subject), keySet, rules)
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'current' })
  expect(payload).toEqual({
    tid: 't',
    pid: 'p',
    uid: 'Zoë 🦊',
    role: 'user',
    scp: [],
    iss: 'https://gate.example',
    aud: 'service',
    iat: 1_790_000_000,
    nbf: 1_790_000_000,
    exp: 1_790_000_060,
    jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  })
})

test('the tier is there only if one was asked for, and no two tokens share an id', async () => {
  const keySet = createLocalJWKSet(keySetDocument(current, []))
  const tokens = await Promise.all(Array.from({ length: 50 }, () => mintToken(minter, { ...subject, tier: 'gold' })))
  const payloads = await Promise.all(tokens.map(async token => (await jwtVerify(token, keySet, rules)).payload))
  expect(payloads.every(({ tier }) => tier === 'gold')).toBe(true)
  expect(new Set(payloads.map(({ jti }) => jti)).size).toBe(50)
})

test('a token of the retired key still verifies; one of an unpublished key does not', async () => {
  const keySet = createLocalJWKSet(keySetDocument(current, [retired.publicJwk]))
  const old = await mintToken({ ...minter, signingKey: retired }, subject)
  expect(decodeProtectedHeader(old).kid).toBe('retired')
  await expect(jwtVerify(old, keySet, rules)).resolves.toBeTruthy()
  const impostor = await mintToken({ ...minter, signingKey: newKey('current') }, subject)
  await expect(jwtVerify(impostor, keySet, rules)).rejects.toThrow(/signature/)
})

test('the published set holds public members alone, the current key first', () => {
  const { keys } = keySetDocument(current, [retired.publicJwk])
  expect(keys.map(({ kid }) => kid)).toEqual(['current', 'retired'])
  for (const key of keys) {
    expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' })
  }
})

test('the key that signs now may still be listed from the days before; another under its kid may not', () => {
  expect(keySetDocument(current, [current.publicJwk]).keys).toEqual([current.publicJwk])
  const impostor = { ...retired.publicJwk, kid: 'current' }
  expect(() => keySetDocument(current, [impostor])).toThrow(StartupProblem)
})

test('the thumbprint is that of RFC 7638 and does not depend on the kid', async () => {
  expect(current.thumbprint).toBe(await calculateJwkThumbprint(current.publicJwk))
  expect(createSigningKey('other', current.privateKey).thumbprint).toBe(current.thumbprint)
})

test('a private key is read from PEM and from base64 of PEM', () => {
  const pem = current.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const text of [pem, Buffer.from(pem).toString('base64')]) {
    expect(findRsaPrivateKey(text)?.equals(current.privateKey)).toBe(true)
  }
  expect(
    findRsaPrivateKey(createPublicKey(current.privateKey).export({ type: 'spki', format: 'pem' }).toString()),
  ).toBeNull()
})

test('previous keys are read as they will be published, without what else stood there', () => {
  const { kty, n, e } = retired.publicJwk
  expect(findPublicJwks(JSON.stringify([{ kty, n, e, kid: 'retired', x5t: 'more' }]))).toEqual([retired.publicJwk])
  expect(findPublicJwks('[]')).toEqual([])
  expect(findPublicJwks('[],"keys":[')).toBeNull()
})
