// Reads the head of a plain request: one that can be read in one way only. Returns null for every other head, valid or
// not; the runtime's parser reads those and reports their errors.
import type { IncomingHttpHeaders } from 'node:http'
import { maxKeyLength, memoize } from '../../collections/bounded-memo.ts'

export interface FastLaneHead {
  method: string
  url: string
  /** By lower-case name; each occurred once. */
  headers: IncomingHttpHeaders
  /** The length of the body, which follows the head. */
  bodyBytes: number
}

interface RequestLine {
  method: string
  url: string
}

const requestLineGrammar = /^(GET|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\x21-\x7e]*) HTTP\/1\.1$/
/** Without the underscore: some servers read `x_tenant_id` as `x-tenant-id`. */
const nameGrammar = /^[A-Za-z0-9!#$%&'*+.^`|~-]{1,60}$/
const notInValue = /[^\t\x20-\x7e]/
const lengthGrammar = /^[0-9]{1,6}$/
/** These change how the rest of the connection is read. */
const notPlain = new Set(['expect', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-connection'])
const maxHeaders = 60
const [space, tab] = [0x20, 0x09]

/** A header name as it was sent, with its colon. */
interface SentName {
  sent: string
  /** In lower case; null if the header is not plain. */
  name: string | null
}

interface SentLine extends RequestLine {
  /** Including the line end. */
  sent: string
}

const nameOf = memoize(readName)
const lineOf = memoize(readRequestLine)

/**
 * One per connection: a client sends the same headers in the same order each time, and comparing with its last head
 * costs far less than look-ups.
 */
export class FastLaneHeadReader {
  #line: SentLine | null = null
  readonly #names: SentName[] = []

  /** Expects a head without the empty line at its end, decoded as latin1. */
  read(text: string): FastLaneHead | null {
    const line = this.#findLine(text)
    if (line === null) return null
    const headers: Record<string, string> = {}
    let at = line.sent.length
    for (let count = 0; at <= text.length; count++) {
      const sent = this.#findName(text, at, count)
      if (sent === null || sent.name === null || count === maxHeaders) return null
      const lineEnd = text.indexOf('\r\n', at)
      const end = lineEnd < 0 ? text.length : lineEnd
      const colonEnd = at + sent.sent.length
      if (colonEnd > end) return null
      const value = readValue(text, colonEnd, end)
      // Repeated, or a name that every object inherits.
      if (headers[sent.name] !== undefined || notInValue.test(value)) return null
      headers[sent.name] = value
      at = end + 2
    }
    const bodyBytes = readBodyBytes(headers, line.method)
    return bodyBytes === null ? null : { method: line.method, url: line.url, headers, bodyBytes }
  }

  #findLine(text: string): SentLine | null {
    if (this.#line !== null && text.startsWith(this.#line.sent)) return this.#line
    const end = text.indexOf('\r\n') + 2
    if (end < 2) return null
    const line = lineOf(text.slice(0, end))
    // A longer line was not copied and would keep the whole head alive.
    this.#line = end <= maxKeyLength ? line : null
    return line
  }

  #findName(text: string, at: number, place: number): SentName | null {
    const expected = this.#names[place]
    if (expected !== undefined && text.startsWith(expected.sent, at)) return expected
    const colonEnd = text.indexOf(':', at) + 1
    if (colonEnd === 0) return null
    const found = nameOf(text.slice(at, colonEnd))
    if (found.name !== null) this.#names[place] = found
    return found
  }
}

/** Removes only spaces and tabs around the value: `trim` would also remove a stray CR. */
function readValue(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && (text.charCodeAt(from) === space || text.charCodeAt(from) === tab)) from++
  while (from < to && (text.charCodeAt(to - 1) === space || text.charCodeAt(to - 1) === tab)) to--
  return text.slice(from, to)
}

function readBodyBytes(headers: Record<string, string>, method: string): number | null {
  const { connection, host, 'content-length': length } = headers
  if (host === undefined || (connection !== undefined && connection.toLowerCase() !== 'keep-alive')) return null
  if (length !== undefined) return lengthGrammar.test(length) ? Number(length) : null
  return method === 'POST' ? null : 0
}

function readRequestLine(sent: string): SentLine | null {
  const [, method, url] = requestLineGrammar.exec(sent.slice(0, -2)) ?? []
  return method === undefined || url === undefined ? null : { method, url, sent }
}

function readName(sent: string): SentName {
  const name = sent.slice(0, -1).toLowerCase()
  return { sent, name: nameGrammar.test(name) && !notPlain.has(name) ? name : null }
}
