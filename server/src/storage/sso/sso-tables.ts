// The tables of single sign-on, a part of schema.ts. An empty tenant stands for the installation's own issuer.

type Millis = number

export interface SsoTables {
  /** The issuers of tenants, one each. */
  sso_connections: {
    tenant_id: string
    issuer: string
    client_id: string
    ciphertext: string // of the client secret
    domains: string // JSON
    required: 0 | 1
    break_glass_user_id: string | null
    default_role: string
    role_claim: string | null
    role_map: string // JSON
    created_at: Millis
    updated_at: Millis
  }
  /** Which tenant people with an email of a domain belong to. */
  sso_domains: {
    domain: string
    tenant_id: string
  }
  /** Whose account it is that an issuer calls by a subject. */
  sso_identities: {
    id: string
    tenant_id: string
    issuer: string
    subject: string
    user_id: string
    created_at: Millis
    last_used_at: Millis
  }
  /** Sign-ins that began and wait for the issuer's answer. */
  sso_attempts: {
    state_digest: string
    browser_digest: string
    tenant_id: string
    return_to: string
    expires_at: Millis
  }
  /** Identities that wait for the own sign-in of the account whose email they assert. */
  sso_links: {
    browser_digest: string
    tenant_id: string
    issuer: string
    subject: string
    email: string
    role: string | null
    return_to: string
    expires_at: Millis
  }
}
