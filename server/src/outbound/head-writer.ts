// Writes the head of a request; rejects characters that could end a line early or start another header. Host,
// connection and length are set here, never by the caller.

import { memoize } from '../collections/bounded-memo.ts'
import { OutboundFailure } from './failure.ts'

/** Checked header lines, for callers that send the same ones again and again. */
export interface HeaderBlock {
  readonly text: string
}

export interface RequestHead {
  /** From `writeStart`. */
  start: string
  headers: Record<string, string> | undefined
  block: HeaderBlock | undefined
  /** Null for a request without a body. */
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
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** A memo: few names recur. */
const lineStart = memoize(name => {
  if (!nameGrammar.test(name)) throw refused('header_name')
  return ours.has(name.toLowerCase()) ? '' : `${name}: `
})

export interface RequestTarget {
  /** Begins with the origin if a proxy is to read it. */
  path: string
  /** As in the Host header. */
  host: string
  /** The value of Proxy-Authorization, if it is sent. */
  proxyAuthorization: string | null
}

/** The common first lines of all requests to one URL. Throws OutboundFailure `protocol`. */
export function writeStart(method: string, { path, host, proxyAuthorization }: RequestTarget): string {
  if (!methodGrammar.test(method)) throw refused('method')
  if (!pathGrammar.test(path)) throw refused('path')
  const credentials = proxyAuthorization === null ? '' : `proxy-authorization: ${proxyAuthorization}\r\n`
  return inOnePiece(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n${credentials}`,
  )
}

/** Throws OutboundFailure `protocol`. */
export function writeHead({ start, headers, block, bodyLength }: RequestHead): string {
  let text = start
  if (headers !== undefined) text += writeLines(headers)
  if (block !== undefined) text += block.text
  return bodyLength === null ? `${text}\r\n` : `${text}content-length: ${bodyLength}\r\n\r\n`
}

export function makeHeaderBlock(headers: Record<string, string>): HeaderBlock {
  return { text: inOnePiece(writeLines(headers)) }
}

/** One line, or none for a header that is set here. Throws OutboundFailure `protocol`. */
export function writeLine(name: string, value: string): string {
  const start = lineStart(name)
  if (!valueGrammar.test(value)) throw refused('header_value')
  return start === '' ? '' : `${start}${value}\r\n`
}

function writeLines(headers: Record<string, string>): string {
  let text = ''
  for (const name in headers) text += writeLine(name, headers[name]!)
  return text
}

/** Flattens the text: a concatenated string stays a tree of its pieces, which each write would walk again. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function refused(reason: string): OutboundFailure {
  return new OutboundFailure('protocol', { reason, connected: false })
}
