// Splits a Markdown page into blocks: headings, paragraphs, lists, tables and code. Supports the subset of Markdown
// that the documentation uses, without HTML. render-inline.ts parses the text of a block.

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }

const heading = /^(#{1,6}) (.+)$/
const fence = /^```(\S*)\s*$/
const marker = /^(?:[-*]|\d{1,3}\.) +/
const orderedMarker = /^\d/
/** A line of a paragraph may begin with a number and a dot, so only `1.` starts an ordered list after a paragraph. */
const listStart = /^(?:[-*]|1\.) +/
const tableRule = /^\|(?: *:?-+:? *\|)+ *$/

/** The lines, and the next one to read. */
interface Reader {
  readonly lines: readonly string[]
  at: number
}

export function parseBlocks(text: string): Block[] {
  return readBlocks(text.replace(/<!--[\s\S]*?-->/g, '').split('\n'))
}

function readBlocks(lines: readonly string[]): Block[] {
  const reader: Reader = { lines, at: 0 }
  const blocks: Block[] = []
  while (reader.at < lines.length) {
    if (lineOf(reader).trim() === '') reader.at++
    else blocks.push(readBlock(reader))
  }
  return blocks
}

const lineOf = ({ lines, at }: Reader): string => lines[at] ?? ''

function readBlock(reader: Reader): Block {
  const line = lineOf(reader)
  const [, marks, text] = heading.exec(line) ?? []
  if (marks !== undefined && text !== undefined) {
    reader.at++
    return { kind: 'heading', level: marks.length, text: text.trim() }
  }
  if (fence.test(line)) return readCode(reader)
  if (isTable(reader)) return readTable(reader)
  return marker.test(line) ? readList(reader) : readParagraph(reader)
}

function readCode(reader: Reader): Block {
  const language = fence.exec(lineOf(reader))?.[1] ?? ''
  const begin = ++reader.at
  while (reader.at < reader.lines.length && !fence.test(lineOf(reader))) reader.at++
  const text = reader.lines.slice(begin, reader.at).join('\n')
  reader.at++
  return { kind: 'code', language, text }
}

function isTable({ lines, at }: Reader): boolean {
  return (lines[at] ?? '').startsWith('|') && tableRule.test(lines[at + 1] ?? '')
}

function readTable(reader: Reader): Block {
  const head = cellsOf(lineOf(reader))
  reader.at += 2
  const rows: string[][] = []
  while (lineOf(reader).startsWith('|')) {
    rows.push(cellsOf(lineOf(reader)))
    reader.at++
  }
  return { kind: 'table', head, rows }
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))
}

function readList(reader: Reader): Block {
  const isOrdered = orderedMarker.test(lineOf(reader))
  const items: Block[][] = []
  while (marker.test(lineOf(reader)) && orderedMarker.test(lineOf(reader)) === isOrdered) {
    items.push(readBlocks(readItem(reader)))
  }
  return { kind: 'list', isOrdered, items }
}

/** Reads an item's lines without its marker and its indentation, up to the next item or the end of the list. */
function readItem(reader: Reader): string[] {
  const indent = marker.exec(lineOf(reader))?.[0].length ?? 0
  const lines = [lineOf(reader).slice(indent)]
  reader.at++
  while (reader.at < reader.lines.length) {
    const line = lineOf(reader)
    const isInside = line.slice(0, indent).trim() === ''
    if (!isInside) break
    lines.push(line.slice(indent))
    reader.at++
  }
  return lines
}

function readParagraph(reader: Reader): Block {
  const lines = [lineOf(reader).trim()]
  reader.at++
  while (!endsParagraph(reader)) {
    lines.push(lineOf(reader).trim())
    reader.at++
  }
  return { kind: 'paragraph', text: lines.join(' ') }
}

function endsParagraph(reader: Reader): boolean {
  const line = lineOf(reader)
  return line.trim() === '' || heading.test(line) || fence.test(line) || listStart.test(line) || isTable(reader)
}
