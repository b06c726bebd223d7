// Checks whether text may be stored and shown: its length in characters, control characters, and what both
// databases can store.

import { normalForm } from './normal-form.ts'

/** Counts code points, as PostgreSQL does: an emoji outside the basic plane is one character, not two. */
export function isLongerThan(text: string, characters: number): boolean {
  // A text has at most as many code points as UTF-16 units, so most texts need no counting.
  return text.length > characters && [...text].length > characters
}

/** PostgreSQL rejects NUL, and an unpaired surrogate has no UTF-8 form. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Control characters and line separators are not allowed in identifiers and names. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}

/** True if nothing would be visible: only white space, invisible and control characters. */
export function isBlank(text: string): boolean {
  if (/[!-~]/.test(text)) return false
  return normalForm(text, 'NFKC').replace(invisible, '').trim() === ''
}

/** U+2800 is the blank braille pattern: a symbol in Unicode, but invisible. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/gu
