// Serves an identity provider's key set over HTTP on loopback. A test sets the response, and reads the number of
// requests.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface KeySetServer {
  url: string
  requests(): number
  /** Sets the response of the next requests. A function writes the response itself, or leaves the request open. */
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
