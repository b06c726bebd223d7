// Rules of single sign-on: which role a person's claims mean, whose emails may sign in, and where a browser may return.

/** Whose issuer it is. */
export const signOnKinds = ['tenant', 'installation'] as const

/** What an issuer says of a person. */
export type Claims = Readonly<Record<string, unknown>>

export interface RoleRules {
  defaultRole: string
  /** Null if claims decide the role of new members only. */
  roleClaim: string | null
  /** From a value of the claim to a role; the first value that the person has decides. */
  roleMap: Readonly<Record<string, string>>
}

/** The role that the claims mean. */
export function roleOf({ defaultRole, roleClaim, roleMap }: RoleRules, claims: Claims): string {
  if (roleClaim === null) return defaultRole
  return Object.entries(roleMap).find(([value]) => hasClaim(claims, roleClaim, value))?.[1] ?? defaultRole
}

/** Whether a claim has this value, or is a list that contains it. */
export function hasClaim(claims: Claims, name: string, value: string): boolean {
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined
  return Array.isArray(claim) ? claim.includes(value) : claim === value
}

export interface AssertedEmail {
  email: string
  domain: string
  /** Undefined if the issuer does not say. */
  isVerified: boolean | undefined
}

const emailForm = /^[^\s@\p{Cc}]{1,64}@([^\s@\p{Cc}]{1,255})$/u
const yes: readonly unknown[] = [true, 'true', 1, '1']

/** Null if the claims have no email. Lower-cases ASCII letters only: others could become another person's email. */
export function readAssertedEmail(claims: Claims): AssertedEmail | null {
  const { email: claimed, email_verified: verified, xms_edov: isDomainOwned } = claims
  if (typeof claimed !== 'string' || claimed.length > 320) return null
  const email = claimed.trim().replace(/[A-Z]+/g, letters => letters.toLowerCase())
  const domain = emailForm.exec(email)?.[1]
  if (domain === undefined || !email.isWellFormed()) return null
  // Microsoft Entra says it by a claim of its own.
  const said = verified ?? isDomainOwned
  return { email, domain, isVerified: said === undefined || said === null ? undefined : yes.includes(said) }
}

const maxReturnTo = 2048
const ownPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/** Own paths only, so that nobody can make a sign-in end on another site. */
export function isOwnPath(text: string, baseUrl: string): boolean {
  if (text.length > maxReturnTo || !ownPath.test(text)) return false
  return URL.parse(text, baseUrl)?.origin === new URL(baseUrl).origin
}
