// The endpoints by which usage is counted, one row each, by their names in the API.
import type { ManagementRoutes } from '@sallyport/sdk'

type UsageRow = ManagementRoutes['GET /auth/v1/projects/{projectId}/usage']['output']['data'][number]

interface Endpoint {
  label: string
  /** Whether models answer it that say nothing of their endpoints; null if models do not list it. */
  isUsual: boolean | null
}

const endpoints = {
  chat_completions: { label: 'Chat completions', isUsual: true },
  responses: { label: 'Responses', isUsual: true },
  messages: { label: 'Messages', isUsual: true },
  count_tokens: { label: 'Token counts', isUsual: null },
  embeddings: { label: 'Embeddings', isUsual: false },
} as const satisfies Record<NonNullable<UsageRow['endpoint']>, Endpoint>

type Endpoints = typeof endpoints
type Listed = { [Name in keyof Endpoints]: Endpoints[Name]['isUsual'] extends null ? never : Name }[keyof Endpoints]

const rows = Object.entries<Endpoint>(endpoints)
/** Those of which a model says whether it answers them. */
export const endpointsOfModels = rows.filter(([, { isUsual }]) => isUsual !== null).map(([name]) => name as Listed)
/** What a model answers that says nothing of its endpoints. */
export const usualSurfaces = endpointsOfModels.filter(name => endpoints[name].isUsual)

/** Its name in the API if this page is older than the server. */
export function nameOfEndpoint(endpoint: string): string {
  return rows.find(([name]) => name === endpoint)?.[1].label ?? endpoint
}
