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

export type AttestationKind = 'turnstile' | 'hcaptcha' | 'recaptcha' | 'proof_of_work' | 'app_check'

/** What a client without an account shows to get a token. */
export interface AttestationProof {
  kind: AttestationKind
  /** What the service gave the client; for `proof_of_work` the challenge, a dot and the number that was found. */
  token: string
}

/** Body of `POST {project address}/v1/auth/anonymous`. */
export interface AnonymousRequest {
  attestation: AttestationProof
  /** A secret of the device, 16 to 128 characters of A-Z a-z 0-9 _ -: the same one gives the same `uid`. */
  device?: string
}

export interface AnonymousResponse {
  access_token: string
  /** Seconds. */
  expires_in: number
  uid: string
}

/** Body of the response of `GET {project address}/v1/auth/anonymous/challenge`. */
export interface ChallengeResponse {
  challenge: string
  /** Zero bits with which the SHA-256 of the challenge, a dot and the number must begin. */
  difficulty: number
}

/** Body of every error response of the mint and of the management API. */
export interface ErrorResponse {
  error: string
  code?: string
  retryable?: boolean
  upgrade_url?: string
  /** With the code `second_factor_required`: what the sign-in goes on with. */
  challenge?: string
  methods?: string[]
}
