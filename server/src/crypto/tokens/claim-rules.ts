// What single claims may be, for our own tokens and for external ones alike. Knows no header, key or issuer.

/** For nbf and iat, because clocks differ. An expired token is expired: exp has none. */
export const leewaySeconds = 30

/** Unix seconds as claims carry them; refuses fractions, strings, infinities and negatives. */
export function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A non-empty string without lone surrogates, which no header or database column could carry. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

/** RFC 7519 lets `aud` be one string or an array of them. */
export function hasAudience(aud: unknown, wanted: string): boolean {
  return aud === wanted || (Array.isArray(aud) && aud.every(isText) && aud.includes(wanted))
}
