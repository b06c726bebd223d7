// Answers on a raw connection when the HTTP parser failed before a request was complete. Uses the gateway's error
// format, since the host is unknown.
import type { Duplex } from 'node:stream'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import { gatewayErrors } from '../error-formats.ts'
import { replyError } from '../reply.ts'
import { STATUS_CODES } from '../runtime-http.ts'
import type { ListenerState } from './accept-request.ts'
import { refusedMethod } from './locate-request.ts'

/** How long a rejected connection may keep sending before it is cut. */
const lingerMs = 500

const codesByError: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** For CONNECT, which has no plane and detaches the connection from the parser. */
export function refuseMethod(listener: ListenerState, socket: Duplex): void {
  refuseConnection(listener, socket, refusedMethod())
}

/** For parser errors and for requests that did not arrive in time. */
export function refuseParserError(listener: ListenerState, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (listener.distrusted.has(socket)) return
  listener.distrusted.add(socket)
  const refusal = new Refusal(codesByError[error.code ?? ''] ?? 'bad_request')
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const opened = listener.open.findLatest(socket)
  if (!opened) {
    refuseConnection(listener, socket, refusal, error.code)
    return
  }
  const { request, response } = opened
  if (request.complete && !response.headersSent) {
    // The error follows a whole request: that request keeps its response, and the connection ends with it.
    response.setHeader('connection', 'close')
  } else if (response.writableEnded && response.socket === socket) {
    // The response was sent before the body arrived; it stands.
    endAfterWriting(socket)
  } else if (response.headersSent || response.socket !== socket) {
    socket.destroy()
  } else {
    const requestId = String(response.getHeader('x-request-id'))
    response.setHeader('connection', 'close')
    replyError(response, refusal, { format: gatewayErrors, log: listener.log, requestId })
    endAfterWriting(socket)
  }
}

function refuseConnection(listener: ListenerState, socket: Duplex, refusal: Refusal, code?: string): void {
  const { status } = refusal.row
  const requestId = listener.randomId()
  listener.log.info('request rejected', { request_id: requestId, status, code })
  // A connection detached from the parser has no listener left: without one, its reset would end the process.
  socket.on('error', () => socket.destroy())
  const body = JSON.stringify(gatewayErrors.errorBody(refusal, requestId))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries({ ...gatewayErrors.errorHeaders(refusal), ...refusal.details.headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  endAfterWriting(socket)
}

/**
 * Keeps reading for a moment: closing with unread bytes would reset the connection before the client reads the
 * response.
 */
function endAfterWriting(socket: Duplex): void {
  socket.end()
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
