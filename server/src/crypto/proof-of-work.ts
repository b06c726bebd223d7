// Challenges for a proof of work: signed, so that they need no place in a store until they are used, and bound to one
// project and one network. A proof is the challenge, a dot and a number; its hash must begin with enough zero bits.
// How often a proof is accepted is the caller's business: `readProof` returns the id to count by.

import { createHmac, hash, randomBytes } from 'node:crypto'
import { isSameSecret } from './compare.ts'

/** Where a challenge is valid. */
interface ChallengeScope {
  projectId: string
  network: string
}

export const challengeSeconds = 120
/** How far the clocks of two replicas may be apart. */
const leewaySeconds = 30
/** No proof is accepted longer than this after it was first shown, so its id must be remembered for as long. */
export const proofLifeSeconds = challengeSeconds + 2 * leewaySeconds

/** Bits. The base takes a phone a fraction of a second, the maximum a computer several seconds. */
const baseDifficulty = 16
const maxDifficulty = 22
/** As many challenges an hour have the base difficulty; with each doubling it rises by one bit. */
const easyChallenges = 8

/** `count`: how many challenges the network got in this hour, this one included. */
export function difficultyOf(count: number): number {
  const doublings = Math.ceil(Math.log2(Math.max(1, count / easyChallenges)))
  return Math.min(maxDifficulty, baseDifficulty + doublings)
}

export function makeChallenge(key: Uint8Array, scope: ChallengeScope, difficulty: number, nowMs: number): string {
  const expiresAt = Math.floor(nowMs / 1000) + challengeSeconds
  const fields = `${expiresAt}.${difficulty}.${randomBytes(16).toString('base64url')}`
  return `${fields}.${sign(key, scope, fields)}`
}

const grammar = /^((\d{10,11})\.(\d{2})\.([A-Za-z0-9_-]{22}))\.([A-Za-z0-9_-]{43})\.\d{1,15}$/

/** Returns the challenge's id; null if it is another's, expired or forged, or if the work was not done. */
export function readProof(key: Uint8Array, scope: ChallengeScope, proof: string, nowMs: number): string | null {
  const [, fields = '', expiresAt, difficulty, id = '', signature = ''] = grammar.exec(proof) ?? []
  if (!isSameSecret(signature, sign(key, scope, fields))) return null
  const secondsLeft = Number(expiresAt) - nowMs / 1000
  if (secondsLeft <= 0 || secondsLeft > challengeSeconds + leewaySeconds) return null
  return countZeroBits(proof) >= Number(difficulty) ? id : null
}

function countZeroBits(proof: string): number {
  return Math.clz32(hash('sha256', proof, 'buffer').readUInt32BE(0))
}

// A JSON array delimits its elements: no two scopes yield the same text.
function sign(key: Uint8Array, { projectId, network }: ChallengeScope, fields: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([projectId, network, fields]))
    .digest('base64url')
}
