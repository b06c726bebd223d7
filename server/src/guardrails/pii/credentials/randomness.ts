// Tells secrets from what documentation and code write in their place, and random values from words.

/** Also in the middle of a value: long enough that no random value has one by chance. */
const placeholderParts =
  /x{4}|\*{3}|\.{3}|…|•|your|example|sample|placeholder|dummy|change_?me|redacted|replace|insert|deadbeef|1234567|abcdefg|qwerty|(.)\1{5}/i
/** A whole word of a value: test-key-1a2b3c. */
const placeholderWords =
  /(?:^|[^a-z0-9])(?:test|testing|demo|fake|mock|foo|bar|dev|none|null|todo|my|the|hmac|sha256|sha512)(?![a-z0-9])/i
/** Written by a template or read from somewhere else. */
const templates = /^[$%<{[&]|\$\{|\{\{|%\(|<[a-z_-]+>|process\.env|environ|getenv|secrets\./i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isPlaceholder(value: string): boolean {
  return placeholderParts.test(value) || placeholderWords.test(value) || templates.test(value)
}

/** What examples write for a password: somepassword, secret!, Password123. */
const examplePassword =
  /^(?:some|super|top|very|new|old|db|user|admin|root|strong)?[-_]?(?:pass|password|passwd|passw0rd|pwd|pw|secret|token|user|admin|root|guest|postgres|mysql|redis|hidden)[-_!.]?\d{0,4}[!.]?$/i

export function isExamplePassword(value: string): boolean {
  return isPlaceholder(value) || examplePassword.test(value)
}

export function isUuid(value: string): boolean {
  return uuid.test(value)
}

export function isHex(value: string): boolean {
  return /^[0-9a-f]+$/i.test(value)
}

const minEntropy = 3
const maxMeasured = 128

/** Whether letters and digits alternate and repeat as rarely as in random values; words and numbers do not. */
export function isRandom(value: string): boolean {
  const measured = value.slice(0, maxMeasured)
  return entropyOf(measured) >= minEntropy && countDigitChanges(measured) >= 2
}

/** Bits for each character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/** How often a letter is next to a digit. */
function countDigitChanges(value: string): number {
  return value.match(/(?<=[a-z])\d|(?<=\d)[a-z]/gi)?.length ?? 0
}
