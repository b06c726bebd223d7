// Collects the labels of a number: the words shortly before it, including a JSON key or a column's head, and the next
// few after it. Looks at a bounded number of tokens.

import { gapOfToken, kindOfToken, type Tokens } from './tokens.ts'

export interface Surroundings {
  /** Bits of the nearest labelling word before. */
  nearest: number
  /** Bits of the few words just before. */
  near: number
  /** Bits of all words before that were read. */
  before: number
  /** Bits of the few words after, on the same line. */
  after: number
  /** Bits of the first word after. */
  tail: number
  /** A cell of a table: the words are those of its column's head. */
  isCell: boolean
}

const tokensBack = 28
const wordsBack = 9
const wordsNear = 3
const wordsAfter = 3
const tokensAfter = 6
const labelMarks = ':=+#("'

/** Reads around the tokens from `first` to before `next`. `labels` are the bits that count for `nearest`. */
export function readSurroundings(
  tokens: Tokens,
  bitsOfWord: Uint32Array,
  first: number,
  next: number,
  labels: number,
): Surroundings {
  const found: Surroundings = { nearest: 0, near: 0, before: 0, after: 0, tail: 0, isCell: false }
  let words = 0
  let lines = 0
  for (let at = first - 1; at >= 0 && at >= first - tokensBack && words < wordsBack; at--) {
    if (tokens.gaps[at + 1] === gapOfToken.line && ++lines > 1) break
    if (tokens.kinds[at] !== kindOfToken.word) continue
    words++
    const bits = bitsOfWord[tokens.words[at] as number] as number
    if (words <= wordsNear) found.near |= bits
    if (found.nearest === 0 && (bits & labels) !== 0) found.nearest = bits
    found.before |= bits
  }
  tokens.steps += tokensBack + tokensAfter
  words = 0
  for (let at = next; at < tokens.count && at < next + tokensAfter && words < wordsAfter; at++) {
    if (tokens.gaps[at] === gapOfToken.line) break
    if (tokens.kinds[at] !== kindOfToken.word) continue
    const bits = bitsOfWord[tokens.words[at] as number] as number
    if (words++ === 0) found.tail = labelsNext(tokens, at) ? 0 : bits
    found.after |= bits
  }
  return found
}

/** "order 12 phone 34": the word after 12 labels the number that follows it. */
function labelsNext(tokens: Tokens, word: number): boolean {
  const next = word + 1
  if (next >= tokens.count || tokens.gaps[next] === gapOfToken.line) return false
  if (tokens.kinds[next] === kindOfToken.digits) return true
  return (
    tokens.kinds[next] === kindOfToken.mark && labelMarks.includes(tokens.text.charAt(tokens.starts[next] as number))
  )
}
