// Codes of authenticator apps against the vectors of RFC 6238 and RFC 4648, and backup codes.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backupCodeDigest, newBackupCodes } from '../../../src/crypto/factors/backup-codes.ts'
import { fromBase32, toBase32 } from '../../../src/crypto/factors/base32.ts'
import { findStep, newTotpSecret, totpUri } from '../../../src/crypto/factors/totp.ts'

const secret = toBase32(Buffer.from('12345678901234567890'))

describe('base32', () => {
  test.each([
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %s', (text, expected) => {
    expect(toBase32(Buffer.from(text))).toBe(expected)
  })

  test('gives back every bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        expect(fromBase32(toBase32(bytes))).toEqual(Buffer.from(bytes))
      }),
    )
  })
})

describe('a code', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d seconds is that of RFC 6238', (seconds, code) => {
    expect(findStep(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  test('counts one step before and after its own, and no further', () => {
    const at = 1_111_111_109_000
    const step = Math.floor(at / 30_000)
    const found = [-60_000, -30_000, 0, 30_000, 60_000].map(later => findStep(secret, '081804', at + later))
    expect(found).toEqual([null, step, step, step, null])
  })

  test('is none of another secret', () => {
    expect(findStep(newTotpSecret(randomBytes), 'x', 60_000)).toBeNull()
  })

  test('has a secret of 160 bits, which the QR code holds', () => {
    const made = newTotpSecret(randomBytes)
    expect(made).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(totpUri({ issuer: 'Sallyport', email: 'a+b@example.com', secret: made }))
    expect([uri.protocol, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', '/Sallyport:a+b@example.com'])
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: made,
      issuer: 'Sallyport',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})

test('backup codes are ten, differ, and are found however they are typed', () => {
  const codes = newBackupCodes(randomBytes)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  const [code = ''] = codes
  expect(backupCodeDigest('u1', ` ${code.toUpperCase().replaceAll('-', ' ')}`)).toBe(backupCodeDigest('u1', code))
  expect(backupCodeDigest('u2', code)).not.toBe(backupCodeDigest('u1', code))
})
