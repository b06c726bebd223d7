// The tables of users and of the tenants that they belong to, a part of schema.ts.

import type { Generated } from 'kysely'
import type { AuditTables } from './audit/audit-tables.ts'
import type { FactorTables } from './factors/factor-tables.ts'
import type { SsoTables } from './sso/sso-tables.ts'

type Millis = number

export interface AccountTables extends AuditTables, FactorTables, SsoTables {
  users: {
    id: string
    email: string // lower case
    password_hash: string | null
    home_tenant_id: string | null // whose invitation made the account, while it never belonged to another tenant
    email_proven_at: Millis | null // when the operator or the session issuer vouched for the email
    second_factor_since: Millis | null // null while it has none
    created_at: Millis
  }
  sessions: {
    token_digest: string
    user_id: string
    created_at: Millis
    expires_at: Millis
    last_seen_at: Millis | null // updated once a minute at most; null for sessions older than this column
    address: string | null // the client's address when the session was opened
    user_agent: string | null
    authenticated_at: Millis | null // when the user proved who they are; null for sessions older than this column
    authenticated_by: string | null // a row of domain/access/authentications.ts; null as above
    tenant_id: string | null // the one tenant that the session reaches, if that tenant's issuer opened it
    identity_id: string | null // by which single sign-on opened it
    refresh_token: string | null // sealed; by which the issuer is asked whether its user may still sign in
    refresh_at: Millis | null // when it is asked next
  }
  /** Programs that ask to be signed in by somebody with a browser, until they are or their code expires. */
  device_requests: {
    device_digest: string
    user_code_digest: string
    client: string // what asks, as it calls itself
    address: string // the client's address when it asked
    created_at: Millis
    expires_at: Millis
    polled_at: Millis | null
    state: 'pending' | 'approved' | 'denied'
    session_digest: string | null // of the session that approved it, while approved
  }
  /** Links by which a user sets a new password, until they are used. */
  password_resets: {
    token_digest: string
    user_id: string
    tenant_id: string | null // the tenant whose owner created it; null for the operator's
    made_by: string | null
    created_at: Millis
    expires_at: Millis
  }
  /** Tokens of the external session issuer that were ended early, until they expire. */
  ended_sessions: {
    token_digest: string
    expires_at: Millis
  }
  /** Accounts whose sessions may use the operator's routes. */
  operators: {
    user_id: string
    created_at: Millis
    created_by: string
  }
  /** Secrets that take the place of ADMIN_SECRET. */
  operator_credentials: {
    id: string
    name: string
    scope: 'read' | 'write'
    digest: string
    hint: string
    expires_at: Millis | null
    created_at: Millis
    created_by: string
  }
  tenants: {
    id: string
    name: string
    plan: 'free' | 'pro'
    provider_keys_revision: number // raised with every change of its provider keys
    require_second_factor: Generated<0 | 1> // of its members; 0 by default
    created_at: Millis
    deleted_at: Millis | null // set while the worker still erases it
  }
  memberships: {
    tenant_id: string
    user_id: string
    role: string // a built-in role, or the name of one of the tenant's own
    created_at: Millis
  }
  /** The tenants' own roles. */
  roles: {
    tenant_id: string
    name: string
    description: string | null
    permissions: string // JSON
    created_at: Millis
    updated_at: Millis
  }
  service_accounts: {
    id: string
    tenant_id: string
    name: string
    permissions: string // JSON
    projects: string | null // JSON; null for the whole tenant
    key_digest: string
    hint: string
    previous_digest: string | null // of the key before the last rotation
    previous_until: Millis | null
    expires_at: Millis | null
    created_at: Millis
    created_by: string
    last_used_at: Millis | null // of the minute
  }
  invitations: {
    id: string
    token_digest: string
    tenant_id: string
    email: string
    role: string
    created_at: Millis
    expires_at: Millis
    used_at: Millis | null
  }
}
