// Who stands behind an admitted request, as the gateway found out: in one process it is handed on as this value, between
// processes as the injected headers.

export interface Verified {
  requestId: string
  tenantId: string
  projectId: string
  userId: string
  role: string
  /** The tier that the token names, known to the project or not. */
  tier: string | null
  scopes: readonly string[]
  authProvider: string
  /** When the token was issued, in Unix seconds; absent if it does not say, and where another process verified it. */
  issuedAt?: number | undefined
  /** X-Session-Id and X-Thread-Id as the client gave them. */
  sessionId: string | null
  threadId: string | null
  /** One object for all requests of the token, as a key for what others cache by token. */
  token?: object
}
