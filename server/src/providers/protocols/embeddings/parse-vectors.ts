// Parses an answer with vectors in turns of the event loop: a million numbers in one piece would hold the process.

import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseJson } from '../../../domain/json-object.ts'
import { endOfText, maxAnswerValues } from '../../../domain/json-values.ts'

const maxHoldMs = 5
/** A shorter list is parsed with what is not a vector. */
const minVectorBytes = 64
/** The longest known vectors have 16,384 numbers of 25 digits at most. */
const maxVectorBytes = 1_048_576
/** The time is looked at after so many bytes. */
const stepBytes = 65_536

const [quote, comma, openList, openObject, closeList] = [0x22, 0x2c, 0x5b, 0x7b, 0x5d]

/** Returns what JSON.parse would; undefined if that throws, or if there is too much besides vectors. */
export async function parseVectors(bytes: Uint8Array): Promise<unknown> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(body)) return undefined
  const vectors: unknown[] = []
  /** Begins texts that the answer does not have. */
  const mark = randomUUID()
  /** The body with the place of each vector in its stead. */
  const rest: string[] = []
  let copied = 0
  let startedAt = performance.now()
  for (const found of findVectors(body)) {
    if (found === 'too_large') return undefined
    if (found !== null) {
      const vector = parseJson(body.toString('latin1', found.start, found.end))
      if (vector === undefined) return undefined
      rest.push(body.toString('utf8', copied, found.start), `"${mark}${vectors.length}"`)
      vectors.push(vector)
      copied = found.end
    }
    if (performance.now() - startedAt < maxHoldMs) continue
    await nextTurn()
    startedAt = performance.now()
  }
  const text = rest.join('') + body.toString('utf8', copied)
  if (vectors.length === 0) return parseJson(text)
  try {
    return JSON.parse(text, (_name, value) =>
      typeof value === 'string' && value.startsWith(mark) ? vectors[Number(value.slice(mark.length))] : value,
    )
  } catch {
    return undefined
  }
}

/** Null from time to time, so that other requests can run. */
function* findVectors(body: Buffer): Generator<{ start: number; end: number } | 'too_large' | null> {
  let count = 0
  let next = stepBytes
  for (let at = 0; at < body.length; at++) {
    if (at >= next) {
      yield null
      next = at + stepBytes
    }
    const byte = body[at]
    if (byte !== quote && byte !== comma && byte !== openList && byte !== openObject) continue
    if (++count > maxAnswerValues) yield 'too_large'
    if (byte === quote) at = endOfText(body, at)
    if (byte !== openList) continue
    const end = endOfNumbers(body, at)
    if (end === 'too_large') yield end
    else if (end !== null) {
      yield { start: at, end }
      at = end - 1
    }
  }
}

/** Null unless the list is long and holds neither texts nor lists nor objects. */
function endOfNumbers(body: Buffer, start: number): number | 'too_large' | null {
  for (let at = start + 1; at < body.length; at++) {
    const byte = body[at]
    if (byte === closeList) return at - start < minVectorBytes ? null : at + 1
    if (byte === quote || byte === openList || byte === openObject) return null
    if (at - start > maxVectorBytes) return 'too_large'
  }
  return null
}
