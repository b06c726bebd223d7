// A real HTTP server on loopback in place of a provider: sends scripted responses and records the requests. Independent
// of any provider's wire format.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface UpstreamRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
}

export interface UpstreamAnswer {
  status?: number
  headers?: Record<string, string>
  /** Objects are sent as JSON, text as it is. */
  body?: unknown
  /** The delay before the head is sent. */
  delayMs?: number
  /** Closes the connection instead of sending a response. */
  hangUp?: true
  /** Writes head and body itself, for responses that arrive in pieces or never end. Only `delayMs` applies too. */
  write?(response: ServerResponse): Promise<void> | void
}

export type Script = UpstreamAnswer | ((request: UpstreamRequest) => UpstreamAnswer)

export interface ScriptedUpstream {
  /** Without a path: `http://127.0.0.1:port`. */
  url: string
  /** `127.0.0.1:port`, for OUTBOUND_ALLOW. */
  host: string
  requests: UpstreamRequest[]
  /** Sets a script from now on: `GET /v1/models` for one call, `*` for all calls without a script. */
  on(call: string, script: Script): void
  /** Removes all scripts and requests. */
  reset(): void
  close(): Promise<void>
}

export async function startUpstream(): Promise<ScriptedUpstream> {
  const scripts = new Map<string, Script>()
  const requests: UpstreamRequest[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const asked: UpstreamRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(asked)
    const script = scripts.get(`${asked.method} ${asked.path}`) ?? scripts.get('*') ?? { status: 404, body: {} }
    const answer = typeof script === 'function' ? script(asked) : script
    if (answer.delayMs !== undefined) await sleep(answer.delayMs)
    if (answer.write !== undefined) return void (await answer.write(response))
    if (answer.hangUp) return void request.socket.destroy()
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    on: (call, script) => void scripts.set(call, script),
    reset() {
      scripts.clear()
      requests.length = 0
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
