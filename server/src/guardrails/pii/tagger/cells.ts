// Finds where table cells begin, since no name and no place spans two cells: after tabs, bars, semicolons and columns
// of blanks, and around the numbers of lines that are rows. The lines of an address stay together.

import { kindOf, letterKind } from './letters.ts'
import { known, phrase } from './lexicon.ts'
import { gap, shape, type TaggerTokens } from './tokens.ts'

/** The columns that are read here, and the one that is written. */
interface Columns {
  tokens: TaggerTokens
  bits: Uint16Array
  inPhrase: Uint8Array
  address: Uint8Array
  /** 1 for the first token of a cell. */
  cells: Uint8Array
}

interface Line {
  first: number
  end: number
  /** The line certainly has cells. */
  isRow: boolean
  /** It is a row, and its first or last cell is a number. */
  opensWithNumber: boolean
  closesWithNumber: boolean
  /** The number of marks that separate cells only if the next line has as many: semicolons, two blanks. */
  parts: number
  /** The number of stretches between commas, colons and the like; and the numeric ones of the first thirty, as bits. */
  fields: number
  numbers: number
  /** The first token after a number before places, or of a number after places, otherwise -1. */
  count: number
}

const mayHold = /[\t|;\n]| {2}/
const fieldMarks = new Set([...',:=-–—'].map(mark => mark.charCodeAt(0)))
const numberMarks = new Set([...'.%+$€£'].map(mark => mark.charCodeAt(0)))
const [tab, semicolon, bar] = [0x09, 0x3b, 0x7c]

export function markCells(text: string, columns: Columns): void {
  const { tokens, cells } = columns
  cells.fill(0, 0, tokens.count)
  if (!mayHold.test(text)) return
  let above: Line | null = null
  for (let first = 0; first < tokens.count; ) {
    let end = first + 1
    while (end < tokens.count && tokens.gap[end]! < gap.line) end++
    const line = readLine(text, columns, first, end)
    if (above !== null) joinRows(text, columns, above, line)
    above = line
    first = end
  }
}

/** Two lines with the same structure are rows. */
function joinRows(text: string, { tokens, cells }: Columns, above: Line, line: Line): void {
  const numbers = above.fields === line.fields ? above.numbers & line.numbers : 0
  const areCounts = above.count !== -1 && line.count !== -1
  const areParted = line.parts > 0 && above.parts === line.parts
  for (const row of [above, line]) {
    if (numbers !== 0) markNumbers(text, tokens, row, cells)
    if (areCounts) cells[row.count] = 1
  }
  const areRows = (above.isRow && line.isRow) || areParted || areCounts || numbers !== 0
  if (areRows || above.closesWithNumber || line.opensWithNumber) cells[line.first] = 1
}

function readLine(text: string, columns: Columns, first: number, end: number): Line {
  const line: Line = {
    first,
    end,
    isRow: false,
    opensWithNumber: false,
    closesWithNumber: false,
    parts: 0,
    fields: 0,
    numbers: 0,
    count: -1,
  }
  readCells(text, columns, line)
  readFields(text, columns.tokens, line)
  if (line.fields > 1) return line
  if (line.numbers === 0) line.count = findCount(text, columns, first, end)
  else if (isShort(columns.tokens, first, end, 3)) line.isRow = line.opensWithNumber = line.closesWithNumber = true
  return line
}

/** Marks the cells between bars, semicolons and columns of blanks. */
function readCells(text: string, { tokens, cells }: Columns, line: Line): void {
  let cell = line.first
  for (let at = line.first; at < line.end; at++) {
    const sign = readSign(text, tokens, at)
    if (sign === signs.none) continue
    if (sign === signs.part) line.parts++
    else {
      line.opensWithNumber ||= !line.isRow && isNumber(text, tokens, line.first, at)
      line.isRow = true
    }
    cells[at] = 1
    if (at + 1 < tokens.count) cells[at + 1] = 1
    cell = at + 1
  }
  line.closesWithNumber = line.isRow && isNumber(text, tokens, cell, line.end)
}

const signs = { none: 0, bar: 1, part: 2 } as const

/** Blanks in place of a bar are a token of their own. */
function readSign(text: string, tokens: TaggerTokens, at: number): number {
  if (tokens.shape[at] !== shape.symbol) return signs.none
  const mark = text.charCodeAt(tokens.start[at]!)
  if (mark === bar || mark === tab) return signs.bar
  if (mark === semicolon) return signs.part
  if (kindOf(mark) !== letterKind.space) return signs.none
  return tokens.start[at + 1]! - tokens.start[at]! > 2 ? signs.bar : signs.part
}

function readFields(text: string, tokens: TaggerTokens, line: Line): void {
  for (let from = line.first; from <= line.end; ) {
    const to = endOfField(text, tokens, from, line.end)
    if (line.fields < 30 && isNumber(text, tokens, from, to)) line.numbers |= 1 << line.fields
    line.fields++
    from = to + 1
  }
}

function markNumbers(text: string, tokens: TaggerTokens, { first, end }: Line, cells: Uint8Array): void {
  for (let from = first; from < end; ) {
    const to = endOfField(text, tokens, from, end)
    if (isNumber(text, tokens, from, to)) {
      cells[from] = 1
      if (to < tokens.count) cells[to] = 1
    }
    from = to + 1
  }
}

function endOfField(text: string, tokens: TaggerTokens, from: number, end: number): number {
  let to = from
  while (to < end && !isMark(text, tokens, to, fieldMarks)) to++
  return to
}

/** Whether the tokens are numbers and the signs written with them. */
function isNumber(text: string, tokens: TaggerTokens, from: number, to: number): boolean {
  let hasDigits = false
  for (let at = from; at < to; at++) {
    if (!isPartOfNumber(text, tokens, at)) return false
    hasDigits ||= tokens.shape[at] !== shape.symbol
  }
  return hasDigits
}

function isPartOfNumber(text: string, tokens: TaggerTokens, at: number): boolean {
  return tokens.shape[at]! >= shape.number || isMark(text, tokens, at, numberMarks)
}

function isMark(text: string, tokens: TaggerTokens, at: number, marks: ReadonlySet<number>): boolean {
  return tokens.shape[at] === shape.symbol && marks.has(text.charCodeAt(tokens.start[at]!))
}

/** "Paris 600", "600 Paris": the line has places and one number, which is not part of an address. */
function findCount(text: string, columns: Columns, first: number, end: number): number {
  const { tokens } = columns
  let back = end
  while (back > first && isPartOfNumber(text, tokens, back - 1)) back--
  let front = first
  while (front < back && isPartOfNumber(text, tokens, front)) front++
  if (front === first) return back < end && arePlaces(columns, first, back) && isShort(tokens, back, end, 4) ? back : -1
  return back === end && arePlaces(columns, front, end) && isShort(tokens, first, front, 3) ? front : -1
}

function arePlaces({ bits, inPhrase, address }: Columns, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const isPlace = (bits[at]! & (known.place | known.region)) !== 0 || (inPhrase[at]! & phrase.place) !== 0
    if (!isPlace || address[at] !== 0) return false
  }
  return from < to
}

/** Shorter than a postal code. */
function isShort({ shape: look }: TaggerTokens, from: number, to: number, maxDigits: number): boolean {
  for (let at = from; at < to; at++) if (look[at]! > shape.number + maxDigits) return false
  return true
}
