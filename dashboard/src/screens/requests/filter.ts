// The filters in the address of the screen of requests. What the API would reject is left out, or shown as its error.
import type { ManagementRoutes } from '@sallyport/sdk'
import { readDay } from '../../api/days.ts'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'

type Route = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests']
export type LoggedRequest = Route['output']['data'][number]

const feedbacks = ['any', 'positive', 'negative'] as const
const texts = [
  'uid',
  'model',
  'provider',
  'status',
  'error',
  'endpoint',
  'prompt',
  'guardrail',
  'tier',
  'thread',
  'agent_session',
  'agent',
  'q',
] as const

export type RequestFilter = { [name in (typeof texts)[number]]?: string } & {
  /** Days in UTC, inclusive. */
  from?: string
  to?: string
  feedback?: (typeof feedbacks)[number]
  min_latency_ms?: number
  min_cost_usd?: number
}

export const filterNames: Record<keyof RequestFilter, string> = {
  from: 'From',
  to: 'Until',
  status: 'Status',
  uid: 'End user',
  model: 'Model',
  provider: 'Provider',
  error: 'Error code',
  endpoint: 'Endpoint',
  prompt: 'Prompt',
  guardrail: 'Guardrail',
  tier: 'Tier',
  thread: 'Thread',
  agent_session: 'Session of an agent',
  agent: 'Agent',
  feedback: 'Feedback',
  q: 'Request ID',
  min_latency_ms: 'Minimum latency (ms)',
  min_cost_usd: 'Minimum cost (USD)',
}

export function readRequestFilter(search: GivenSearch): RequestFilter {
  const [from, to] = [readDay(search['from']), readDay(search['to'])]
  const feedback = feedbacks.find(known => known === search['feedback'])
  const latency = readNumber(search['min_latency_ms'])
  const cost = readNumber(search['min_cost_usd'])
  return {
    ...readTexts(search, texts),
    ...(from && { from }),
    ...(to && { to }),
    ...(feedback && { feedback }),
    ...(latency !== null && { min_latency_ms: latency }),
    ...(cost !== null && { min_cost_usd: cost }),
  }
}

function readNumber(value: unknown): number | null {
  if (value === undefined || value === '') return null
  const number = Number(value)
  return Number.isFinite(number) && number >= 0 ? number : null
}
