// Writes large JSON in several turns of the event loop: a megabyte of characters that JSON escapes takes JSON.stringify
// ten milliseconds and more.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isLarge, JsonText, largeLength, writeJson } from './json-text.ts'
import { KeptList, KeptString } from './kept-json.ts'
import { type JsonList, LazyList } from './lazy-list.ts'

/** In UTF-16 units. */
const pieceLength = 65_536
/** Further characters take two UTF-16 units. */
const lastOfOneUnit = 0xffff

/** What `writeJson` would write, in turns if it is large. */
export async function writeText(value: unknown): Promise<string> {
  return isLarge(value) ? Buffer.from(await writeInTurns(value)).toString() : writeJson(value)
}

/** The values of JSON texts, a large one in a turn of its own. */
export async function parseTexts(texts: readonly string[]): Promise<unknown[]> {
  const values: unknown[] = []
  for (const text of texts) {
    if (text.length >= largeLength) await nextTurn()
    values.push(JSON.parse(text))
  }
  return values
}

/** What `writeJson` would write. */
export async function writeInTurns(value: unknown): Promise<Uint8Array> {
  const written: Uint8Array[] = []
  let waiting = ''
  // What made the value has had its turn.
  await nextTurn()
  for (const piece of piecesOf(value)) {
    if (typeof piece === 'string') {
      waiting += piece
      if (waiting.length < pieceLength) continue
    }
    written.push(Buffer.from(waiting))
    waiting = ''
    if (typeof piece === 'string') await nextTurn()
    else written.push(piece)
  }
  return Buffer.concat([...written, Buffer.from(waiting)])
}

function* piecesOf(value: unknown): Generator<string | Uint8Array> {
  if (typeof value === 'string') yield* piecesOfText(value)
  else if (value instanceof JsonText) yield value.text
  else if (Array.isArray(value) || value instanceof LazyList) yield* piecesOfList(value)
  else if (value instanceof KeptString || value instanceof KeptList) yield* value.pieces()
  else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    yield* piecesOfObject(value)
  } else yield writeJson(value)
}

function* piecesOfText(text: string): Generator<string> {
  yield '"'
  let at = 0
  while (at < text.length) {
    // Halves of a pair that are written apart would become escapes.
    const isPairCut = (text.codePointAt(at + pieceLength - 1) ?? 0) > lastOfOneUnit
    const end = at + pieceLength + (isPairCut ? 1 : 0)
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

function* piecesOfList(list: JsonList): Generator<string | Uint8Array> {
  let separator = '['
  for (const item of list) {
    // Vectors have millions of them.
    if (typeof item === 'number') yield separator + (Number.isFinite(item) ? String(item) : 'null')
    else {
      yield separator
      yield* isWritten(item) ? piecesOf(item) : ['null']
    }
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function* piecesOfObject(value: object): Generator<string | Uint8Array> {
  let separator = '{'
  for (const [name, member] of Object.entries(value)) {
    if (!isWritten(member)) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* piecesOf(member)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function'
}
