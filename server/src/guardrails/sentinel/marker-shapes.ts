// Detects whether a word is written as the border of a turn: between the brackets of a chat template, as a tag, as a
// speaker's name at the start of a line, as the role of a message in JSON or XML, after a row of dashes.

import { unitKind, unitKinds } from './code-units.ts'
import { maskOf } from './word-classes.ts'

const { high: control } = maskOf(['control'])
const { high: tag } = maskOf(['tag'])
const { high: openTag } = maskOf(['opentag'])
const { high: fence } = maskOf(['fence'])

const maxSpaces = 2
const openers = '<[({【'
const closers = '>])}】'
const fenceMarks = '-=#*%~_+`━─═'
const sentenceEnds = '.!?:'
/** Characters directly before a speaker's name. */
const ornaments = '*"\'#>'
const maxOrnaments = 6
/** If one of these precedes a bracket, it is code: a call, an index, a comparison or a file name. */
const codeBefore = '$)_.-/\\'
/** A shorter name is also that of an account or a variable: root, sys, god. */
const minSpeakerLength = 5
const maxHeadingLength = 40

const maxTagRest = 60

/** The end of a tag with attributes whose name goes on or ends at `end`; `end` itself if it has none. */
function tagEnd(view: Uint16Array, end: number): number {
  if (!isOneOf(' _-', view, end)) return end
  for (let at = end; at < end + maxTagRest && at < view.length && view[at] !== 0x0a; at++) {
    if (view[at] === 0x3e) return at
  }
  return end
}

const maxContentSigns = 12
const maxContentName = 10

/**
 * Where the text of a turn begins whose border `shapeAround` found up to `end`: after the key of a message in JSON, the
 * attributes of a tag, an arrow or a cell. Those signs are not code between a command and who gives it.
 */
export function turnStart(view: Uint16Array, end: number): number {
  const afterTag = tagEnd(view, end)
  if (afterTag > end) return afterTag + 1
  const key = skipSigns(view, end)
  if (key === end) return end
  let at = key
  while (at < key + maxContentName && unitKinds[view[at]!] === unitKind.word) at++
  const isKey = isOneOf('"\'', view, at) && isOneOf(':', view, at + 1)
  return isKey ? skipSigns(view, at) : key
}

function skipSigns(view: Uint16Array, from: number): number {
  let at = from
  while (at < from + maxContentSigns && isOneOf('"\',: \n=>|', view, at)) at++
  return at
}

/** The classes, of the upper mask, that a word gets from its surroundings. */
export function shapeAround(view: Uint16Array, start: number, end: number, isFenceWord: boolean): number {
  const left = skipBack(view, start - 1)
  const endsLine = endsRow(view, left)
  if (isFenceWord) return endsLine ? fence : 0
  if (endsLine && characterAt(view, left) !== '#') return openTag
  if (isRole(view, start)) return tag
  return bracketShape(view, left, end) || (end - start < minSpeakerLength ? 0 : speakerShape(view, start, end))
}

const roleNames = ['role', 'from', 'speaker', 'author', 'sender', 'by', 'priority'].map(name =>
  [...name].map(letter => letter.charCodeAt(0)),
)
const maxRoleSigns = 6

/** `"role": "system"`, `role=system`, `<message from='system'>`, `<note priority="system">` */
function isRole(view: Uint16Array, start: number): boolean {
  let at = start - 1
  let assigns = false
  while (at >= start - maxRoleSigns && isOneOf('"\' :=', view, at)) {
    if (isOneOf(':=', view, at)) assigns = true
    at--
  }
  return assigns && roleNames.some(name => endsWith(view, at + 1, name))
}

function endsWith(view: Uint16Array, end: number, letters: readonly number[]): boolean {
  const start = end - letters.length
  if (start < 0 || (start > 0 && unitKinds[view[start - 1]!] === unitKind.word)) return false
  return letters.every((letter, index) => view[start + index] === letter)
}

/** `<|system|>`, `<<SYS>>`, `</system>`, `[system]`, `((system))`, `(system: …)` */
function bracketShape(view: Uint16Array, left: number, end: number): number {
  const mark = characterAt(view, left)
  const at = mark === '|' || mark === '/' ? left - 1 : left
  const opener = characterAt(view, at)
  if (opener === '' || !openers.includes(opener)) return 0
  const isDouble = view[at - 1] === view[at]
  if (isCodeBefore(view, isDouble ? at - 2 : at - 1)) return 0
  const right = skipOn(view, end)
  const after = characterAt(view, right)
  const closes = after !== '' && closers.includes(after)
  if (mark === '|' || (opener === '<' && (after === '|' || (isDouble && closes)))) return control
  if (opener === '(' && !isDouble) return after === ':' ? tag : 0
  if (opener === '{' && !isDouble) return 0
  if (closes || after === ':') return tag
  if (opener === '<' && tagEnd(view, end) > end) return openTag
  return right > end || after === '\n' || unitKinds[view[end]!] === unitKind.unspaced ? openTag : 0
}

function isCodeBefore(view: Uint16Array, at: number): boolean {
  const code = view[at]
  return code !== undefined && (unitKinds[code] === unitKind.word || codeBefore.includes(String.fromCharCode(code)))
}

/** `System: …`, `**System:** …`, `System → …`, `## System`, `10:14 System: …`, `| system | …` */
function speakerShape(view: Uint16Array, start: number, end: number): number {
  const right = skipOn(view, end)
  const after = characterAt(view, right)
  const left = skipBack(view, start - 1)
  const isHeading = characterAt(view, left) === '#' && characterAt(view, left - 1) === '#'
  if (isHeading && (after === ':' || after === '\n' || after === '')) return tag
  const isCell = after === '|' && characterAt(view, left) === '|'
  const isSpeaker = after === ':' || isCell || (after === '*' && hasColonSoon(view, right)) || isArrow(view, right)
  return isSpeaker && beginsSpeech(view, start) ? tag : 0
}

const arrows = '→⇒⟶➜➔»►▶'

function isArrow(view: Uint16Array, at: number): boolean {
  if (isOneOf(arrows, view, at)) return true
  return isOneOf('>', view, at + 1) && isOneOf('-=>', view, at)
}

/** `10:14 `, `[10:14] `, `| ` */
const recordStart = '0123456789:.[]|#Tz- '
const maxRecordStart = 24

/** Whether a time, a number or the border of a table's cell stands before the word, from the start of the line. */
function beginsRecord(view: Uint16Array, start: number): boolean {
  let at = start - 1
  while (at > start - maxRecordStart && isOneOf(recordStart, view, at)) at--
  return at < start - 1 && isLineStart(view, at)
}

/** At the start of a line, or of a sentence after a space. */
function beginsSpeech(view: Uint16Array, start: number): boolean {
  let at = start - 1
  while (at > start - maxOrnaments && isOneOf(ornaments, view, at)) at--
  const isAdorned = at < start - 1
  if (!isLineStart(view, at) && view[at] !== 0x20) return false
  while (view[at] === 0x20) at--
  if (isLineStart(view, at) || isOneOf(sentenceEnds, view, at) || beginsRecord(view, at + 1)) return true
  // A single star or dash begins a list item; two of them end bold words or open a comment.
  return isOneOf('*-', view, at) ? isAdorned || view[at - 1] === view[at] : isOneOf(ornaments, view, at)
}

function isLineStart(view: Uint16Array, at: number): boolean {
  return at < 0 || view[at] === 0x0a
}

function endsRow(view: Uint16Array, at: number): boolean {
  if (!isOneOf(fenceMarks, view, at) || view[at - 1] !== view[at] || view[at - 2] !== view[at]) return false
  return view[at] !== 0x3d || isDrawnLine(view, at)
}

/** Whether the equals signs up to `last` are a line around a heading; three of them may be an operator. */
export function isDrawnLine(view: Uint16Array, last: number): boolean {
  let first = last
  while (first > last - 3 && view[first - 1] === view[last]) first--
  if (last - first !== 2) return last - first > 2
  if (isLineStart(view, first - 1)) return true
  for (let at = first - 1; at > first - maxHeadingLength && !isLineStart(view, at); at--) {
    if (view[at] === view[last] && view[at - 1] === view[last] && view[at - 2] === view[last]) return true
  }
  return false
}

function hasColonSoon(view: Uint16Array, at: number): boolean {
  return characterAt(view, at + 1) === ':' || characterAt(view, at + 2) === ':'
}

function skipBack(view: Uint16Array, from: number): number {
  let at = from
  while (at > from - maxSpaces && view[at] === 0x20) at--
  return at
}

function skipOn(view: Uint16Array, from: number): number {
  let at = from
  while (at < from + maxSpaces && view[at] === 0x20) at++
  return at
}

function isOneOf(characters: string, view: Uint16Array, at: number): boolean {
  return at >= 0 && at < view.length && characters.includes(String.fromCharCode(view[at]!))
}

function characterAt(view: Uint16Array, at: number): string {
  const code = view[at]
  return code === undefined ? '' : String.fromCharCode(code)
}
