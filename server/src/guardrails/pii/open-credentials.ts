// Finds where the end of a text may begin a credential that the next piece completes, and reads the rest of one that
// is longer than what can be held back.

import type { CredentialRest } from './credentials/found-value.ts'
import { isOpenPrivateKeyAt, privateKeyMark, readPrivateKeyRest } from './credentials/private-keys.ts'
import { isBlankCode, isIdeograph } from './tail-tokens.ts'

/** The first offset from `floor` on where a credential may continue behind the text, or the text's length. */
export function openCredentialOf(text: string, floor: number): number {
  const key = text.lastIndexOf(privateKeyMark.trimEnd())
  if (key >= floor && isOpenPrivateKeyAt(text, key)) return Math.min(key, openRunOf(text, floor))
  return openRunOf(text, floor)
}

/** Only private keys have blanks. */
function openRunOf(text: string, floor: number): number {
  let start = text.length
  while (start > floor && !isBlankCode(text.charCodeAt(start - 1)) && !isIdeograph(text.charCodeAt(start - 1))) start--
  return start
}

/** Returns how much of a text, from its beginning, belongs to the credential before it. */
export type ReadRest = (text: string) => CredentialRest

/** Null unless the credential may continue behind the text. */
export function restReaderOf(text: string, { start, end }: { start: number; end: number }): ReadRest | null {
  if (!text.startsWith(privateKeyMark, start)) return end + dotsAt(text, end) === text.length ? readTokenRest : null
  const isComplete = text.endsWith('-----', end)
  return isComplete || !readPrivateKeyRest(text.slice(end)).isOpen ? null : readPrivateKeyRest
}

const token = /(?:[A-Za-z0-9_~+/=%-]|\.+(?=[A-Za-z0-9_~+/=%-]))*/y

function readTokenRest(text: string): CredentialRest {
  token.lastIndex = 0
  const { length } = token.exec(text)?.[0] ?? ''
  return { length, isOpen: length + dotsAt(text, length) === text.length }
}

/** They may end a sentence, or join the parts of a token. */
function dotsAt(text: string, at: number): number {
  let end = at
  while (text.charAt(end) === '.') end++
  return end - at
}
