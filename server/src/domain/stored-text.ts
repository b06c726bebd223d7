// What text may be stored and shown: length in characters, control characters, and what both databases can hold.

/** Characters are code points, as PostgreSQL counts them: an emoji outside the basic plane is one, not two. */
export function isLongerThan(text: string, characters: number): boolean {
  // Never more code points than UTF-16 units, so most texts need no counting.
  return text.length > characters && [...text].length > characters
}

/** PostgreSQL refuses NUL, and an unpaired surrogate has no UTF-8 form. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Control characters and line separators have no place in an identifier or a name. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}

/** True where nothing would be seen: white space, invisible and control characters alone. */
export function isBlank(text: string): boolean {
  if (/[!-~]/.test(text)) return false
  return text.normalize('NFKC').replace(invisible, '').trim() === ''
}

/** U+2800 is the blank braille pattern: a sign to Unicode, nothing to the eye. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/gu
