// The ways in which people sign in, one row each: what a session records of its beginning.

interface Authentication {
  /** Whether it takes more than a password or a link that somebody else may have seen: it needs no second factor. */
  isStrong: boolean
  /** Whether its sessions need a recent sign-in where the table of permissions says so, whatever the account has. */
  stepsUp: boolean
}

export const authentications = {
  password: { isStrong: false, stepsUp: false },
  invitation: { isStrong: false, stepsUp: false },
  reset_link: { isStrong: false, stepsUp: false },
  /** After the password. */
  totp: { isStrong: true, stepsUp: true },
  backup_code: { isStrong: true, stepsUp: true },
  /** After the password, or alone: the device has checked its owner. */
  passkey: { isStrong: true, stepsUp: true },
  /** The issuer asks for as much as those want who chose it. */
  sso: { isStrong: true, stepsUp: true },
} as const satisfies Record<string, Authentication>

export type AuthenticatedBy = keyof typeof authentications

/** Null for sessions older than the record, and for what a newer version wrote. */
export function readAuthenticatedBy(stored: string | null): AuthenticatedBy | null {
  return stored !== null && Object.hasOwn(authentications, stored) ? (stored as AuthenticatedBy) : null
}
