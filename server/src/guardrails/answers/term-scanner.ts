// Finds the terms of a blocklist in one text of an answer.

import type { TermStates } from '../sentinel/blocklist.ts'
import { TermReader } from '../sentinel/term-reader.ts'
import type { TextScanner } from './answer-text.ts'

/**
 * Creates the scanner of one text. `found` gets the numbers of its terms. `report` is called for new ones; may throw.
 */
export function createTermScanner(terms: TermStates, found: Set<number>, report: () => void): TextScanner {
  const reader = new TermReader(terms, found)
  let read = 0
  let held = 0
  return {
    read({ view, base }, isWhole) {
      const before = found.size
      const end = base + view.length
      held = read < end ? reader.read(view.slice(read - base)) : held
      read = end
      if (isWhole) reader.end()
      if (found.size > before) report()
      return isWhole ? end : end - held
    },
  }
}
