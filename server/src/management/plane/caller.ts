// The results of authorisation: a request's caller, and the tenant and project that its path names.

import type { AuthenticatedBy } from '../../domain/access/authentications.ts'
import type { Permission } from '../../domain/access/permissions.ts'
import type { ApiKeyHolder } from './mint-credential.ts'

/** Only a `user` has a user id and a session, only an `api-key` has a key. */
export interface Caller {
  kind: 'user' | 'service-account' | 'admin' | 'api-key' | 'public'
  userId: string
  /** Of a service account or an operator's credential its kind and name. */
  email: string
  session: Session | null
  apiKey: ApiKeyHolder | null
  serviceAccount: ServiceAccount | null
  /** Of an `admin`: which of the operators, by what they authenticated with. */
  operatorId: string
}

export interface ServiceAccount {
  id: string
  tenantId: string
  permissions: readonly Permission[]
  /** Null for the whole tenant. */
  projects: readonly string[] | null
}

export interface Session {
  issuer: 'own' | 'external'
  digest: string
  expiresAt: number
  /** When its user proved who they are; null if that is unknown. */
  authenticatedAt: number | null
  /** How they did; null if that is unknown. */
  authenticatedBy: AuthenticatedBy | null
  /** Of the account; nobody asks at the external issuer. */
  hasSecondFactor: boolean
  /** Whether the token came in the browser's cookie. */
  isCookie: boolean
  /** The one tenant that it reaches, if that tenant's single sign-on opened it. Null for the account's own sign-in. */
  tenantId: string | null
  /** By which a single sign-on opened it, of a tenant or of the installation. */
  identityId: string | null
}

/** The tenant and the project that the path's ids belong to, and what the caller may do there. */
export interface Owned {
  tenant: { id: string; name: string; plan: 'free' | 'pro'; require_second_factor: 0 | 1; created_at: number }
  project: {
    id: string
    tenant_id: string
    name: string
    slug: string
    status: 'active' | 'suspended'
    managed_by: 'file' | null
  }
  permissions: readonly Permission[]
}

export const anonymousCaller: Caller = {
  kind: 'public',
  userId: '',
  email: '',
  session: null,
  apiKey: null,
  serviceAccount: null,
  operatorId: '',
}
