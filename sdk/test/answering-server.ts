// An HTTP server that answers as a test tells it to, and keeps what it was sent.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Received {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
  atMs: number
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  /** A text as it is, anything else as JSON. */
  body?: unknown
}

/** `cut` closes the connection without an answer, `silence` never answers. */
export type Answering = (request: Received, index: number) => Answer | 'cut' | 'silence'

export interface AnsweringServer {
  url: string
  received: Received[]
}

/** Ends with the test. */
export async function startAnswering(answering: Answering): Promise<AnsweringServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body: await text(request), atMs: performance.now() }
    const answer = answering(entry, received.push(entry) - 1)
    if (answer === 'silence') return
    if (answer === 'cut') {
      request.socket.destroy()
      return
    }
    const isText = typeof answer.body === 'string'
    response.writeHead(answer.status ?? 200, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...answer.headers,
    })
    response.end(isText || answer.body === undefined ? answer.body : JSON.stringify(answer.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, received }
}

export async function caught(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    value => {
      throw new Error(`no error but ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
}
