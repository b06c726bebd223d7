// Replaces known secrets in a text, exactly: as they are, and as a part of JSON, of a URL or of base64.

const redacted = '[redacted]'
/** Anything shorter is also a part of ordinary words. */
export const minSecretLength = 8

export function redactSecrets(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.filter(({ length }) => length >= minSecretLength).flatMap(formsOf))
  if (forms.size === 0) return text
  // One secret may contain another.
  const patterns = [...forms].sort((a, b) => b.length - a.length)
  return text.replaceAll(new RegExp(patterns.join('|'), 'g'), redacted)
}

function formsOf(secret: string): string[] {
  const plain = [...secret].map(escapedForms).join('')
  return [plain, ...[0, 1, 2].map(offset => encodedAt(offset, secret))]
}

/** As a character is written in JSON, also in JSON within JSON, and in URLs. Bounded, so that no text is slow. */
function escapedForms(character: string): string {
  if (/\w/.test(character)) return character
  const code = character.charCodeAt(0).toString(16).padStart(4, '0')
  const bytes = [...Buffer.from(character)].map(byte => `%${anyCase(byte.toString(16).padStart(2, '0'))}`)
  return `(?:\\\\{0,3}${literal(character)}|\\\\{1,3}u${anyCase(code)}|${bytes.join('')})`
}

/** What base64 makes of a text that begins so many bytes after a boundary, whatever its neighbours are. */
function encodedAt(offset: number, secret: string): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const whole = Math.floor((bytes.length * 8) / 6)
  const own = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole)
  const first = offset === 0 ? '' : '[\\w+/-]?'
  const last = bytes.length % 3 === 0 ? '' : '[\\w+/-]?={0,2}'
  return `${first}${[...own].map(base64Forms).join('')}${last}`
}

function base64Forms(character: string): string {
  if (character === '+') return '(?:[+-]|%2[Bb])'
  return character === '/' ? '(?:\\\\{0,3}[/_]|%2[Ff])' : character
}

function literal(character: string): string {
  return /[$()*+./?[\\\]^{|}]/.test(character) ? `\\${character}` : character
}

function anyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}
