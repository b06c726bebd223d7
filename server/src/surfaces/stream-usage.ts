// Finds usage in an answer while its bytes are relayed: in the last bytes of a JSON answer, or in an event stream in
// chunks of any size. Does not change the bytes, keeps at most one line, and must not throw, regardless of the
// answer's content.

import type { StreamUsage } from '../call/answer-format.ts'
import { maxTokens } from '../domain/conversation/token-estimate.ts'
import { parseJson } from '../domain/json-object.ts'
import { GrowingBuffer } from '../http/growing-buffer.ts'

const needle = Buffer.from('"usage"')
const [lineFeed, carriageReturn, colon] = [0x0a, 0x0d, 0x3a]
const [letterA, letterD, letterN, letterT, letterU] = [0x61, 0x64, 0x6e, 0x74, 0x75]
const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d]

/** A line with usage has a few hundred bytes; longer lines count as events but are not parsed. */
const maxLineBytes = 64 * 1024

/** The last `usage` member in the last bytes of a JSON answer; undefined if there is none. */
export function findUsageAtEnd(tail: Buffer): unknown {
  for (let at = tail.lastIndexOf(needle); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(needle, at - 1)) {
    const usage = readObjectAfter(tail, at + needle.length)
    // Metadata may follow, with names that the client chose.
    if (usage !== undefined) return usage
  }
  return undefined
}

/** Null if the value is no number of tokens. */
export function readTokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens ? value : null
}

/** Parses the object that follows `:` at `start`; counts braces to find its end. */
function readObjectAfter(bytes: Buffer, start: number): unknown {
  const open = bytes.indexOf(openBrace, start)
  if (open < 0 || bytes.toString('latin1', start, open).trim() !== ':') return undefined
  let depth = 0
  let isText = false
  for (let index = open; index < bytes.length; index++) {
    const byte = bytes[index]
    if (isText) {
      if (byte === backslash) index++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === openBrace) depth++
    else if (byte === closeBrace && --depth === 0) return parseJson(bytes.toString('latin1', open, index + 1))
  }
  return undefined
}

interface LineAccount {
  readTokens(json: unknown): number | null
  tokens: number | null
  events: number
  hasData: boolean
}

function endLine(account: LineAccount, bytes: Buffer, start: number, end: number, mayHaveUsage: boolean): void {
  if (start === end) {
    if (account.hasData) account.events++
    account.hasData = false
    return
  }
  const isData = isDataLine(bytes, start, end)
  // Usage can be in a comment too, if the client did not request usage.
  if (!isData && bytes[start] !== colon) return
  if (isData && !isDone(bytes, start, end)) account.hasData = true
  if (!mayHaveUsage || end - start > maxLineBytes) return
  const json = parseJson(bytes.toString('latin1', bytes.indexOf(colon, start) + 1, end))
  account.tokens = account.readTokens(json) ?? account.tokens
}

/** `readTokens` gets the JSON of each line that has usage, and returns what the answer cost, if the line says so. */
export function createStreamUsage(readTokens: (json: unknown) => number | null): StreamUsage {
  const account: LineAccount = { readTokens, tokens: null, events: 0, hasData: false }
  let endedWithReturn = false
  /** The received part of an incomplete line; only its first bytes once it is too long to be parsed. */
  let begun = new GrowingBuffer(maxLineBytes)
  let begunBytes = 0

  function endBegun(last: Buffer) {
    keep(last)
    const line = begun.whole()
    endLine(account, line, 0, line.length, begunBytes <= maxLineBytes && line.includes(needle))
    begun.release()
    begunBytes = 0
  }

  function keep(piece: Buffer) {
    const wasLong = begunBytes > maxLineBytes
    begunBytes += piece.length
    if (wasLong) return
    if (begun.add(piece)) return
    const first = begun.whole().subarray(0, 16)
    begun = new GrowingBuffer(maxLineBytes)
    begun.add(first)
  }

  return {
    // One pass over the bytes, because this runs for every chunk of every stream.
    take(chunk) {
      const { length } = chunk
      // The line feed of a CR LF that began in the chunk before.
      let start = endedWithReturn && chunk[0] === lineFeed ? 1 : 0
      let usageAt = -1
      for (let at = start; at < length; at++) {
        const byte = chunk[at]
        if (byte === quote) {
          if (chunk[at + 1] === letterU && isUsage(chunk, at)) usageAt = at
        } else if (byte === lineFeed || byte === carriageReturn) {
          if (begunBytes > 0) endBegun(chunk.subarray(start, at))
          else endLine(account, chunk, start, at, usageAt >= start)
          if (byte === carriageReturn && chunk[at + 1] === lineFeed) at++
          start = at + 1
        }
      }
      if (length > 0) endedWithReturn = chunk[length - 1] === carriageReturn
      if (start < length) keep(chunk.subarray(start))
    },
    end() {
      if (begunBytes > 0) endBegun(Buffer.alloc(0))
      endLine(account, needle, 0, 0, false)
    },
    tokens: () => account.tokens,
    events: () => account.events,
  }
}

/** False for `"usage":null`, which most chunks of a stream contain. */
function isUsage(bytes: Buffer, at: number): boolean {
  for (let index = 2; index < needle.length; index++) if (bytes[at + index] !== needle[index]) return false
  return bytes[at + needle.length] !== colon || bytes[at + needle.length + 1] !== letterN
}

function isDataLine(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== letterD || end - start < 4) return false
  if (bytes[start + 1] !== letterA || bytes[start + 2] !== letterT || bytes[start + 3] !== letterA) return false
  return end - start === 4 || bytes[start + 4] === colon
}

function isDone(bytes: Buffer, start: number, end: number): boolean {
  return end - start < 16 && /^data: ?\[DONE\] *$/.test(bytes.toString('latin1', start, end))
}
