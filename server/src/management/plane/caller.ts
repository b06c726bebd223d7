// Who is behind a request and what of a tenant's it is for, as authorisation found it. Knows no rule of who may do what.

import type { ApiKeyHolder } from './mint-credential.ts'

/** Who asks. Only a `user` has a user behind it, only an `api-key` a key. */
export interface Caller {
  kind: 'user' | 'admin' | 'api-key' | 'public'
  userId: string
  email: string
  session: Session | null
  apiKey: ApiKeyHolder | null
}

export interface Session {
  issuer: 'own' | 'external'
  digest: string
  expiresAt: number
  /** Carried by the browser's cookie. */
  isCookie: boolean
}

/** What the path's ids lead to. */
export interface Owned {
  tenant: { id: string; name: string; plan: 'free' | 'pro'; created_at: number }
  project: { id: string; tenant_id: string; name: string; slug: string; status: 'active' | 'suspended' }
  role: Role
}

export const nobody: Caller = { kind: 'public', userId: '', email: '', session: null, apiKey: null }

/** What a member may do, least first. */
export type Role = 'viewer' | 'member' | 'owner'
