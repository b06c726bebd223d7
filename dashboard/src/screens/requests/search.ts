// The address of the screen of requests: the filters, and what its chart and its groups show.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { GivenSearch } from '../../api/search-text.ts'
import { type RequestFilter, readRequestFilter } from './filter.ts'

type GroupsQuery = NonNullable<ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/groups']['input']['query']>
export type Dimension = NonNullable<GroupsQuery['by']>
export type Order = NonNullable<GroupsQuery['order']>

export const dimensions: Record<Dimension, string> = {
  model: 'Model',
  provider: 'Provider',
  tier: 'Tier',
  endpoint: 'Endpoint',
  prompt: 'Prompt',
  status: 'Status',
  error: 'Error',
  uid: 'End user',
  thread: 'Thread',
  agent_session: 'Session of an agent',
  agent: 'Agent',
}

export const orders: Record<Order, string> = {
  requests: 'Requests',
  errors: 'Errors',
  tokens: 'Tokens',
  cost_usd: 'Cost',
}

export const chartNames = {
  requests: 'Requests',
  latency: 'Latency',
  first_token: 'First token',
  tokens: 'Tokens',
  cost: 'Cost',
} as const
export type ChartName = keyof typeof chartNames

/** What is not there has its default. */
interface RequestView {
  chart?: ChartName
  by?: Dimension
  order?: Order
}

export type RequestSearch = RequestFilter & RequestView

export function readRequestSearch(search: GivenSearch): RequestSearch {
  const chart = keyIn(chartNames, search['chart'])
  const by = keyIn(dimensions, search['by'])
  const order = keyIn(orders, search['order'])
  return {
    ...readRequestFilter(search),
    ...(chart !== null && { chart }),
    ...(by !== null && { by }),
    ...(order !== null && { order }),
  }
}

function keyIn<Key extends string>(names: Record<Key, string>, value: unknown): Key | null {
  return (Object.keys(names) as Key[]).find(name => name === value) ?? null
}

const filterOf = ({ chart: _chart, by: _by, order: _order, ...filter }: RequestSearch): RequestFilter => filter

const from = '/app/projects/$projectId/requests'

/** The address as it is, and how to change a part of it; a part that is empty is left out. */
export function useRequestSearch() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const go = (next: GivenSearch): Promise<void> => navigate({ search: readRequestSearch(next), replace: true })
  const { chart, by, order } = search
  return {
    search,
    filter: filterOf(search),
    change: (changed: GivenSearch) => go({ ...search, ...changed }),
    clearFilter: () => go({ chart, by, order }),
  }
}
