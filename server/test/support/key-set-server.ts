// An identity provider's key set over HTTP on loopback: answers whatever a test says, and counts who asks.
// Knows no product.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface KeySetServer {
  url: string
  requests(): number
  /** What the next requests get; a function does it by itself, or never. */
  answer(next: string | ((response: ServerResponse) => void)): void
  stop(): Promise<void>
}

export async function startKeySetServer(first = '{"keys":[]}'): Promise<KeySetServer> {
  let next: string | ((response: ServerResponse) => void) = first
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    if (typeof next === 'string') response.setHeader('content-type', 'application/json').end(next)
    else next(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    requests: () => requests,
    answer(given) {
      next = given
    },
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
