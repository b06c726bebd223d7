// Keeps, of overlapping matches, the one with the highest score, then the longest. A credential beats shorter matches
// of any score: if only a part of it were replaced, the rest would show.

import type { Finding } from '../finding.ts'

/**
 * Adds matches to earlier ones, which come before them or overlap the first of them; the kept ones stay in the order of
 * the text.
 */
export function keepSurest(kept: Finding[], finds: Finding[]): void {
  for (const find of finds.sort((one, other) => one.start - other.start || other.end - one.end)) {
    let isBeaten = false
    while (kept.length > 0 && !isBeaten) {
      const last = kept.at(-1) as Finding
      if (last.end <= find.start) break
      if (beats(find, last)) kept.pop()
      else isBeaten = true
    }
    if (!isBeaten) kept.push(find)
  }
}

function beats(one: Finding, other: Finding): boolean {
  const [length, otherLength] = [one.end - one.start, other.end - other.start]
  if (one.type === 'CREDENTIAL' && length > otherLength) return true
  if (other.type === 'CREDENTIAL' && otherLength > length) return false
  if (one.score !== other.score) return one.score > other.score
  return length > otherLength
}
