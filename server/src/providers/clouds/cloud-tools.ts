// What the operator configures for the clouds, and the tokens that this process holds.

import type { TokenCache } from './token-cache.ts'

export interface CloudTools {
  tokens: TokenCache
  /** AZURE_AUTHORITY_HOST. */
  azureAuthority: string
  /** AWS_ENDPOINT_URL_STS; null: the endpoint of the region. */
  stsEndpoint: string | null
  /** WEB_IDENTITY_TOKEN_FILES: the only files that a tenant may name. */
  webIdentityFiles: ReadonlySet<string>
  readFile(path: string): Promise<string>
}

/** The platform has no credentials of clouds: they always belong to a tenant. */
export function tenantOf({ tenantId }: { tenantId?: string }): string {
  if (tenantId === undefined) throw new Error('the credential of a cloud belongs to a tenant')
  return tenantId
}
