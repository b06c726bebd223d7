// Finds the line of a source that a place in the build comes from, by the source map beside the build's file. The
// runtime could do this for every stack by itself, but to read the largest map takes it 0.2 s and 74 MB: this reads
// only where each line of the map begins, when the first error of a file is logged.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export interface SourcePlace {
  path: string
  line: number
  column: number
}

interface LineMap {
  sources: readonly string[]
  mappings: string
  /** For each line of the build: where its mappings begin, and the numbers that they are counted from. */
  starts: Int32Array
}

const numbersForLine = 4
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOfCode = new Uint8Array(128)
for (let value = 0; value < digits.length; value += 1) valueOfCode[digits.charCodeAt(value)] = value
const comma = 44
const semicolon = 59

const maps = new Map<string, LineMap | null>()

/** Null if the file has no map, or the place none of the sources. Lines and columns begin with 1. */
export function findSourcePlace(file: string, line: number, column: number): SourcePlace | null {
  let map = maps.get(file)
  if (map === undefined) {
    map = readMap(file)
    maps.set(file, map)
  }
  if (map === null || line < 1 || line * numbersForLine > map.starts.length) return null
  return findInLine(map, line - 1, column - 1)
}

function readMap(file: string): LineMap | null {
  const path = `${file}.map`
  if (!existsSync(path)) return null
  const { sources, mappings } = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[]; mappings: string }
  return {
    sources: sources.map(source => resolve(dirname(file), source)),
    mappings,
    starts: findStarts(mappings),
  }
}

function findStarts(mappings: string): Int32Array {
  const lines: number[] = []
  const reader = new SegmentReader(mappings, 0, [0, 0, 0])
  do {
    lines.push(reader.at, ...reader.origin)
    while (reader.next());
  } while (reader.nextLine())
  return Int32Array.from(lines)
}

/** The last mapping at or before the column; for a column before the first one, that. */
function findInLine({ sources, mappings, starts }: LineMap, line: number, column: number): SourcePlace | null {
  const [at = 0, source = 0, sourceLine = 0, sourceColumn = 0] = starts.subarray(line * numbersForLine)
  const reader = new SegmentReader(mappings, at, [source, sourceLine, sourceColumn])
  let found: SourcePlace | null = null
  while (reader.next()) {
    if (found !== null && reader.column > column) break
    const path = sources[reader.origin[0]]
    if (reader.hasOrigin && path !== undefined) {
      found = { path, line: reader.origin[1] + 1, column: reader.origin[2] + 1 }
    }
  }
  return found
}

/** Reads the mappings of a source map: base64 digits of five bits each, all counted from the ones before. */
class SegmentReader {
  readonly #mappings: string
  at: number
  column = 0
  hasOrigin = false
  /** Source, line and column. */
  readonly origin: [number, number, number]

  constructor(mappings: string, at: number, origin: [number, number, number]) {
    this.#mappings = mappings
    this.at = at
    this.origin = origin
  }

  /** False at the end of the line. */
  next(): boolean {
    if (this.#isAtEnd()) return false
    this.column += this.#readNumber()
    this.hasOrigin = !this.#isAtEnd() && this.#mappings.charCodeAt(this.at) !== comma
    if (this.hasOrigin) {
      for (let index = 0; index < 3; index += 1) this.origin[index]! += this.#readNumber()
      // The number of the name.
      if (!this.#isAtEnd() && this.#mappings.charCodeAt(this.at) !== comma) this.#readNumber()
    }
    if (this.#mappings.charCodeAt(this.at) === comma) this.at += 1
    return true
  }

  nextLine(): boolean {
    if (this.at >= this.#mappings.length) return false
    this.at += 1
    this.column = 0
    return true
  }

  #isAtEnd(): boolean {
    return this.at >= this.#mappings.length || this.#mappings.charCodeAt(this.at) === semicolon
  }

  #readNumber(): number {
    let value = 0
    for (let shift = 0; ; shift += 5) {
      const digit = valueOfCode[this.#mappings.charCodeAt(this.at)] ?? 0
      this.at += 1
      value |= (digit & 31) << shift
      if (digit < 32) break
    }
    return value & 1 ? -(value >> 1) : value >> 1
  }
}
