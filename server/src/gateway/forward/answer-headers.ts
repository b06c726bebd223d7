// Passes headers of an upstream's answer to the client, by an allow-list. Our own headers are already set: rate limits,
// request id and CORS.

import {
  attemptsHeader,
  cacheHeader,
  estimateHeader,
  modelHeader,
  refusalHeader,
  usageHeader,
} from '../../call/inference-port.ts'
import { maxTokens } from '../../domain/conversation/token-estimate.ts'
import { findRefusalStatus } from '../../domain/errors.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import type { AnswerHeaders } from '../../outbound/call.ts'

/** The runtime throws on other characters in a header, which would break off the answer. */
const writable = /^[\t\x20-\x7e]*$/

const ownHeaders = [estimateHeader, modelHeader, attemptsHeader, cacheHeader]

export function writeAnswerHead(response: PlaneResponse, status: number, headers: AnswerHeaders): void {
  response.statusCode = status
  const hasType = passHeader(response, 'content-type', headers['content-type'])
  const hasControl = passHeader(response, 'cache-control', headers['cache-control'])
  passHeader(response, 'retry-after', headers['retry-after'])
  passHeader(response, 'x-should-retry', headers['x-should-retry'])
  for (const name of ownHeaders) passHeader(response, name, headers[name])
  if (!hasType && status !== 204 && !response.hasHeader('content-type')) {
    response.setHeader('content-type', 'application/json')
  }
  if (!hasControl && !response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  if (!isWorthRetrying(status, headers) && headers['x-should-retry'] === undefined) {
    response.setHeader('x-should-retry', 'false')
  }
}

/** Returns whether there was a valid header, which was passed on. */
export function passHeader(response: PlaneResponse, name: string, value: AnswerHeaders[string]): boolean {
  if (typeof value !== 'string' || !writable.test(value)) return false
  response.setHeader(name, value)
  return true
}

function isWorthRetrying(status: number, headers: AnswerHeaders): boolean {
  if (status < 400 || status >= 500 || status === 408 || status === 409) return true
  return status === 429 && Number(headers['retry-after'] ?? Number.NaN) <= 60
}

/** The tokens that our own inference role reports in the head of a whole answer; null if it reports none. */
export function readReportedUsage(headers: AnswerHeaders): number | null {
  const reported = headers[usageHeader]
  if (typeof reported !== 'string' || !/^[0-9]{1,10}$/.test(reported)) return null
  const tokens = Number(reported)
  return tokens <= maxTokens ? tokens : null
}

/** The code of an error response of our own inference role; null if it names none that this version knows. */
export function readRefusalCode(headers: AnswerHeaders): string | null {
  const reported = headers[refusalHeader]
  return typeof reported === 'string' && findRefusalStatus(reported) !== null ? reported : null
}

export type AnswerKind = 'plain' | 'events'

/** Null for what cannot be the service's answer: a proxy's error page, or a status about the hop to the service. */
export function readAnswerKind(status: number, headers: AnswerHeaders): AnswerKind | null {
  if (status === 401 || status === 407) return null
  if (status === 204) return 'plain'
  const given = headers['content-type']
  // Nearly all answers have exactly this type.
  if (given === 'application/json') return 'plain'
  const type = String(given ?? '').toLowerCase()
  // A service may omit the type: the body is checked in any case.
  if (type === '') return 'plain'
  if (type.startsWith('text/event-stream')) return status < 300 ? 'events' : null
  return /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/.test(type) ? 'plain' : null
}
