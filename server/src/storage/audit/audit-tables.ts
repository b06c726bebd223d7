// The tables of the audit, a part of schema.ts.

type Millis = number

export interface AuditTables {
  /** Rows are only added, and dropped by whole months. */
  audit_entries: {
    tenant_id: string // of the chain: a tenant, or `installation`
    seq: number
    at: Millis
    actor_id: string | null
    action: string
    target_type: string
    target_id: string | null
    project_id: string | null // whose the target is; null of a thing of the tenant, and in entries of old versions
    outcome: 'done' | 'refused'
    is_change: 0 | 1 | null // of the target; null in entries of old versions
    entry: string // the JSON of the whole entry
  }
  /** The end of each chain, which every writer of it locks, and where what is kept of it begins. */
  audit_heads: {
    tenant_id: string // of the chain
    seq: number
    hash: string
    start_seq: number // of the last entry that was dropped; 0 if none was
    start_hash: string
    start_signature: string | null
  }
  /** Refused acts of one actor in one minute: beyond a number they are only counted. */
  audit_refusals: {
    tenant_id: string // of the chain
    actor: string
    minute: Millis
    count: number
  }
}
