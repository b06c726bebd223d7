// Parses the head of a response, strictly by the grammar: a tenant may have chosen the server. A head that two parsers
// could read differently is an error.

import { memoize } from '../collections/bounded-memo.ts'
import { OutboundFailure } from './failure.ts'

export type AnswerHeaders = Record<string, string | string[] | undefined>

/** How the body ends: at once, after a length, with its last chunk, or with the connection. */
export type Framing = 'none' | 'length' | 'chunked' | 'close'

export interface ResponseHead {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly framing: Framing
  /** For framing `length`. */
  readonly length: number
  /** Whether the connection can carry another request, and how long the server says it waits for one. */
  readonly persists: boolean
  readonly idleSeconds: number | null
}

/** The same limit as the runtime's own client. */
export const maxHeadBytes = 16 * 1024

// Consecutive classes never overlap, so matching is linear for any input.
const headGrammar =
  /^HTTP\/1\.[01] [1-9][0-9]{2}(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/
const trailerGrammar = /^(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/
/** Some parsers take a tab before a length, or a blank after it, as a part of it. */
const oddLength = /\r\n(?:content-length|transfer-encoding):[^\r]*(?:\t| (?:\r|$))/i
const lengthGrammar = /^[0-9]{1,15}$/
const keepAliveGrammar = /(?:^|[,\s])timeout=([0-9]{1,6})/i
const [space, tab, zero] = [0x20, 0x09, 0x30]
const lowerName = memoize(name => name.toLowerCase())

/** Expects the text without the final blank line. Throws OutboundFailure `protocol`. */
export function parseHead(text: string, isHeadRequest: boolean): ResponseHead {
  if (!headGrammar.test(text) || oddLength.test(text)) throw invalidHead('head')
  const status = digitAt(text, 9) * 100 + digitAt(text, 10) * 10 + digitAt(text, 11)
  const headers: AnswerHeaders = {}
  let start = text.indexOf('\r\n')
  while (start !== -1) {
    const colon = text.indexOf(':', start)
    const next = text.indexOf('\r\n', colon)
    const name = text.slice(start + 2, colon)
    const value = trim(text, colon + 1, next === -1 ? text.length : next)
    addHeader(headers, lowerName(name), value)
    start = next
  }
  return describe(status, headers, text.charCodeAt(7) === zero, isHeadRequest)
}

export function checkTrailers(text: string): void {
  if (!trailerGrammar.test(text)) throw invalidHead('trailers')
}

/** Throws if an incomplete head can no longer become a valid one. */
export function checkBeginning(text: string): void {
  const prefix = 'HTTP/1.'
  if (!prefix.startsWith(text.slice(0, prefix.length))) throw invalidHead('head')
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== 0x0d) throw invalidHead('head')
  }
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - zero
}

/** Removes spaces and tabs only. */
function trim(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && (text.charCodeAt(start) === space || text.charCodeAt(start) === tab)) start++
  while (end > start && (text.charCodeAt(end - 1) === space || text.charCodeAt(end - 1) === tab)) end--
  return text.slice(start, end)
}

function addHeader(headers: AnswerHeaders, name: string, value: string): void {
  // An assignment to this name would not create a member.
  if (name === '__proto__') return
  const known = headers[name]
  if (known === undefined || !Object.hasOwn(headers, name)) headers[name] = value
  else if (typeof known === 'string') headers[name] = [known, value]
  else known.push(value)
}

function describe(status: number, headers: AnswerHeaders, isOld: boolean, isHeadRequest: boolean): ResponseHead {
  const transfer = headers['transfer-encoding']
  const given = headers['content-length']
  let framing: Framing = 'close'
  let length = 0
  if (transfer !== undefined) {
    // With a length, repeated, or of another kind: another parser would find the body's end elsewhere.
    if (given !== undefined || isOld) throw invalidHead('framing')
    if (typeof transfer !== 'string' || transfer.toLowerCase() !== 'chunked') throw invalidHead('framing')
    framing = 'chunked'
  } else if (given !== undefined) {
    if (typeof given !== 'string' || !lengthGrammar.test(given)) throw invalidHead('framing')
    length = Number(given)
    framing = length === 0 ? 'none' : 'length'
  }
  if (isHeadRequest || status < 200 || status === 204 || status === 304) framing = 'none'
  const idleSeconds = headers['keep-alive'] === undefined ? null : readIdleSeconds(headers['keep-alive'])
  const persists = !isOld && framing !== 'close' && !closes(headers['connection'])
  return { status, headers, framing, length, persists, idleSeconds }
}

function closes(connection: string | string[] | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false
  return String(connection)
    .split(',')
    .some(option => option.trim().toLowerCase() === 'close')
}

function readIdleSeconds(value: string | string[]): number | null {
  const seconds = keepAliveGrammar.exec(String(value))?.[1]
  return seconds === undefined ? null : Number(seconds)
}

function invalidHead(reason: string): OutboundFailure {
  return new OutboundFailure('protocol', { reason })
}
