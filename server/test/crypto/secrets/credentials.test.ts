// The shapes of what we hand out, and what of them is stored and shown.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSameSecret } from '../../../src/crypto/compare.ts'
import * as credentials from '../../../src/crypto/secrets/credentials.ts'

const zeros = (count: number) => new Uint8Array(count)

test('an API key has the shape of the contract and 128 random bits', () => {
  expect(credentials.newApiKey(zeros)).toBe(`service_sk_live_${'0'.repeat(32)}`)
  const keys = Array.from({ length: 1000 }, () => credentials.newApiKey(randomBytes))
  for (const key of keys) expect(key).toMatch(/^service_sk_live_[0-9a-f]{32}$/)
  expect(new Set(keys).size).toBe(1000)
})

test('a key is found by its SHA-256 digest, and lists show the start of that', () => {
  const digest = credentials.apiKeyDigest('abc')
  expect(digest).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(credentials.apiKeyPrefix(digest)).toBe('ba7816bf…')
})

test('the hint is the end of a whole key, and of nothing else', () => {
  expect(credentials.apiKeyHint(`service_sk_live_${'0'.repeat(28)}a1b2`)).toBe('a1b2')
  for (const other of ['service_sk_live_a1b2', `service_sk_live_${'0'.repeat(33)}`, 'a password']) {
    expect(credentials.apiKeyHint(other)).toBe('malformed')
  }
})

test('session and invitation tokens carry 32 random bytes', () => {
  expect(credentials.newSessionToken(zeros)).toBe(`sess_${'A'.repeat(43)}`)
  expect(credentials.newInvitationToken(zeros)).toBe('A'.repeat(43))
  expect(credentials.newSessionToken(randomBytes)).toMatch(/^sess_[A-Za-z0-9_-]{43}$/)
  expect(credentials.tokenDigest('abc')).toBe(credentials.apiKeyDigest('abc'))
})

test.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secret', 'secret ', false],
  ['', 'secret', false],
  ['', '', true],
  ['é', 'e\u0301', false],
  ['a'.repeat(100_000), 'a', false],
])('comparison %#', (given, expected, isSame) => {
  expect(isSameSecret(given, expected)).toBe(isSame)
})
