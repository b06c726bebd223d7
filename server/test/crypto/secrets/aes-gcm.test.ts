// AES-GCM against the published vectors, where they lie beside the checkout: right answers only, and no other sizes.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encrypt, findPlaintext, keyBytes, nonceBytes } from '../../../src/crypto/secrets/aes-gcm.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'

interface VectorFile {
  testGroups: {
    ivSize: number
    keySize: number
    tagSize: number
    tests: {
      tcId: number
      key: string
      iv: string
      aad: string
      msg: string
      ct: string
      tag: string
      result: string
    }[]
  }[]
}

const hex = (text: string) => Buffer.from(text, 'hex')

describeWithSharedData('published vectors', 'security/wycheproof/aes_gcm_test.json', path => {
  const groups = (JSON.parse(readFileSync(path, 'utf8')) as VectorFile).testGroups
  const ours = groups.filter(group => group.keySize === 8 * keyBytes && group.tagSize === 128)

  test('of our sizes: valid ones open and are what we seal, others stay closed', () => {
    const vectors = ours.filter(group => group.ivSize === 8 * nonceBytes).flatMap(group => group.tests)
    expect(vectors.length).toBeGreaterThan(60)
    for (const { tcId, key, iv, aad, msg, ct, tag, result } of vectors) {
      const opened = findPlaintext(hex(key), hex(iv), hex(ct + tag), hex(aad))
      expect(opened?.toString('hex') ?? null, `case ${tcId}`).toBe(result === 'valid' ? msg : null)
      if (result === 'valid') expect(encrypt(hex(key), hex(iv), hex(msg), hex(aad)).toString('hex')).toBe(ct + tag)
    }
  })

  test('of other nonce sizes: refused, whatever their result', () => {
    const vectors = ours.filter(group => group.ivSize !== 8 * nonceBytes).flatMap(group => group.tests)
    expect(vectors.length).toBeGreaterThan(10)
    for (const { key, iv, aad, msg, ct, tag } of vectors) {
      expect(() => findPlaintext(hex(key), hex(iv), hex(ct + tag), hex(aad))).toThrow(RangeError)
      expect(() => encrypt(hex(key), hex(iv), hex(msg), hex(aad))).toThrow(RangeError)
    }
  })
})

test('a text shorter than its tag is no ciphertext', () => {
  expect(findPlaintext(Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(15), Buffer.alloc(0))).toBeNull()
})
