// The ways in which people sign in, one row each: what a session records of its beginning.

interface Authentication {
  /** Whether it takes more than a password or a link that somebody else may have seen. */
  isStrong: boolean
}

export const authentications = {
  password: { isStrong: false },
  invitation: { isStrong: false },
  reset_link: { isStrong: false },
} as const satisfies Record<string, Authentication>

export type AuthenticatedBy = keyof typeof authentications

/** Null for sessions older than the record, and for what a newer version wrote. */
export function readAuthenticatedBy(stored: string | null): AuthenticatedBy | null {
  return stored !== null && Object.hasOwn(authentications, stored) ? (stored as AuthenticatedBy) : null
}
