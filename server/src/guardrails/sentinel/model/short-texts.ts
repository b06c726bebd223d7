// Decides whether a text is short enough to be scored as a whole: a part of it lacks the words that show what the rest
// means. In a longer text a short attack would be averaged away.

import { unitKind, unitKinds } from '../code-units.ts'

/** Words, and letters of scripts without spaces. */
export const maxShortTokens = 120
/** A longer text needs no count. */
const maxShortLength = 1_500

export function isShort(text: string): boolean {
  if (text.length > maxShortLength) return false
  let tokens = 0
  let before: number = unitKind.separator
  for (let at = 0; at < text.length; at++) {
    const kind = unitKinds[text.charCodeAt(at)]!
    if (kind === unitKind.unspaced || (kind === unitKind.word && before !== unitKind.word)) tokens++
    before = kind
  }
  return tokens <= maxShortTokens
}
