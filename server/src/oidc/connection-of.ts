// Opens the stored issuer of a tenant, and the installation's own, for the issuer client.

import type { SecretBox } from '../crypto/secrets/secret-box.ts'
import type { IssuerConnection } from './issuer-client.ts'
import { clientSecretContext } from './sealed-secrets.ts'

/** The issuer of OIDC_ISSUER, whose word the operator trusts for every account. */
export interface InstallationIssuer {
  issuer: string
  clientId: string
  clientSecret: string
  /** Null for all. */
  allowedDomains: readonly string[] | null
  /** Whoever has this value of this claim is an operator. */
  operatorClaim: { name: string; value: string } | null
}

interface StoredConnection {
  tenant_id: string
  issuer: string
  client_id: string
  ciphertext: string
}

export function connectionOf(row: StoredConnection, secretBox: Pick<SecretBox, 'open'>): IssuerConnection {
  const { tenant_id: tenantId, issuer, client_id: clientId } = row
  const clientSecret = secretBox.open(row.ciphertext, clientSecretContext({ tenantId, issuer, clientId }))
  return { issuer, clientId, clientSecret, guard: 'tenant', tenantId }
}

export function installationConnection({ issuer, clientId, clientSecret }: InstallationIssuer): IssuerConnection {
  return { issuer, clientId, clientSecret, guard: 'operator' }
}
