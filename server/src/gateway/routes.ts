// The data plane's routes, one row each: method, pattern, wire format, and whether a request's body costs tokens.

import { Refusal } from '../domain/errors.ts'
import { surfaces } from '../surfaces/all-surfaces.ts'
import type { Surface } from '../surfaces/surface.ts'

export interface GatewayRoute {
  pattern: string
  method: 'GET' | 'POST' | 'DELETE'
  /** The wire format of its errors and, for completions, of its body and answer. */
  surface: Surface
  /** False for routes without a body, which cost no tokens. */
  isCompletion: boolean
}

const [surface, ...otherSurfaces] = surfaces
const completions = completionsOf(surface)
export const routes: readonly GatewayRoute[] = [
  completions,
  ...otherSurfaces.map(completionsOf),
  { method: 'GET', pattern: '/v1/models', surface, isCompletion: false },
  { method: 'GET', pattern: '/v1/threads', surface, isCompletion: false },
  { method: 'GET', pattern: '/v1/threads/:id', surface, isCompletion: false },
  { method: 'DELETE', pattern: '/v1/threads/:id', surface, isCompletion: false },
  { method: 'GET', pattern: '/v1/threads/:id/messages', surface, isCompletion: false },
  { method: 'GET', pattern: '/v1/billing/usage', surface, isCompletion: false },
]

/** With the mint route, which management serves on the same hosts. */
export const servedRoutes: readonly Pick<GatewayRoute, 'method' | 'pattern'>[] = [
  ...routes,
  { method: 'POST', pattern: '/v1/auth/mint' },
]
export const unknownRoute = `Unknown route. This project serves: ${servedRoutes.map(({ method, pattern }) => `${method} ${pattern}`).join(', ')}`

const literal = new Map<string, GatewayRoute[]>()
const patterns: { grammar: RegExp; rows: GatewayRoute[] }[] = []
for (const [pattern, rows] of Map.groupBy(routes, row => row.pattern)) {
  if (pattern.includes(':')) patterns.push({ grammar: grammarOf(pattern), rows })
  else literal.set(pattern, rows)
}

function completionsOf(surface: Surface): GatewayRoute {
  return { method: 'POST', pattern: surface.pattern, surface, isCompletion: true }
}

function grammarOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, '[^/]+')}$`)
}

/** Whether the path belongs to the data plane, regardless of the method. */
export function isRoute(path: string): boolean {
  return rowsOf(path) !== undefined
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
  // Most requests are for completions; a map would have to hash the text of each request's path.
  if (method === completions.method && path === completions.pattern) return completions
  const rows = findRoutes(path)
  const wanted = method === 'HEAD' ? 'GET' : method
  for (const row of rows) if (row.method === wanted) return row
  throw new Refusal('method_not_allowed', { headers: { allow: allowedMethods(rows) } })
}

export function allowedMethods(rows: readonly GatewayRoute[]): string {
  const methods = rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS'].join(', ')
}
