// The tables of people and of the tenants that they belong to; the rest of the schema is schema.ts's.

type Millis = number

export interface AccountTables {
  users: {
    id: string
    email: string // lower case
    password_hash: string | null
    created_at: Millis
  }
  sessions: {
    token_digest: string
    user_id: string
    created_at: Millis
    expires_at: Millis
    last_seen_at: Millis | null // within a minute; null in those opened before it was kept
    address: string | null // the client's, as it was opened
    user_agent: string | null
  }
  /** Links by which a user sets a new password, until they are used. */
  password_resets: {
    token_digest: string
    user_id: string
    tenant_id: string | null // whose owner made it; null for the operator
    made_by: string | null
    created_at: Millis
    expires_at: Millis
  }
  /** Tokens of the external session issuer that must not be accepted any more, until they expire by themselves. */
  ended_sessions: {
    token_digest: string
    expires_at: Millis
  }
  tenants: {
    id: string
    name: string
    plan: 'free' | 'pro'
    provider_keys_revision: number // raised with every change of its provider keys
    created_at: Millis
    deleted_at: Millis | null // set while the worker still erases it
  }
  memberships: {
    tenant_id: string
    user_id: string
    role: 'owner' | 'member' | 'viewer'
    created_at: Millis
  }
  invitations: {
    id: string
    token_digest: string
    tenant_id: string
    email: string
    role: 'owner' | 'member' | 'viewer'
    created_at: Millis
    expires_at: Millis
    used_at: Millis | null
  }
}
