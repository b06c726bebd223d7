// Finds values by the name before them: `api_key = "…"`, `password: …`, `Authorization: Bearer …`. The name must end
// with a word for a secret: `password_hash` and `max_tokens` do not.

import { type FoundValue, scoreOfName } from './found-value.ts'
import { isExamplePassword, isHex, isPlaceholder, isRandom, isUuid } from './randomness.ts'

type Kind = 'password' | 'key' | 'weakKey' | 'header'

/** The last words of names, by their last letter. `key` alone is the name of much else, see `wordsBeforeKey`. */
const kindsByLetter = new Map<string, (readonly [word: string, kind: Kind])[]>()
const lastWords: Readonly<Record<Kind, string>> = {
  password: 'password passwd pwd passphrase passcode passwort kennwort contraseña',
  key: 'secret key',
  weakKey: 'token credential credentials',
  header: 'authorization',
}
for (const [kind, words] of Object.entries(lastWords) as [Kind, string][]) {
  for (const word of words.split(' ')) {
    const letter = word.at(-1) ?? ''
    kindsByLetter.set(letter, [...(kindsByLetter.get(letter) ?? []), [word, kind]])
  }
}
const wordsBeforeKey =
  /(?:api|access|secret|private|auth|account|encryption|signing|service|master|subscription|deploy|license|shared|app)[_. -]?$/

const maxName = 24
const maxSpaces = 4
const afterName = new Set([...'"\'`]\\'])
const opening = /[:=>]{0,2}[ \t]{0,8}\\?(["'`]?)/y
const scheme = /(?:Bearer|Basic|Token|ApiKey|Bot|Key)[ \t]{1,3}/iy

/** The value that is assigned by the separator (`:` or `=`) here, or null. */
export function findAssignedValue(text: string, separator: number): FoundValue | null {
  const kind = kindOfNameBefore(text, separator)
  if (kind === null) return null
  opening.lastIndex = separator + 1
  const quote = opening.exec(text)?.[1] ?? ''
  let start = opening.lastIndex
  if (kind === 'header') {
    scheme.lastIndex = start
    if (scheme.test(text)) start = scheme.lastIndex
  }
  return kind === 'password' ? readPassword(text, start, quote) : readKey(text, start, kind)
}

/** The token after `Bearer `, which ends here, or null. */
export function findBearerToken(text: string, start: number): FoundValue | null {
  return readKey(text, start, 'header')
}

/** The value of a sentence such as "my password is …", from this offset, or null. */
export function findToldPassword(text: string, start: number): FoundValue | null {
  const opened = /["'`“]/.test(text.charAt(start)) ? start + 1 : start
  return readPassword(text, opened, '')
}

/** What the name that ends before this separator holds. */
function kindOfNameBefore(text: string, separator: number): Kind | null {
  let end = separator
  while (end > separator - maxSpaces && isBlank(text.charCodeAt(end - 1))) end--
  while (end > separator - 2 * maxSpaces && afterName.has(text.charAt(end - 1))) end--
  const candidates = kindsByLetter.get(text.charAt(end - 1).toLowerCase())
  if (candidates === undefined) return null
  const written = text.slice(Math.max(0, end - maxName), end).toLowerCase()
  for (const [word, kind] of candidates) {
    if (!written.endsWith(word)) continue
    if (word === 'key' && !wordsBeforeKey.test(written.slice(0, -word.length))) continue
    return kind
  }
  return null
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Equals signs only at the end, as in base64: the value after each of many names would else be read to its end. */
const keyValue = /[A-Za-z0-9_~.+/%-]{16,512}={0,2}/y
/** Names of things in code: `config.api.secret1`. */
const path = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/

function readKey(text: string, start: number, kind: Exclude<Kind, 'password'>): FoundValue | null {
  keyValue.lastIndex = start
  const value = keyValue.exec(text)?.[0].replace(/[.]+$/, '')
  if (value === undefined || isPlaceholder(value) || isUuid(value)) return null
  const found = { start, end: start + value.length, score: scoreOfName }
  if (kind === 'header' && isBasic(value)) return found
  if (kind === 'weakKey' && isHex(value)) return null
  if (path.test(value) || value.startsWith('/')) return null
  return isRandom(value) ? found : null
}

/** Base64 of `user:password`. */
function isBasic(value: string): boolean {
  return (
    /^[A-Za-z0-9+/]+={0,2}$/.test(value) && /^[\x21-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString())
  )
}

const minPassword = 6
/** An ampersand ends the value of a query, if the next field follows. */
const plainPassword = /(?:[^\s"'`,;&<>()[\]{}\\|]|&(?![\w-]{1,40}=)){6,128}/y
const quotedPassword: Readonly<Record<string, RegExp>> = {
  '"': /[^\s"\\]{6,128}(?=\\?")/y,
  "'": /[^\s'\\]{6,128}(?=\\?')/y,
  '`': /[^\s`\\]{6,128}(?=\\?`)/y,
}
const closingMarks = /[.!?:,]+$/

function readPassword(text: string, start: number, quote: string): FoundValue | null {
  const form = quotedPassword[quote] ?? plainPassword
  form.lastIndex = start
  const written = form.exec(text)?.[0]
  if (written === undefined) return null
  const value = quote === '' ? written.replace(closingMarks, '') : written
  if (value.length < minPassword || isExamplePassword(value) || isUuid(value) || !isPassword(value, quote !== ''))
    return null
  return { start, end: start + value.length, score: scoreOfName }
}

/** Words alone are not taken for a password: `password: string`. */
function isPassword(value: string, isQuoted: boolean): boolean {
  if (!/[A-Za-z]/.test(value) || /@[\w-]+\.[a-z]/i.test(value) || value.includes('://')) return false
  if (!isQuoted && (path.test(value) || /^[A-Z][A-Z0-9_]+$/.test(value) || /[$^*/=]/.test(value))) return false
  return /\d/.test(value) || (isQuoted && /[!@#%^&*+?~]/.test(value))
}
