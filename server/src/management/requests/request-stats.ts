// Sums the requests of a project by minute, hour or day, or by what they have in common, with the same filters as the
// list.

import { z } from 'zod'
import { dayMs } from '../../domain/day.ts'
import { requestDimensions, requestOrders } from '../../domain/requests/request-groups.ts'
import { groupRequests } from '../../storage/request-log/request-groups.ts'
import { sumRequests } from '../../storage/request-log/request-stats.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { filterQuery, readFilter } from './request-query.ts'
import { completeFromSchema, showSums, sumsShape } from './request-sums.ts'

const lengths = { minute: 60_000, hour: 3_600_000, day: dayMs } as const
const units = ['minute', 'hour', 'day'] as const

const common = { method: 'GET', credential: 'session', owner: 'project', permission: 'project:read' } as const

const statsSchema = z.object({
  data: z.array(z.object({ at: z.string().meta({ format: 'date-time' }), ...sumsShape })).meta({
    description: 'Oldest first; periods without a request are left out',
  }),
  totals: z.object(sumsShape),
  complete_from: completeFromSchema,
})

const maxGroups = 50
const groupsSchema = z.object({
  data: z
    .array(
      z.object({
        value: z.string().nullable().meta({ description: 'Null: the requests that have none' }),
        ...sumsShape,
      }),
    )
    .meta({ description: 'Those with the most of `order` first' }),
  others: z
    .object(sumsShape)
    .nullable()
    .meta({ description: 'The requests of all other groups; null if there are none' }),
  totals: z.object(sumsShape),
  complete_from: completeFromSchema,
})
const limitMessage = `limit must be an integer 1-${maxGroups}`

export function requestStatsRoutes(management: ManagementDependencies): Route[] {
  return [statsRoute(management), groupsRoute(management)]
}

function statsRoute(management: ManagementDependencies): Route {
  const { requestDays, requests } = management
  return route({
    ...common,
    path: '/auth/v1/projects/:projectId/requests/stats',
    operation: 'getRequestStats',
    summary: 'Get requests, errors, times, tokens and cost by minute, or by whole hours or days',
    query: filterQuery.extend({
      by: z.enum(units, { error: `by must be one of: ${units.join(', ')}` }).default('hour'),
    }),
    answers: { 200: statsSchema },
    async handle({ owned, query }) {
      const filter = await readFilter(management, owned.project.id, query)
      await requests.flush()
      const stats = await sumRequests(requestDays, filter, lengths[query.by])
      const data = stats.buckets.map(({ at, ...rest }) => ({ at: isoTime(at), ...showSums(rest) }))
      const body = { data, totals: showSums(stats.totals), complete_from: isoTime(stats.completeFrom) }
      return { status: 200, body }
    },
  })
}

function groupsRoute(management: ManagementDependencies): Route {
  const { requestDays, requests } = management
  return route({
    ...common,
    path: '/auth/v1/projects/:projectId/requests/groups',
    operation: 'getRequestGroups',
    summary: 'Get requests, errors, times, tokens and cost by model, end user or another filter, of whole hours',
    query: filterQuery.extend({
      by: z
        .enum(requestDimensions, { error: `by must be one of: ${requestDimensions.join(', ')}` })
        .default('model')
        .meta({ description: 'What the requests of a group have in common, by the name of its filter' }),
      order: z
        .enum(requestOrders, { error: `order must be one of: ${requestOrders.join(', ')}` })
        .default('requests')
        .meta({ description: 'The groups with the most of it are returned' }),
      limit: z.coerce
        .number({ error: limitMessage })
        .int({ error: limitMessage })
        .min(1, { error: limitMessage })
        .max(maxGroups, { error: limitMessage })
        .default(10),
    }),
    answers: { 200: groupsSchema },
    async handle({ owned, query }) {
      const { by, order, limit, ...filters } = query
      const filter = await readFilter(management, owned.project.id, filters)
      await requests.flush()
      const { groups, others, totals, completeFrom } = await groupRequests(requestDays, filter, { by, order, limit })
      const body = {
        data: groups.map(({ value, ...rest }) => ({ value, ...showSums(rest) })),
        others: others === null ? null : showSums(others),
        totals: showSums(totals),
        complete_from: isoTime(completeFrom),
      }
      return { status: 200, body }
    },
  })
}
