// The data plane's routes, one row each: method, pattern, wire format, and the endpoint that reads a body.

import { Refusal } from '../domain/errors.ts'
import { type ErrorFormat, gatewayErrors } from '../http/error-formats.ts'
import { surfaces } from '../surfaces/all-surfaces.ts'
import { responses } from '../surfaces/responses/responses.ts'
import type { Endpoint, Surface } from '../surfaces/surface.ts'

export interface GatewayRoute {
  pattern: string
  method: 'GET' | 'POST' | 'DELETE'
  /** The wire format of its errors and, if it has an endpoint, of its body and answer. */
  surface: Surface
  /** Null for routes that cost no tokens. */
  endpoint: Endpoint | null
  /** Requests have a JSON body; without an endpoint, whoever answers reads it. */
  hasBody: boolean
  /** Whether the token may come in `x-api-key`, as Anthropic's clients send it. */
  acceptsApiKeyHeader: boolean
}

export const routes: readonly GatewayRoute[] = [
  ...surfaces.flatMap(endpointsOf),
  { ...withoutBody('GET', '/v1/models'), acceptsApiKeyHeader: true },
  { ...withoutBody('GET', '/v1/models/:id'), acceptsApiKeyHeader: true },
  withoutBody('GET', '/v1/threads'),
  withoutBody('GET', '/v1/threads/:id'),
  withoutBody('DELETE', '/v1/threads/:id'),
  withoutBody('GET', '/v1/threads/:id/messages'),
  withoutBody('GET', '/v1/responses/:id', responses),
  withoutBody('DELETE', '/v1/responses/:id', responses),
  withoutBody('GET', '/v1/billing/usage'),
  { ...withoutBody('POST', '/v1/feedback'), hasBody: true },
]

/** Management's routes on the same hosts, which mint tokens. */
const mintRoutes: readonly Pick<GatewayRoute, 'method' | 'pattern'>[] = [
  { method: 'POST', pattern: '/v1/auth/mint' },
  { method: 'POST', pattern: '/v1/auth/anonymous' },
  { method: 'GET', pattern: '/v1/auth/anonymous/challenge' },
]
export const mintPaths: readonly string[] = mintRoutes.map(({ pattern }) => pattern)

export const servedRoutes: readonly Pick<GatewayRoute, 'method' | 'pattern'>[] = [...routes, ...mintRoutes]
export const unknownRoute = `Unknown route. This project serves: ${servedRoutes.map(({ method, pattern }) => `${method} ${pattern}`).join(', ')}`

const [first] = routes
const literal = new Map<string, GatewayRoute[]>()
const patterns: { grammar: RegExp; rows: GatewayRoute[] }[] = []
for (const [pattern, rows] of Map.groupBy(routes, row => row.pattern)) {
  if (pattern.includes(':')) patterns.push({ grammar: grammarOf(pattern), rows })
  else literal.set(pattern, rows)
}

function endpointsOf(surface: Surface): GatewayRoute[] {
  const { acceptsApiKeyHeader } = surface
  return surface.endpoints.map(endpoint => ({
    method: 'POST',
    pattern: endpoint.pattern,
    surface,
    endpoint,
    hasBody: true,
    acceptsApiKeyHeader,
  }))
}

function withoutBody(method: GatewayRoute['method'], pattern: string, surface: Surface = surfaces[0]): GatewayRoute {
  return { method, pattern, surface, endpoint: null, hasBody: false, acceptsApiKeyHeader: surface.acceptsApiKeyHeader }
}

/** Ids of models contain slashes, which some clients encode and others do not. */
function grammarOf(pattern: string): RegExp {
  const id = pattern === '/v1/models/:id' ? '[^/].*' : '[^/]+'
  return new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, id)}$`)
}

/** Whether the path belongs to the data plane, regardless of the method. */
export function isRoute(path: string): boolean {
  return rowsOf(path) !== undefined
}

/** The format of the gateway's own errors on this path. */
export function gatewayErrorsOf(path: string): ErrorFormat {
  return rowsOf(path)?.[0]?.surface.gatewayErrors ?? gatewayErrors
}

/** Returns the routes of a path; throws if there are none. */
export function findRoutes(path: string): readonly GatewayRoute[] {
  const rows = rowsOf(path)
  if (rows === undefined) throw new Refusal('not_found', { message: unknownRoute })
  return rows
}

function rowsOf(path: string): readonly GatewayRoute[] | undefined {
  return literal.get(path) ?? patterns.find(({ grammar }) => grammar.test(path))?.rows
}

export function findRoute(method: string, path: string): GatewayRoute {
  // Most requests are for the first route; a map would have to hash the text of each request's path.
  if (method === first?.method && path === first.pattern) return first
  const rows = findRoutes(path)
  const wanted = method === 'HEAD' ? 'GET' : method
  for (const row of rows) if (row.method === wanted) return row
  throw new Refusal('method_not_allowed', { headers: { allow: allowedMethods(rows) } })
}

export function allowedMethods(rows: readonly GatewayRoute[]): string {
  const methods = rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS'].join(', ')
}
