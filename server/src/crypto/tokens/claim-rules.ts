// The rules of single claims, for our own tokens and for external ones alike.

/** For nbf and iat, because clocks differ. exp has no leeway. */
export const leewaySeconds = 30

/** Unix seconds as in claims; rejects fractions, strings, infinities and negatives. */
export function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A non-empty string without lone surrogates, which neither a header nor a database column could hold. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

/** RFC 7519 lets `aud` be one string or an array of them. */
export function hasAudience(aud: unknown, wanted: string): boolean {
  return aud === wanted || (Array.isArray(aud) && aud.every(isText) && aud.includes(wanted))
}
