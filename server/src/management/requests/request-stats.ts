// Sums the requests of a project by minute, hour or day, with the same filters as the list.

import { z } from 'zod'
import { dayMs } from '../../domain/day.ts'
import { type RequestSums, sumRequests } from '../../storage/request-log/request-stats.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { filterQuery, readFilter } from './request-query.ts'

const lengths = { minute: 60_000, hour: 3_600_000, day: dayMs } as const
const units = ['minute', 'hour', 'day'] as const

const sums = {
  requests: z.int(),
  errors: z.int(),
  tokens: z.object({ prompt: z.int(), cached: z.int(), completion: z.int(), reasoning: z.int() }),
  cost_usd: z.number(),
  latency_ms: z
    .object({ p50: z.int(), p95: z.int(), p99: z.int() })
    .nullable()
    .meta({ description: 'Within 2 %; null without a request' }),
}
const statsSchema = z.object({
  data: z.array(z.object({ at: z.string().meta({ format: 'date-time' }), ...sums })).meta({
    description: 'Oldest first; periods without a request are left out',
  }),
  totals: z.object(sums),
  complete_from: z
    .string()
    .nullable()
    .meta({ format: 'date-time', description: 'Older requests were too many to be read; null if all were read' }),
})

export function requestStatsRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/requests/stats',
      operation: 'getRequestStats',
      summary: 'Get requests, errors, latency, tokens and cost by minute, or by whole hours or days',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: filterQuery.extend({
        by: z.enum(units, { error: `by must be one of: ${units.join(', ')}` }).default('hour'),
      }),
      answers: { 200: statsSchema },
      async handle({ owned, query }) {
        const filter = await readFilter(management, owned.project.id, query)
        await management.requests.flush()
        const stats = await sumRequests(management.requestDays, filter, lengths[query.by])
        const data = stats.buckets.map(({ at, ...rest }) => ({ at: isoTime(at), ...showSums(rest) }))
        const body = { data, totals: showSums(stats.totals), complete_from: isoTime(stats.completeFrom) }
        return { status: 200, body }
      },
    }),
  ]
}

function showSums(numbers: RequestSums) {
  const { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost_nanousd, ...shown } = numbers
  return {
    ...shown,
    tokens: {
      prompt: prompt_tokens,
      cached: cached_tokens,
      completion: completion_tokens,
      reasoning: reasoning_tokens,
    },
    cost_usd: cost_nanousd / 1e9,
  }
}
