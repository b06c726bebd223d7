// The minimal proxy on this runtime: node:http in front, undici's dispatch behind, heads and bodies passed on. The
// product's cost is what it needs beyond this.
// Usage: node bench/bare-proxy.ts PORT UPSTREAM_URL
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'

const [port, upstreamUrl] = process.argv.slice(2)
if (port === undefined || upstreamUrl === undefined)
  throw new Error('usage: node bench/bare-proxy.ts PORT UPSTREAM_URL')
const pool = new Pool(upstreamUrl, { connections: 512, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
const hopByHop = new Set(['connection', 'keep-alive', 'host', 'transfer-encoding', 'content-length'])

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => forward(request, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), response))
}).listen(Number(port), '127.0.0.1')

function forward(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const headers: string[] = []
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]!
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, request.rawHeaders[at + 1]!)
  }
  let abort: (() => void) | null = null
  let parts: Buffer[] = []
  let isStream = false
  response.once('close', () => response.writableFinished || abort?.())
  pool.dispatch(
    { path: request.url ?? '/', method: 'POST', headers, body },
    {
      onRequestStart: controller => {
        abort = () => controller.abort(new Error('client gone'))
      },
      onResponseStart: (controller, status, answered) => {
        isStream = answered['content-type'] === 'text/event-stream'
        const kept = Object.entries(answered).filter(([name]) => !hopByHop.has(name))
        response.writeHead(status, kept.flat() as string[])
        if (isStream) {
          response.flushHeaders()
          response.on('drain', () => controller.resume())
        }
      },
      onResponseData: (controller, chunk) => {
        if (!isStream) parts.push(chunk)
        else if (!response.write(chunk)) controller.pause()
      },
      onResponseEnd: () => {
        response.end(parts.length === 1 ? parts[0] : Buffer.concat(parts))
        parts = []
      },
      onResponseError: () => {
        response.destroy()
      },
    },
  )
}
