// Serves `/metrics` to this machine itself and to requests with the token. Without a configured token the route does
// not exist for anyone else.
import type { IncomingMessage } from 'node:http'
import { isSameSecret } from '../crypto/compare.ts'
import { Refusal } from '../domain/errors.ts'
import type { RuntimeRequestHandler } from '../http/front/accept-request.ts'
import { createNeighbourCheck, isForwarded } from '../http/front/client-address.ts'
import { refuseOtherThanGet } from '../http/only-get.ts'
import type { Family } from './registry.ts'
import { prometheusContentType, renderPrometheus } from './render-prometheus.ts'

interface MetricsPlaneDependencies {
  families: () => Promise<Family[]>
  token: string | null
}

const isLoopback = createNeighbourCheck([])

export function createMetricsPlane({ families, token }: MetricsPlaneDependencies): RuntimeRequestHandler {
  return async (request, response, { method, clientAddress, host }) => {
    if (isForwarded(request.headers) || !isLoopback(clientAddress)) {
      if (token === null) throw new Refusal(host.kind === 'unknown' ? 'unknown_host' : 'not_found')
      requireToken(request, token)
    }
    refuseOtherThanGet(method)
    const text = renderPrometheus(await families())
    response.setHeader('content-type', prometheusContentType)
    response.setHeader('cache-control', 'no-store')
    response.setHeader('content-length', Buffer.byteLength(text))
    response.end(text)
  }
}

function requireToken({ headers: { authorization } }: IncomingMessage, token: string): void {
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  if (given === undefined) throw new Refusal('bearer_required')
  if (!isSameSecret(given, token)) throw new Refusal('invalid_metrics_token')
}
