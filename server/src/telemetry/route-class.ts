// Maps a request's route to one of a few classes, by its plane's pattern; a path without a pattern is `unknown`.
import { memoizeKnown } from '../collections/bounded-memo.ts'
import { endpointRows } from '../domain/conversation/operations.ts'

export const routeClasses = [
  ...new Set(endpointRows.map(({ operation }) => operation.routeClass)),
  'models',
  'threads',
  'responses',
  'usage',
  'feedback',
  'playground',
  'mint',
  'management',
  'admin',
  'key_set',
  'internal',
  'probe',
  'unknown',
] as const

export type RouteClass = (typeof routeClasses)[number]

const byPattern = new Map<string, RouteClass>(
  endpointRows.map(({ pattern, operation }) => [pattern, operation.routeClass]),
)
const playgrounds = ['/auth/v1/projects/:projectId/playground', '/v1/projects/:projectId/playground']

/** The first prefix that matches counts; longer ones come first. */
const beginnings: ReadonlyArray<readonly [string, RouteClass]> = [
  ['/v1/responses/', 'responses'],
  ['/v1/models', 'models'],
  ['/v1/threads', 'threads'],
  ['/v1/billing', 'usage'],
  ['/v1/feedback', 'feedback'],
  ...playgrounds.map(path => [path, 'playground'] as const),
  ['/v1/auth/mint', 'mint'],
  ['/v1/auth/anonymous', 'mint'],
  ['/auth/v1/auth/mint', 'mint'],
  ['/v1/admin', 'admin'],
  ['/auth/v1/admin', 'admin'],
  ['/.well-known', 'key_set'],
]

/** More than there are routes. */
const maxPatterns = 1_000
const classOfPattern = memoizeKnown(
  (route: string): RouteClass =>
    byPattern.get(route) ?? beginnings.find(([beginning]) => route.startsWith(beginning))?.[1] ?? 'management',
  maxPatterns,
)

export function classOfRoute(plane: string, route: string | undefined): RouteClass {
  if (plane === 'probe') return 'probe'
  if (route === undefined) return 'unknown'
  // A request of our own gateway, which has counted it by its route.
  return plane === 'internal' ? 'internal' : classOfPattern(route)
}

/** Whether requests with this pattern call a model. */
export function isInferenceRoute(route: string | undefined): boolean {
  return route !== undefined && (byPattern.has(route) || playgrounds.includes(route))
}
