// Which end users of a project are blocked, and whose tokens were revoked: as the document that the data plane reads, and
// what it means for one token.

import { isJsonObject, parseJson, parseList } from '../json-object.ts'

export interface Restrictions {
  readonly revision: number
  readonly blocked: ReadonlySet<string>
  /** End user → Unix seconds: tokens issued then or before are revoked. */
  readonly revokedBefore: ReadonlyMap<string, number>
}

/** Also the code of the refusal, and of what ends a call in flight. */
export type Restriction = 'token_revoked' | 'user_blocked'

interface TokenHolder {
  userId: string
  /** Unix seconds; absent if the token does not say it, which counts as the oldest. */
  issuedAt?: number | undefined
}

/** A revoked token says nothing about its holder, so it is reported before a block. */
export function findRestriction(
  { blocked, revokedBefore }: Restrictions,
  { userId, issuedAt = 0 }: TokenHolder,
): Restriction | null {
  if (revokedBefore.size > 0 && issuedAt <= (revokedBefore.get(userId) ?? -1)) return 'token_revoked'
  return blocked.size > 0 && blocked.has(userId) ? 'user_blocked' : null
}

/** Lists, because user ids are the clients' own text: as members of an object some would be lost. */
interface RestrictionsDocument {
  blocked: string[]
  revoked: Array<[userId: string, before: number]>
}

export function writeRestrictions(document: RestrictionsDocument): string {
  return JSON.stringify(document)
}

/** Null if the document is damaged in any part: nobody is let in because of it. */
export function parseRestrictions(revision: number, body: string): Restrictions | null {
  const document = parseJson(body)
  if (!isJsonObject(document)) return null
  const blocked = parseList(document['blocked'], entry => (typeof entry === 'string' ? entry : null))
  const revoked = parseList(document['revoked'], parseRevocation)
  if (blocked === null || revoked === null) return null
  return { revision, blocked: new Set(blocked), revokedBefore: new Map(revoked) }
}

function parseRevocation(entry: unknown): [string, number] | null {
  if (!Array.isArray(entry)) return null
  const [userId, before] = entry as unknown[]
  return typeof userId === 'string' && typeof before === 'number' ? [userId, before] : null
}
