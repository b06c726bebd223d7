// Cuts a text into words, digit runs and single marks, once for all scanners; a word in camel case becomes several. The
// arrays are reused for the next text.

import { addToHash, emptyHash, foldLetter, type WordTable } from './word-table.ts'

export const kindOfToken = { word: 1, digits: 2, mark: 3 } as const
/** What precedes a token: nothing, white space, or a new line. */
export const gapOfToken = { none: 0, space: 1, line: 2 } as const

export interface Tokens {
  text: string
  count: number
  starts: Int32Array
  ends: Int32Array
  kinds: Uint8Array
  gaps: Uint8Array
  /** Numbers in the word table; 0 for a word that is not listed, and for other tokens. */
  words: Uint16Array
  /** The steps spent on this text so far: about one for each character or token read once. */
  steps: number
}

export interface Tokenizer {
  /** The result is valid until the next call. */
  cut(text: string): Tokens
}

const letter = 1
const digit = 2
const mark = 3
const space = 4
const line = 5
const upper = 6

const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x30 && code <= 0x39) return digit
  if (code >= 0x41 && code <= 0x5a) return upper
  if (code >= 0x61 && code <= 0x7a) return letter
  if (code === 0x0a || code === 0x0d) return line
  return code <= 0x20 ? space : mark
})

function classOf(code: number): number {
  if (code < 128) return classes[code] as number
  if (code === 0xa0) return space
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? letter : mark
  if (code === 0xd7 || code === 0xf7) return mark
  if (code >= 0x2000 && code <= 0x206f) return code <= 0x200a ? space : mark
  return code >= 0x3000 && code <= 0x3003 ? mark : letter
}

export function createTokenizer(table: WordTable, maxTextLength: number): Tokenizer {
  const size = maxTextLength + 1
  const tokens: Tokens = {
    text: '',
    count: 0,
    starts: new Int32Array(size),
    ends: new Int32Array(size),
    kinds: new Uint8Array(size),
    gaps: new Uint8Array(size),
    words: new Uint16Array(size),
    steps: 0,
  }
  return {
    cut(text) {
      if (text.length > maxTextLength) throw new Error('a text longer than the tokenizer was made for')
      cutInto(tokens, text, table)
      return tokens
    },
  }
}

function cutInto(tokens: Tokens, text: string, table: WordTable): void {
  const { starts, ends, kinds, gaps, words } = tokens
  const length = text.length
  let count = 0
  let gap = 0
  let at = 0
  while (at < length) {
    const start = at
    const found = classOf(text.charCodeAt(at++))
    if (found === space || found === line) {
      if (found === line) gap = gapOfToken.line
      else if (gap === 0) gap = gapOfToken.space
      continue
    }
    words[count] = 0
    if (found === digit) {
      while (at < length && classOf(text.charCodeAt(at)) === digit) at++
      kinds[count] = kindOfToken.digits
    } else if (found === mark) kinds[count] = kindOfToken.mark
    else {
      let hash = addToHash(emptyHash, foldLetter(text.charCodeAt(start)))
      let isLower = found === letter
      for (; at < length; at++) {
        const code = text.charCodeAt(at)
        const next = classOf(code)
        if (next !== letter && (next !== upper || isLower)) break
        isLower = next === letter
        hash = addToHash(hash, foldLetter(code))
      }
      kinds[count] = kindOfToken.word
      words[count] = table.idOf(hash, at - start)
    }
    starts[count] = start
    ends[count] = at
    gaps[count++] = gap
    gap = 0
  }
  tokens.text = text
  tokens.steps = length
  tokens.count = count
  kinds[count] = 0
  gaps[count] = gapOfToken.line
  words[count] = 0
  starts[count] = length
}
