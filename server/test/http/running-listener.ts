// A real listener on a free port whose planes write down what reached them.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlaneRequest } from '../../src/http/exchange.ts'
import type { RequestHandler, RuntimeRequestHandler } from '../../src/http/front/accept-request.ts'
import { createListener, type ListenerOptions } from '../../src/http/front/listener.ts'
import type { Incoming } from '../../src/http/incoming.ts'
import { replyJson } from '../../src/http/reply.ts'
import { createLog } from '../../src/log/log.ts'
import { whenDone } from '../support/runner/when-done.ts'

export interface Arrival {
  plane: 'management' | 'project' | 'internal'
  incoming: Incoming
  url: string
  headers: Record<string, unknown>
  rawHeaders: string[]
}

export const internalSecret = 'a-secret-between-services'

interface Overrides extends Partial<Omit<ListenerOptions, 'handlers'>> {
  plane?: RuntimeRequestHandler
  port?: number
  /** Whether the runtime's server reads every request. */
  withoutLane?: boolean
}

export async function runListener({ plane, port: wanted = 0, withoutLane = false, ...overrides }: Overrides = {}) {
  const arrivals: Arrival[] = []
  const lines: string[] = []
  const on =
    (name: Arrival['plane']): RequestHandler =>
    (request, response, incoming) => {
      const { url = '', headers } = request
      arrivals.push({ plane: name, incoming, url, headers: { ...headers }, rawHeaders: rawHeadersOf(request) })
      // A test that asks more of a request than the planes do sends one that the runtime reads.
      if (plane) return plane(request as IncomingMessage, response as ServerResponse, incoming)
      return replyJson(response, 200, { plane: name })
    }
  const listener = createListener({
    hosts: { baseUrl: 'http://localhost:8080', publicDomain: 'localhost', internalDomain: 'dev.localhost' },
    trustedProxies: [],
    handlers: {
      management: on('management'),
      project: on('project'),
      internal: on('internal'),
      findPlain: ({ kind }) => (withoutLane || (kind !== 'project' && kind !== 'internal') ? null : on(kind)),
    },
    isInternalSecret: secret => secret === internalSecret,
    readiness: () => [],
    // `FAST_LANE=off npm test -- server/test/gateway` runs the tests of the gateway over the runtime's server.
    hasFastLane: process.env.FAST_LANE !== 'off',
    log: createLog({ level: 'debug', destination: { write: line => void lines.push(line) } }),
    now: Date.now,
    randomId: randomUUID,
    ...overrides,
  })
  const { port } = await listener.listen(wanted, '127.0.0.1')
  whenDone(() => listener.close(0))
  return { listener, port, arrivals, lines }
}

function rawHeadersOf(request: PlaneRequest): string[] {
  return 'rawHeaders' in request ? [...request.rawHeaders] : Object.entries(request.headers).flat().map(String)
}
