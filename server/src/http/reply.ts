// Writes whole JSON responses, and every refusal in the error format that it is given. Never throws, whatever state the
// connection is in.

import { Refusal, type RefusalCode } from '../domain/errors.ts'
import type { Log, LogFields } from '../domain/log.ts'
import { kindOfFault, sparseLogOf } from '../log/sparse-log.ts'
import type { ErrorFormat } from './error-formats.ts'
import type { PlaneResponse } from './exchange.ts'

type Response = PlaneResponse

/** How long an answered request may still send the rest of its body before the connection closes. */
const lingerMs = 2_000
/** A rest of this size is read and dropped, which is cheaper than a new connection. */
const restBytes = 64 * 1024

export function replyJson(response: Response, status: number, body: unknown, headers: Record<string, string> = {}) {
  if (response.headersSent || response.destroyed) return
  const text = JSON.stringify(body)
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('cache-control', 'no-store')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('content-length', Buffer.byteLength(text))
  endAfterBody(response, text)
}

// On the response itself: in a WeakMap each entry would outlive the collections that it should die in.
const refusedWith = Symbol('refused with')

interface Refused extends Response {
  [refusedWith]?: RefusalCode
}

/** Why a request was refused, for those who count refusals; null where it was not. */
export function findRefusal(response: Refused): RefusalCode | null {
  return response[refusedWith] ?? null
}

export interface ErrorReply {
  format: ErrorFormat
  log: Log
  requestId: string
}

/** Refusals as they are; anything else is a fault of ours, whose cause goes to the log alone. */
export function replyError(response: Refused, thrown: unknown, { format, log, requestId }: ErrorReply): void {
  const refusal = thrown instanceof Refusal ? thrown : new Refusal('internal', { cause: thrown })
  const { status } = refusal.row
  if (status >= 500) tellFailure(log, refusal, { request_id: requestId, status, error: thrown })
  if (response.headersSent) {
    // Half an answer must not look like a whole one.
    if (!response.writableEnded) response.destroy()
    return
  }
  response[refusedWith] = refusal.code
  try {
    const { retryAfterSeconds, headers = {} } = refusal.details
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    const ofFormat = format.errorHeaders(refusal)
    for (const name in ofFormat) response.setHeader(name, ofFormat[name] ?? '')
    replyJson(response, status, format.errorBody(refusal), headers)
  } catch (error) {
    log.error('refusal could not be rendered', { request_id: requestId, status, error })
    response.destroy()
  }
}

/** What is away fails many requests in the same way; a fault of our own has its line for each. */
function tellFailure(log: Log, { code, cause }: Refusal, fields: LogFields): void {
  if (code === 'internal') log.error('request failed', fields)
  else sparseLogOf(log).error('request failed', `${code} ${kindOfFault(cause)}`, fields)
}

/**
 * Closing a connection while its body still arrives makes the kernel reset it, and the client may lose the answer:
 * so the answer is sent whole, the rest of the body dropped for a while, and only then the connection closed.
 */
function endAfterBody(response: Response, text: string): void {
  const request = response.req
  const chunked = request.headers['transfer-encoding'] !== undefined
  const announced = Number(request.headers['content-length'] ?? 0)
  const isClosing = !response.shouldKeepAlive || response.getHeader('connection') === 'close'
  if (request.complete || (!chunked && announced <= (isClosing ? 0 : restBytes))) {
    response.end(text)
    return
  }
  response.setHeader('connection', 'close')
  response.write(text)
  const timer = setTimeout(end, lingerMs)
  function end() {
    clearTimeout(timer)
    response.end()
  }
  request.once('end', end).once('close', end).resume()
}
