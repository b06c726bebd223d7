// An entry of the audit, and the chain that entries form: each holds the hash of the one before it. The hash is SHA-256
// over the canonical JSON (RFC 8785) of the entry without its hash, so that anybody can compute it again.

import { hash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../json-object.ts'

export const actorKinds = ['user', 'service_account', 'operator', 'system'] as const
export const auditOutcomes = ['done', 'refused'] as const

export interface AuditActor {
  kind: (typeof actorKinds)[number]
  /** Null for somebody unknown, such as after a sign-in that failed. */
  id: string | null
  name: string | null
}

export interface AuditTarget {
  type: string
  id: string | null
  name: string | null
}

export interface AuditEntry {
  seq: number
  id: string
  at: string
  tenant_id: string | null
  /** The project that the target belongs to, or that it is. Entries of an earlier version do not have it. */
  project_id?: string | null | undefined
  actor: AuditActor
  authenticated_by: string
  address: string | null
  user_agent: string | null
  action: string
  target: AuditTarget
  /** Hold only what differs. */
  before: JsonObject | null
  after: JsonObject | null
  outcome: (typeof auditOutcomes)[number]
  /** The code of the error by which it was refused. */
  reason: string | null
  request_id: string | null
  prev_hash: string
  hash: string
}

/** What `prev_hash` of the first entry is. */
export const noHash = '0'.repeat(64)

export function sealEntry(entry: Omit<AuditEntry, 'hash'>): AuditEntry {
  return { ...entry, hash: hashEntry(entry) }
}

/** Numbers and texts are written by JSON.stringify as RFC 8785 asks; lone surrogates do not reach an entry. */
export function hashEntry(entry: object): string {
  const { hash: _, ...hashed } = entry as JsonObject
  return hash('sha256', canonicalJson(hashed))
}
