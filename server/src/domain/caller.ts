// The verified caller of an admitted request. Within a process it is passed on as this value, between processes
// as the injected headers.

export interface Verified {
  requestId: string
  tenantId: string
  projectId: string
  userId: string
  role: string
  /** The tier in the token; the project need not have a tier of that name. */
  tier: string | null
  scopes: readonly string[]
  authProvider: string
  /**
   * When the token was issued, in Unix seconds. Absent if the token does not say it, or if another process
   * verified it.
   */
  issuedAt?: number | undefined
  /** The headers X-Session-Id and X-Thread-Id as the client sent them. */
  sessionId: string | null
  threadId: string | null
  /** The same object for all requests with the same token: the key of per-token caches. */
  token?: object
}
