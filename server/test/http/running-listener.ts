// A real listener on a free port whose planes write down what reached them.
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { RuntimePlane } from '../../src/http/accept-request.ts'
import type { Incoming } from '../../src/http/incoming.ts'
import { createListener, type ListenerOptions } from '../../src/http/listener.ts'
import { createLog } from '../../src/http/log.ts'
import { replyJson } from '../../src/http/reply.ts'

export interface Arrival {
  plane: 'management' | 'project' | 'internal'
  incoming: Incoming
  url: string
  headers: Record<string, unknown>
  rawHeaders: string[]
}

export const internalSecret = 'a-secret-between-services'

type Overrides = Partial<Omit<ListenerOptions, 'planes'>> & { plane?: RuntimePlane; port?: number }

export async function runListener({ plane, port: wanted = 0, ...overrides }: Overrides = {}) {
  const arrivals: Arrival[] = []
  const lines: string[] = []
  const on =
    (name: Arrival['plane']): RuntimePlane =>
    (request, response, incoming) => {
      const { url = '', headers, rawHeaders } = request
      arrivals.push({ plane: name, incoming, url, headers: { ...headers }, rawHeaders: [...rawHeaders] })
      return plane ? plane(request, response, incoming) : replyJson(response, 200, { plane: name })
    }
  const listener = createListener({
    hosts: { baseUrl: 'http://localhost:8080', publicDomain: 'localhost', internalDomain: 'dev.localhost' },
    trustedProxies: [],
    planes: { management: on('management'), project: on('project'), internal: on('internal') },
    isInternalSecret: secret => secret === internalSecret,
    readiness: () => [],
    log: createLog({ level: 'debug', destination: { write: line => void lines.push(line) } }),
    now: Date.now,
    randomId: randomUUID,
    ...overrides,
  })
  const { port } = await listener.listen(wanted, '127.0.0.1')
  onTestFinished(() => listener.close(0))
  return { listener, port, arrivals, lines }
}
