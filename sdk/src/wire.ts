// The types of requests and responses between a client and the gateway, with the fields of the wire.
// The server `import type`s them, so this file must contain types only and import nothing.

export type Role = 'user' | 'dashboard-service' | 'admin'

/** Body of `POST {project address}/v1/auth/mint`. */
export interface MintRequest {
  user_id: string
  role?: Role
  /** Seconds, 60 to 86400. */
  ttl?: number
  tier?: string
  session_id?: string
}

export interface MintResponse {
  access_token: string
  token_type: 'Bearer'
  project_id: string
  /** Seconds. */
  expires_in: number
  session_id: string
  /** What may be wrong with the request all the same, such as a tier that the project does not have. */
  warning?: string
}

/** Body of every error response of the mint and of the management API. */
export interface ErrorResponse {
  error: string
  code?: string
  retryable?: boolean
  upgrade_url?: string
}
