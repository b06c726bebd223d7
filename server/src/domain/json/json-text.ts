// A JSON text that is passed on as it was written: numbers keep all of their digits, strings their escapes, objects
// their repeated members. Only `writeJson` writes such texts into a larger one.

import { isJsonObject, type JsonObject } from '../json-object.ts'
import { LazyList } from './lazy-list.ts'

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text, which must be a string, a number, true, false or null. */
    rawJSON(text: string): object
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** The text of an object: the arguments of a call, or a schema. */
export class JsonText {
  readonly text: string
  #value: JsonObject | null = null

  /** `text` must be one that JSON.parse accepts, and of an object if its value is read. */
  constructor(text: string) {
    // UTF-8 has no half of a surrogate pair, but JSON has an escape for it.
    this.text = text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, escapeUnit)
  }

  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(writeJson(isJsonObject(value) ? value : {}))
  }

  get isEmpty(): boolean {
    return /^\s*\{\s*\}\s*$/.test(this.text)
  }

  /** Must not be changed. A number that JavaScript would write differently is an opaque object. */
  get value(): JsonObject {
    this.#value ??= JSON.parse(this.text, keepDigits) as JsonObject
    return this.#value
  }

  toJSON(): unknown {
    return markOf(this.text) ?? this.value
  }
}

/**
 * JSON.stringify escapes neither this letter nor any other that needs no escape: of what it writes, nothing contains a
 * quote followed by this escape but the mark itself.
 */
const markText = '"\\u0041"'
const mark = JSON.rawJSON(markText)
/** The values that stand for the marks of what is being written; null while nothing is written. */
let met: (string | readonly Uint8Array[])[] | null = null
let takesBytes = false

/** Null if the value of this text must be written in its place. */
function markOf(text: string): object | null {
  if (met === null) return null
  met.push(text)
  return mark
}

/** The same for a text in UTF-8, which only `writeJsonPieces` takes. */
export function markOfBytes(pieces: () => readonly Uint8Array[]): object | null {
  if (met === null || !takesBytes) return null
  met.push(pieces())
  return mark
}

/** Writes what JSON.stringify would, with the texts in the value as they are. */
export function writeJson(value: unknown): string {
  const texts: string[] = []
  const written = writeMarked(value, texts, false)
  if (texts.length === 0) return written
  return written
    .split(markText)
    .map((piece, index) => piece + (texts[index] ?? ''))
    .join('')
}

/** The same in pieces, some in UTF-8: what is kept as bytes is not copied. */
export function writeJsonPieces(value: unknown): (string | Uint8Array)[] {
  const texts: (string | readonly Uint8Array[])[] = []
  const written = writeMarked(value, texts, true)
  if (texts.length === 0) return [written]
  return written.split(markText).flatMap((piece, index) => {
    const text = texts[index] ?? ''
    return typeof text === 'string' ? [piece + text] : [piece, ...text]
  })
}

function writeMarked(value: unknown, texts: NonNullable<typeof met>, bytes: boolean): string {
  met = texts
  takesBytes = bytes
  try {
    return JSON.stringify(value)
  } finally {
    met = null
  }
}

/** JSON from this length on is read, written and compared in several turns of the event loop. */
export const largeLength = 262_144

/** An item of such a list is as long as a number at least, and is not made to be measured. */
const lazyItemLength = 16

/**
 * The length of a value's JSON in UTF-16 units, without the escapes, for which JSON.stringify would take ten times as
 * long. Counts no further than `enough`.
 */
export function lengthOfJson(value: unknown, enough = Number.POSITIVE_INFINITY): number {
  const values = [value]
  let length = 0
  // Those inside others are added on the way.
  for (const each of values) {
    if (length >= enough) break
    if (typeof each === 'string') length += each.length + 2
    else if (each instanceof JsonText) length += each.text.length
    else if (each instanceof LazyList) length += each.length * lazyItemLength
    else if (Array.isArray(each)) {
      length += Math.max(2, each.length + 1)
      if (length < enough) for (const item of each) values.push(item)
    } else if (typeof each === 'object' && each !== null) {
      const before = length
      // The names of an array would be made for this, which takes ten times as long as all the rest.
      for (const name in each) {
        const member = (each as JsonObject)[name]
        if (member === undefined) continue
        length += name.length + 4
        values.push(member)
      }
      length += length === before ? 2 : 1
    } else length += String(each).length
  }
  return length
}

export function isLarge(value: unknown): boolean {
  return lengthOfJson(value, largeLength) >= largeLength
}

function keepDigits(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`
}
