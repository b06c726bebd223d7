// Finds the heads of table columns: in rows with equally many cells below a row of words, a number is labelled by its
// head and not by the cells beside it. Reads a slice once, and only if a cell holds a number.

import { kindOfToken, type Tokens } from '../tokens.ts'

export interface TableColumns {
  /** Call this for each new text. */
  reset(tokens: Tokens): void
  /** Bits of the head's words above this range, or -1 if it is not a cell of a table. Ranges must come in order. */
  headOf(bitsOfWord: Uint32Array, start: number, end: number): number
}

interface Line {
  start: number
  end: number
  delimiter: number
  cells: number
  /** The first line with as many cells, directly above; the line itself if it is the first. */
  head: number
}

const delimiters = [0x2c, 0x3b, 0x09, 0x7c]

export function createTableColumns(): TableColumns {
  let tokens: Tokens | null = null
  let lines: Line[] | null = null
  let line = 0
  let at = 0
  let cell = 0
  const heads = new Map<number, number[]>()
  return {
    reset(next) {
      tokens = next
      lines = null
      heads.clear()
    },
    headOf(bitsOfWord, start, end) {
      if (tokens === null || !isCell(tokens.text, start, end)) return -1
      if (lines === null) {
        tokens.steps += tokens.text.length
        lines = readLines(tokens.text)
        line = at = cell = 0
      }
      while (line < lines.length && (lines[line] as Line).end < start) {
        at = lines[++line]?.start ?? 0
        cell = 0
      }
      const here = lines[line]
      if (here === undefined || here.head === line) return -1
      for (; at < start; at++) if (tokens.text.charCodeAt(at) === here.delimiter) cell++
      const bits = heads.get(here.head) ?? readHead(tokens, bitsOfWord, lines[here.head] as Line)
      heads.set(here.head, bits)
      return bits[cell] ?? -1
    },
  }
}

/** Whether the range is alone between delimiters, possibly in quotes. */
function isCell(text: string, start: number, end: number): boolean {
  let before = start - 1
  while (start - before < 4 && (text.charCodeAt(before) === 0x20 || text.charCodeAt(before) === 0x22)) before--
  let after = end
  while (after - end < 3 && (text.charCodeAt(after) === 0x20 || text.charCodeAt(after) === 0x22)) after++
  return isBorder(text, before) && isBorder(text, after)
}

function isBorder(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return true
  const code = text.charCodeAt(at)
  return code === 0x0a || code === 0x0d || delimiters.includes(code)
}

function readLines(text: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const found = { start, end, ...countCells(text, start, end), head: lines.length }
    const above = lines.at(-1)
    if (above !== undefined && found.cells > 1 && above.cells === found.cells && above.delimiter === found.delimiter)
      found.head = above.head
    lines.push(found)
    start = end + 1
  }
  return lines
}

/** Counts the cells by the line's most frequent delimiter. */
function countCells(text: string, start: number, end: number): { delimiter: number; cells: number } {
  const counts = [0, 0, 0, 0]
  for (let at = start; at < end; at++) {
    const kind = delimiters.indexOf(text.charCodeAt(at))
    if (kind !== -1) counts[kind] = (counts[kind] as number) + 1
  }
  const max = Math.max(...counts)
  return { delimiter: delimiters[counts.indexOf(max)] as number, cells: max + 1 }
}

/** Bits by cell; none if the line contains digits and is therefore a row of values. */
function readHead(tokens: Tokens, bitsOfWord: Uint32Array, line: Line): number[] {
  const bits = [0]
  let token = firstTokenAt(tokens, line.start)
  for (let at = line.start; at < line.end; at++) {
    if (tokens.text.charCodeAt(at) === line.delimiter) bits.push(0)
    if (tokens.starts[token] !== at || token >= tokens.count) continue
    if (tokens.kinds[token] === kindOfToken.digits) return []
    bits[bits.length - 1] = (bits.at(-1) as number) | (bitsOfWord[tokens.words[token] as number] as number)
    token++
  }
  return bits
}

function firstTokenAt(tokens: Tokens, start: number): number {
  let low = 0
  let high = tokens.count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tokens.starts[middle] as number) < start) low = middle + 1
    else high = middle
  }
  return low
}
