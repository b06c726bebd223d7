// Which end users of a project are blocked and whose tokens are revoked: the document that the data plane
// reads, and how it applies to one token.

import { isJsonObject, parseJson, parseList } from '../json-object.ts'

export interface Restrictions {
  readonly revision: number
  /** Nobody is restricted: nothing else need be read. */
  readonly isEmpty: boolean
  readonly blocked: ReadonlySet<string>
  /** End user → Unix seconds: tokens issued in that second or before are revoked. */
  readonly revokedBefore: ReadonlyMap<string, number>
}

/** Also the error code, and the reason for ending a call in flight. */
export type Restriction = 'token_revoked' | 'user_blocked'

interface TokenHolder {
  userId: string
  /** Unix seconds. Absent if the token does not say it; it then counts as the oldest token. */
  issuedAt?: number | undefined
}

/** A revocation is reported before a block: a revoked token proves nothing about its holder. */
export function findRestriction(
  { blocked, revokedBefore }: Restrictions,
  { userId, issuedAt = 0 }: TokenHolder,
): Restriction | null {
  if (issuedAt <= (revokedBefore.get(userId) ?? -1)) return 'token_revoked'
  return blocked.has(userId) ? 'user_blocked' : null
}

/** Arrays, because clients choose the user ids: as members of an object, some of them would be lost. */
interface RestrictionsDocument {
  blocked: string[]
  revoked: Array<[userId: string, before: number]>
}

export function writeRestrictions(document: RestrictionsDocument): string {
  return JSON.stringify(document)
}

/** Returns null if any part of the document is invalid: it must not let anyone in. */
export function parseRestrictions(revision: number, body: string): Restrictions | null {
  const document = parseJson(body)
  if (!isJsonObject(document)) return null
  const blocked = parseList(document['blocked'], entry => (typeof entry === 'string' ? entry : null))
  const revoked = parseList(document['revoked'], parseRevocation)
  if (blocked === null || revoked === null) return null
  const isEmpty = blocked.length === 0 && revoked.length === 0
  return { revision, isEmpty, blocked: new Set(blocked), revokedBefore: new Map(revoked) }
}

function parseRevocation(entry: unknown): [string, number] | null {
  if (!Array.isArray(entry)) return null
  const [userId, before] = entry as unknown[]
  return typeof userId === 'string' && typeof before === 'number' ? [userId, before] : null
}
