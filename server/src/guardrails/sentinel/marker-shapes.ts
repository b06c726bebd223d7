// Whether a word stands in the clothes of a turn's border: between the brackets of a chat template, as a tag, as the
// name of a speaker at a line's start, behind a row of dashes. Knows no rule.

import { maskOf } from './word-classes.ts'

const { high: control } = maskOf(['control'])
const { high: tag } = maskOf(['tag'])
const { high: openTag } = maskOf(['opentag'])
const { high: fence } = maskOf(['fence'])

const mostSpaces = 2
const openers = '<[({'
const closers = '>])}'
/** What stands before the name of a speaker, where a line or a sentence begins. */
const lineStarts = '\n*"\'#.!?>:-'
const fenceMarks = '-=#*%~_+'

/** The classes, of the upper mask, that the surroundings of a word give it. */
export function shapeAround(view: Uint16Array, start: number, end: number, isFenceWord: boolean): number {
  const left = skipBack(view, start - 1)
  const right = skipOn(view, end)
  const before = characterAt(view, left)
  const after = characterAt(view, right)
  if (isFenceWord) return isRow(view, left) ? fence : 0
  const opens =
    before === '|' ? isOpener(view, left - 1) : before === '/' ? isOpener(view, left - 1) : isOpener(view, left)
  if (opens) {
    if (before === '|' || after === '|' || (before === '<' && characterAt(view, left - 1) === '<')) return control
    return after !== '' && closers.includes(after) ? tag : after === ':' ? tag : openTag
  }
  if (isRow(view, left) && before !== '#') return openTag
  const isHeading = before === '#' && characterAt(view, left - 1) === '#'
  if (isHeading && (after === ':' || after === '\n' || after === '')) return tag
  const isSpeaker = after === ':' || (after === '*' && hasColonSoon(view, right))
  const isLineStart = before === '' || lineStarts.includes(before)
  return isSpeaker && isLineStart ? tag : 0
}

function isOpener(view: Uint16Array, at: number): boolean {
  const character = characterAt(view, at)
  return character !== '' && openers.includes(character)
}

/** Three of the same mark, as they stand above and below a block. */
function isRow(view: Uint16Array, at: number): boolean {
  const character = characterAt(view, at)
  return character !== '' && fenceMarks.includes(character) && view[at - 1] === view[at] && view[at - 2] === view[at]
}

function hasColonSoon(view: Uint16Array, at: number): boolean {
  return characterAt(view, at + 1) === ':' || characterAt(view, at + 2) === ':'
}

function skipBack(view: Uint16Array, from: number): number {
  let at = from
  while (at > from - mostSpaces && view[at] === 0x20) at--
  return at
}

function skipOn(view: Uint16Array, from: number): number {
  let at = from
  while (at < from + mostSpaces && view[at] === 0x20) at++
  return at
}

function characterAt(view: Uint16Array, at: number): string {
  const code = view[at]
  return code === undefined ? '' : String.fromCharCode(code)
}
