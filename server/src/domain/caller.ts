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
  issuedAt?: number
  /** X-Session-Id and X-Thread-Id as the client gave them. */
  sessionId: string | null
  threadId: string | null
  /** Stands for the token, one object for all of its requests, for whoever keeps something by it; says nothing itself. */
  token?: object
}
