// Answers on a bare connection, for what the HTTP parser refused before there was a whole request to answer.
// Knows no host: the body has the gateway's shape, which every client can read.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import { gatewayErrors } from '../error-formats.ts'
import { replyError } from '../reply.ts'
import type { ListenerState } from './accept-request.ts'
import { refusedMethod } from './locate-request.ts'

/** How long a refused connection may go on sending before it is cut. */
const lingerMs = 500

const codesByFault: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** For CONNECT, which has no plane and takes the connection away from the parser. */
export function refuseMethod(front: ListenerState, socket: Duplex): void {
  refuseConnection(front, socket, refusedMethod())
}

/** For a fault of the parser, or a request that did not arrive in its time. */
export function refuseParserFault(front: ListenerState, fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (front.distrusted.has(socket)) return
  front.distrusted.add(socket)
  const refusal = new Refusal(codesByFault[fault.code ?? ''] ?? 'bad_request')
  if (!socket.writable || fault.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const opened = front.open.findLatest(socket)
  if (!opened) {
    refuseConnection(front, socket, refusal, fault.code)
    return
  }
  const { request, response } = opened
  if (request.complete && !response.headersSent) {
    // The fault lies behind a whole request: that one keeps its answer, and the connection ends with it.
    response.setHeader('connection', 'close')
  } else if (response.writableEnded && response.socket === socket) {
    // Answered before its body had come: the answer stands.
    endAfterWriting(socket)
  } else if (response.headersSent || response.socket !== socket) {
    socket.destroy()
  } else {
    const requestId = String(response.getHeader('x-request-id'))
    response.setHeader('connection', 'close')
    replyError(response, refusal, { format: gatewayErrors, log: front.log, requestId })
    endAfterWriting(socket)
  }
}

function refuseConnection(front: ListenerState, socket: Duplex, refusal: Refusal, code?: string): void {
  const { status } = refusal.row
  const requestId = front.randomId()
  front.log.info('request refused', { request_id: requestId, status, code })
  // A connection taken from the parser has no listener left: without one its reset would end the process.
  socket.on('error', () => socket.destroy())
  const body = JSON.stringify(gatewayErrors.errorBody(refusal))
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

/** Goes on reading for a moment: closing with bytes unread would reset the connection under the answer. */
function endAfterWriting(socket: Duplex): void {
  socket.end()
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
