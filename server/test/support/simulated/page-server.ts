// Serves a page on its own origin, with one script that is bundled from a module of the tests.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'vite'

export interface PageServer {
  /** The page is at the root. */
  origin: string
  close(): Promise<void>
}

const html =
  '<!doctype html><meta charset="utf-8"><title>Test page</title><script type="module" src="/page.js"></script>'

/** Serves the page under `localhost` (or another name of loopback) on a free port. */
export async function servePage(modulePath: string, hostName = 'localhost'): Promise<PageServer> {
  const script = await bundle(modulePath)
  const server = createServer((request, response) => {
    const [type, body] = request.url === '/page.js' ? ['text/javascript', script] : ['text/html', html]
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://${hostName}:${port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function bundle(modulePath: string): Promise<string> {
  const output = { format: 'es', codeSplitting: false } as const
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: join(import.meta.dirname, '../../..'),
    build: { write: false, minify: false, rolldownOptions: { input: modulePath, output } },
  })
  if (!Array.isArray(result) && !('output' in result)) throw new Error('the bundler watches instead of building')
  const [built] = Array.isArray(result) ? result : [result]
  const [chunk] = built?.output ?? []
  if (chunk?.type !== 'chunk') throw new Error('the bundler made no script')
  return chunk.code
}
