// The data plane's surface, one row a route: pattern, method, and how its body is read where it has one and costs tokens.
// Knows no project and no answer.

import { Refusal } from '../domain/errors.ts'
import { type CheckedEstimate, estimateCompletion } from '../surfaces/chat-completions/estimate.ts'

export interface GatewayRoute {
  pattern: string
  method: 'GET' | 'POST' | 'DELETE'
  /** Null for routes without a body, which cost no tokens. */
  estimate: ((body: unknown) => CheckedEstimate) | null
}

const completions: GatewayRoute = { method: 'POST', pattern: '/v1/chat/completions', estimate: estimateCompletion }
const routes: readonly GatewayRoute[] = [
  completions,
  { method: 'GET', pattern: '/v1/models', estimate: null },
  { method: 'GET', pattern: '/v1/threads', estimate: null },
  { method: 'GET', pattern: '/v1/threads/:id', estimate: null },
  { method: 'DELETE', pattern: '/v1/threads/:id', estimate: null },
  { method: 'GET', pattern: '/v1/threads/:id/messages', estimate: null },
  { method: 'GET', pattern: '/v1/billing/usage', estimate: null },
]

const literal = new Map<string, GatewayRoute[]>()
const patterns: { grammar: RegExp; rows: GatewayRoute[] }[] = []
for (const [pattern, rows] of Map.groupBy(routes, row => row.pattern)) {
  if (pattern.includes(':')) patterns.push({ grammar: grammarOf(pattern), rows })
  else literal.set(pattern, rows)
}

function grammarOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, '[^/]+')}$`)
}

/** Whether the path is the data plane's, by whatever method. */
export function isRoute(path: string): boolean {
  return rowsOf(path) !== undefined
}

/** The routes of a path; throws where there are none. */
export function findRoutes(path: string): readonly GatewayRoute[] {
  const rows = rowsOf(path)
  if (rows === undefined) throw new Refusal('not_found')
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
