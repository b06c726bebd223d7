// Writes the head of a request. What could end a line early or pose as another header is refused before a byte leaves.
// Knows no sockets; host, connection and length are ours to say, never the caller's.
import { OutboundFailure } from './outbound-failure.ts'
import { remember } from './remember.ts'

/** Header lines that were checked once, for callers who send the same ones again and again. */
export interface HeaderBlock {
  readonly text: string
}

export interface RequestHead {
  method: string
  path: string
  /** Of the origin, as the Host header names it. */
  host: string
  headers?: Record<string, string> | undefined
  block?: HeaderBlock | undefined
  /** Null where there is no body at all. */
  bodyLength: number | null
}

const methodGrammar = /^[A-Z]{1,20}$/
const pathGrammar = /^[\x21-\x7e]+$/
const nameGrammar = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const valueGrammar = /^[\t\x20-\x7e\x80-\xff]*$/
const ours = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** The same few again and again. */
const isPlainMethod = remember(method => methodGrammar.test(method))
const isPlainPath = remember(path => pathGrammar.test(path))
const lineStart = remember(name => {
  if (!nameGrammar.test(name)) throw refused('header_name')
  return ours.has(name.toLowerCase()) ? '' : `${name}: `
})

/** Throws OutboundFailure `protocol`. */
export function writeHead({ method, path, host, headers, block, bodyLength }: RequestHead): string {
  if (!isPlainMethod(method)) throw refused('method')
  if (!isPlainPath(path)) throw refused('path')
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n`
  if (headers !== undefined) text += writeLines(headers)
  if (block !== undefined) text += block.text
  if (bodyLength !== null) text += `content-length: ${bodyLength}\r\n`
  return `${text}\r\n`
}

export function makeHeaderBlock(headers: Record<string, string>): HeaderBlock {
  return { text: writeLines(headers) }
}

function writeLines(headers: Record<string, string>): string {
  let text = ''
  for (const name in headers) {
    const start = lineStart(name)
    const value = headers[name]!
    if (!valueGrammar.test(value)) throw refused('header_value')
    if (start !== '') text += `${start}${value}\r\n`
  }
  return text
}

function refused(reason: string): OutboundFailure {
  return new OutboundFailure('protocol', { reason, connected: false })
}
