// Reads the head of a plain request: one that can be read in one way only. Whatever is not plain, be it right or wrong,
// is null here and left to the runtime's own reader, which also has the words for it.
import type { IncomingHttpHeaders } from 'node:http'

export interface PlainHead {
  method: string
  url: string
  /** By their names in lower case; each came once. */
  headers: IncomingHttpHeaders
  /** Bytes of the body, which follow the head. */
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
/** They change how the rest of the connection is read. */
const notPlain = new Set(['expect', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-connection'])
const mostHeaders = 60
const mostRemembered = 1_000

/** Name as it was sent → in lower case, or null where it is not plain. Clients differ little. */
const names = new Map<string, string | null>()
const requestLines = new Map<string, RequestLine | null>()

/** Of a head without the empty line at its end, read as latin1. */
export function readPlainHead(text: string): PlainHead | null {
  let at = text.indexOf('\r\n')
  if (at < 0) return null
  const line = recall(requestLines, text.slice(0, at), readRequestLine)
  if (line === null) return null
  const headers: Record<string, string> = {}
  for (let count = 0; at < text.length; count++) {
    const start = at + 2
    at = text.indexOf('\r\n', start)
    if (at < 0) at = text.length
    const colon = text.indexOf(':', start)
    if (colon <= start || colon >= at || count === mostHeaders) return null
    const name = recall(names, text.slice(start, colon), readName)
    const value = readValue(text, colon + 1, at)
    // Twice, or what every object has by birth.
    if (name === null || headers[name] !== undefined || notInValue.test(value)) return null
    headers[name] = value
  }
  const bodyBytes = readBodyBytes(headers, line.method)
  return bodyBytes === null ? null : { method: line.method, url: line.url, headers, bodyBytes }
}

/** Without the spaces and tabs around it, and those alone: `trim` would take a stray CR along. */
function readValue(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

function readBodyBytes(headers: Record<string, string>, method: string): number | null {
  const { connection, host, 'content-length': length } = headers
  if (host === undefined || (connection !== undefined && connection.toLowerCase() !== 'keep-alive')) return null
  if (length !== undefined) return lengthGrammar.test(length) ? Number(length) : null
  return method === 'POST' ? null : 0
}

function readRequestLine(line: string): RequestLine | null {
  const [, method, url] = requestLineGrammar.exec(line) ?? []
  return method === undefined || url === undefined ? null : { method, url }
}

function readName(sent: string): string | null {
  const name = sent.toLowerCase()
  return nameGrammar.test(name) && !notPlain.has(name) ? name : null
}

/** What was found out once about a text that comes again and again; made-up ones cost memory only up to a bound. */
function recall<T>(known: Map<string, T>, text: string, read: (text: string) => T): T {
  const remembered = known.get(text)
  if (remembered !== undefined) return remembered
  const found = read(text)
  if (known.size < mostRemembered && text.length <= 100) known.set(text, found)
  return found
}
