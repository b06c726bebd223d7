// Challenges and proofs: whose they are, how long they hold, how hard they are; the SDK's search finds what is accepted.
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findProof } from '../../../sdk/src/find-proof.ts'
import { difficultyOf, makeChallenge, proofLifeSeconds, readProof } from '../../src/crypto/proof-of-work.ts'

const key = randomBytes(32)
const scope = { projectId: 'p-1', network: '192.0.2.1' }
const now = Date.UTC(2026, 10, 28)
const difficulty = 10

function prove(challenge = makeChallenge(key, scope, difficulty, now)): string {
  const proof = findProof(challenge, difficulty, 0, 1_000_000)
  if (proof === null) throw new Error('no proof in a million numbers')
  return proof
}

describe('a proof', () => {
  test('is accepted with the id of its challenge, which no other has', () => {
    const challenge = makeChallenge(key, scope, difficulty, now)
    const proof = prove(challenge)
    const id = readProof(key, scope, proof, now)
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/)
    const next = findProof(challenge, difficulty, Number(proof.split('.').at(-1)) + 1, 1_000_000) ?? ''
    expect(readProof(key, scope, next, now)).toBe(id)
    expect(readProof(key, scope, prove(), now)).not.toBe(id)
  })

  test('of another project, another network or another key is not', () => {
    const proof = prove()
    expect(readProof(key, { ...scope, projectId: 'p-2' }, proof, now)).toBeNull()
    expect(readProof(key, { ...scope, network: '192.0.2.2' }, proof, now)).toBeNull()
    expect(readProof(randomBytes(32), scope, proof, now)).toBeNull()
  })

  test('holds for two minutes, and by no clock that is an hour off', () => {
    const proof = prove()
    expect(readProof(key, scope, proof, now + 119_000)).not.toBeNull()
    expect(readProof(key, scope, proof, now + 120_000)).toBeNull()
    expect(readProof(key, scope, proof, now - 29_000)).not.toBeNull()
    expect(readProof(key, scope, proof, now - 31_000)).toBeNull()
    expect(readProof(key, scope, proof, now + 3_600_000)).toBeNull()
    expect(readProof(key, scope, proof, now - 3_600_000)).toBeNull()
    // From the earliest moment at which it is accepted to the last one.
    expect(proofLifeSeconds).toBeGreaterThanOrEqual(150)
  })

  test('without the work is not accepted, nor one whose difficulty was lowered', () => {
    const challenge = makeChallenge(key, scope, 16, now)
    const lazy = [...Array(50).keys()].map(number => `${challenge}.${number}`)
    const isProof = (text: string) => createHash('sha256').update(text).digest().readUInt16BE(0) === 0
    for (const text of lazy.filter(one => !isProof(one))) expect(readProof(key, scope, text, now)).toBeNull()
    const lowered = challenge.replace(/^(\d+)\.16\./, '$1.10.')
    expect(readProof(key, scope, prove(lowered), now)).toBeNull()
  })

  test.each(['', '.', 'a.b.c.d.e', `${makeChallenge(key, scope, difficulty, now)}.`, `${prove()} `, `${prove()}.1`])(
    'of another form is not: %s',
    text => {
      expect(readProof(key, scope, text, now)).toBeNull()
    },
  )
})

test('the search hashes as everybody else does, whatever the length', () => {
  for (const length of [1, 40, 53, 54, 55, 62, 63, 64, 70, 110, 118, 119, 200]) {
    const proof = findProof('c'.repeat(length), 8, 0, 100_000) ?? ''
    expect([length, createHash('sha256').update(proof).digest()[0]]).toEqual([length, 0])
  }
  expect(findProof('c', 32, 0, 100)).toBeNull()
})

test('the difficulty rises by a bit with each doubling, up to a maximum', () => {
  expect([1, 8, 9, 16, 17, 32, 64, 1_000_000].map(difficultyOf)).toEqual([16, 16, 17, 17, 18, 18, 19, 22])
})
