// A client that can reset its connection, which is noticed at once. fetch closes it when it is aborted, which a server
// may take for the end of the request.
import { type IncomingMessage, request } from 'node:http'

export interface ResettableRequest {
  /** Resolves with the head; rejects if there is none. */
  response: Promise<IncomingMessage>
  /** Resolves when the connection or the response has ended. */
  ended: Promise<void>
  reset(): void
}

interface RequestParts {
  port: number
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

export function openRequest({ body, ...parts }: RequestParts): ResettableRequest {
  const sent = request({ host: '127.0.0.1', agent: false, ...parts })
  const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const ended = new Promise<void>(end => sent.once('close', end))
  // Its tests may wait for the end alone.
  response.catch(() => undefined)
  sent.once('response', answer => resolve(answer.resume().on('error', () => undefined)))
  sent.once('error', reject)
  sent.end(body)
  return { response, ended, reset: () => void sent.socket?.resetAndDestroy() }
}
