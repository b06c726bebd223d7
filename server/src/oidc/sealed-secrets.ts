// What the sealed secrets of single sign-on are bound to: a client secret to the issuer that may get it, a refresh
// token to its session. A ciphertext that was moved, or whose issuer was edited, does not open.

import type { SecretContext } from '../crypto/secrets/secret-box.ts'

interface ConnectionPlace {
  tenantId: string
  issuer: string
  clientId: string
}

export function clientSecretContext({ tenantId, issuer, clientId }: ConnectionPlace): SecretContext {
  return { purpose: 'sso-client-secret', tenantId, rowId: tenantId, bound: [issuer, clientId] }
}

/** The tenant is empty for the installation's own issuer. */
export function refreshTokenContext(tenantId: string, sessionDigest: string): SecretContext {
  return { purpose: 'sso-refresh-token', tenantId, rowId: sessionDigest }
}
