// The tables of second factors, a part of schema.ts.

type Millis = number

export interface FactorTables {
  passkeys: {
    id: string
    user_id: string
    name: string
    credential_id: string // base64url, as browsers send it
    public_key: string // SPKI, base64url
    counter: number // of its last signature; stays 0 for passkeys that do not count
    created_at: Millis
    last_used_at: Millis | null
  }
  totp_secrets: {
    user_id: string
    ciphertext: string // sealed
    created_at: Millis
    confirmed_at: Millis | null // null until a first code has shown that the app has the secret
    last_step: number // that of the last code used; neither it nor an earlier one counts again
  }
  backup_codes: {
    user_id: string
    digest: string
  }
  /** Wrong codes of an account, and those that are being compared. */
  code_attempts: {
    user_id: string
    failures: number
    last_at: Millis
    locked_until: Millis | null
  }
  sign_in_challenges: {
    digest: string
    purpose: 'register' | 'sign_in' | 'second_factor' | 'step_up'
    user_id: string | null // null before anybody knows who signs in
    bound_to: string | null // a digest of the password's hash, or of the session
    expires_at: Millis
  }
}
