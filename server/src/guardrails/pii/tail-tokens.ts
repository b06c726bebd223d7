// Cuts the end of a text into words, digit runs and marks, to decide what may continue. The text must be normalised.

import { dateBitsByWord } from './dates/date-words.ts'

export const tailKind = { word: 1, digits: 2, mark: 3 } as const

/** Longer words are in no table. */
const maxWordLength = 16
const maxGroupLength = 4

export class Tail {
  readonly text: string
  count = 0
  starts: number[] = []
  ends: number[] = []
  kinds: number[] = []
  /** Whether a token is the first of its line, and whether nothing is between it and the one before. */
  lines: boolean[] = []
  touches: boolean[] = []
  /** The last line is complete. */
  endsLine = false

  constructor(text: string) {
    this.text = text
  }

  /** In lower case; empty for a token that is not a word of usual length. */
  wordAt(at: number): string {
    const [start, end] = [this.starts[at] as number, this.ends[at] as number]
    return this.kinds[at] !== tailKind.word || end - start > maxWordLength
      ? ''
      : this.text.slice(start, end).toLowerCase()
  }

  charAt(at: number): string {
    return this.text.charAt(this.starts[at] as number)
  }

  dateBitsAt(at: number): number {
    return dateBitsByWord.get(this.wordAt(at)) ?? 0
  }

  isShortCapitals(at: number): boolean {
    const [start, end] = [this.starts[at] as number, this.ends[at] as number]
    return end - start <= maxGroupLength && /^[A-Z]+$/.test(this.text.slice(start, end))
  }
}

export function readTail(text: string, from: number): Tail {
  const tail = new Tail(text)
  let isLine = false
  for (let at = from; at < text.length; ) {
    const start = at
    const kind = kindOf(text.charCodeAt(at++))
    if (kind === 0) {
      if (text.charCodeAt(start) === 0x0a || text.charCodeAt(start) === 0x0d) isLine = true
      continue
    }
    if (kind !== tailKind.mark) while (at < text.length && kindOf(text.charCodeAt(at)) === kind) at++
    tail.touches.push(tail.count > 0 && tail.ends[tail.count - 1] === start)
    tail.starts.push(start)
    tail.ends.push(at)
    tail.kinds.push(kind)
    tail.lines.push(isLine)
    tail.count++
    isLine = false
  }
  tail.endsLine = isLine
  return tail
}

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return tailKind.digits
  if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) return tailKind.word
  if (isBlankCode(code)) return 0
  return code < 0xaa || (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f)
    ? tailKind.mark
    : tailKind.word
}

export function isBlankCode(code: number): boolean {
  return code <= 0x20 || code === 0xa0
}

/** Whether the character is of a script without blanks between words. */
export function isIdeograph(code: number): boolean {
  return code >= 0x2e80 && code < 0xd800 && !(code >= 0xac00 && code <= 0xd7a3)
}
