// Measures the distance of words by what is between them: spaces and ornaments add nothing, the end of a sentence does,
// and the punctuation of code separates words completely.

import { unitKind, unitKinds } from './code-units.ts'
import { isDrawnLine } from './marker-shapes.ts'

const sentenceGap = 10
/** Farther than any rule reaches. */
const codeGap = 48
const deepestIndent = 16
/** This many words joined by the same sign are a disguised sentence, fewer are a name. */
const minChainWords = 4

const [newline, space, closing, closingBracket, digitZero, digitNine] = [0x0a, 0x20, 0x29, 0x5d, 0x30, 0x39]
const [plus, star, dash, comma, colon, openBrace] = [0x2b, 0x2a, 0x2d, 0x2c, 0x3a, 0x7b]
const [doubleQuote, singleQuote, backQuote] = [0x22, 0x27, 0x60]

export interface GapReader {
  view: Uint16Array
  /** The text between the words of a phrase adds no distance. */
  phraseEnd: number
  /** Where the last name and the last sentence of joined words end, so that each is checked once. */
  nameEnd: number
  chainEnd: number
}

/** What the unit at `at`, which is not part of a word, adds to the distance of the words around it. */
export function gapAt(reader: GapReader, at: number): number {
  const { view } = reader
  if (at < reader.phraseEnd) return 0
  switch (unitKinds[view[at]!]) {
    case unitKind.sentenceEnd:
      if (endsSentence(view, at)) return sentenceGap
      return joinsName(reader, at) ? codeGap : 0
    case unitKind.newline:
      return beginsBlock(view, at + 1) ? sentenceGap : 0
    case unitKind.comma:
      return 1
    default:
      return isCode(reader, at) ? codeGap : 0
  }
}

function endsSentence(view: Uint16Array, at: number): boolean {
  return (
    view[at]! > 0x7f ||
    at + 1 === view.length ||
    view[at + 1] === space ||
    unitKinds[view[at + 1]!] === unitKind.newline
  )
}

/** An empty line or a list item. */
function beginsBlock(view: Uint16Array, start: number): boolean {
  let at = start
  while (at < start + deepestIndent && view[at] === space) at++
  const code = view[at]
  return code === newline || (view[at + 1] === space && (code === dash || code === star || code === plus))
}

function isCode(reader: GapReader, at: number): boolean {
  const { view } = reader
  const [before, after] = [view[at - 1], view[at + 1]]
  switch (String.fromCharCode(view[at]!)) {
    case '_':
      return joinsName(reader, at)
    case '(':
    case '[':
      // A call or an index, if no space precedes it.
      return before === closing || before === closingBracket || isWord(before)
    case '{':
    case '}':
      // Doubled, they are a template's placeholder.
      return before !== view[at] && after !== view[at]
    case '|':
    case '&':
      return before === view[at] || (before === space && after === space)
    case '=':
      return isOperator(view, at)
    case '$':
      return after === openBrace || (isWord(after) && !(after! >= digitZero && after! <= digitNine))
    case "'":
    case '"':
    case '`':
      return after === colon || (after === comma && beginsNextItem(view, at + 2))
    default:
      return true
  }
}

/** Between words of a name: `self.root`, `old_prompt`. */
function joinsName(reader: GapReader, at: number): boolean {
  const { view } = reader
  if (at < reader.chainEnd || !isWord(view[at - 1]) || !isWord(view[at + 1])) return false
  if (at < reader.nameEnd) return true
  const sign = view[at]
  let words = 2
  let end = at + 1
  for (; isWord(view[end]) || (view[end] === sign && isWord(view[end + 1])); end++) {
    if (view[end] === sign) words++
  }
  if (words >= minChainWords) reader.chainEnd = end
  else reader.nameEnd = end
  return words < minChainWords
}

/** `a == b`, but neither `A=b` nor a line of equals signs; called at the first of several. */
function isOperator(view: Uint16Array, at: number): boolean {
  if (view[at - 1] === view[at]) return false
  if (isWord(view[at - 1]) && isWord(view[at + 1])) return false
  let last = at
  while (last < at + 3 && view[last + 1] === view[at]) last++
  return !isDrawnLine(view, last)
}

/** A string in a list of strings, with its comma before `at`. */
function beginsNextItem(view: Uint16Array, at: number): boolean {
  const next = view[view[at] === space ? at + 1 : at]
  return next === newline || next === singleQuote || next === doubleQuote || next === backQuote
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && unitKinds[code] === unitKind.word
}
