// Writes whole JSON responses, and errors in the given format. Must never throw, regardless of the connection's state.

import { Refusal, type RefusalCode, type RefusalDetails } from '../domain/errors.ts'
import type { Log, LogFields } from '../domain/log.ts'
import { kindOfError, sparseLogOf } from '../log/sparse-log.ts'
import type { ErrorFormat } from './error-formats.ts'
import type { PlaneResponse } from './exchange.ts'

type Response = PlaneResponse

/** How long a client may go on sending its body after the response before the connection closes. */
const lingerMs = 2_000
/** A rest of up to this size is read and dropped, which is cheaper than a new connection. */
const restBytes = 64 * 1024

export function replyJson(response: Response, status: number, body: unknown, headers: Record<string, string> = {}) {
  replyJsonText(response, status, JSON.stringify(body), headers)
}

/** The text is sent as it is: its numbers keep their digits. */
export function replyJsonText(response: Response, status: number, text: string, headers: Record<string, string> = {}) {
  if (response.headersSent || response.destroyed) return
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('cache-control', 'no-store')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('content-length', Buffer.byteLength(text))
  endAfterBody(response, text)
}

// Stored on the response itself: entries of a WeakMap survive collections of young objects.
const refusedWith = Symbol('refused with')

interface Refused extends Response {
  [refusedWith]?: Refusal
}

/** The code of the response's error, for metrics; null if there was none. */
export function findRefusal(response: Refused): RefusalCode | null {
  return response[refusedWith]?.code ?? null
}

/** The budget or the limit that had too little left for the request; null if none refused it. */
export function findExceeded(response: Refused): NonNullable<RefusalDetails['exceeded']> | null {
  return response[refusedWith]?.details.exceeded ?? null
}

export interface ErrorReply {
  format: ErrorFormat
  log: Log
  requestId: string
}

/** Sends a `Refusal` as it is; anything else becomes an internal error, and its cause goes only to the log. */
export function replyError(response: Refused, thrown: unknown, { format, log, requestId }: ErrorReply): void {
  const refusal = thrown instanceof Refusal ? thrown : new Refusal('internal', { cause: thrown })
  const { status } = refusal.row
  if (status >= 500) logFailure(log, refusal, { request_id: requestId, status, error: thrown })
  if (response.headersSent) {
    // Half an answer must not look like a whole one.
    if (!response.writableEnded) response.destroy()
    return
  }
  response[refusedWith] = refusal
  try {
    const { retryAfterSeconds, headers = {} } = refusal.details
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    const ofFormat = format.errorHeaders(refusal)
    for (const name in ofFormat) response.setHeader(name, ofFormat[name] ?? '')
    replyJson(response, status, format.errorBody(refusal, requestId), headers)
  } catch (error) {
    log.error('error response could not be written', { request_id: requestId, status, error })
    response.destroy()
  }
}

/** An outage fails many requests in the same way, so its lines are limited; an internal error gets a line each time. */
function logFailure(log: Log, { code, cause }: Refusal, fields: LogFields): void {
  if (code === 'internal') log.error('request failed', fields)
  else sparseLogOf(log).error('request failed', `${code} ${kindOfError(cause)}`, fields)
}

/**
 * Closing a connection while its body still arrives makes the kernel reset it, and the client may lose the response.
 * Therefore the response is sent whole, the rest of the body is dropped for a while, and only then the connection is
 * closed.
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
