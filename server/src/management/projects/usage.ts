// The usage of a project's end users, by day, model, user or endpoint.

import { z } from 'zod'
import { endpointNames } from '../../domain/conversation/operations.ts'
import {
  readUsageQuery,
  readUsageQueryOf,
  showNumbers,
  showUsage,
  usageGroupings,
} from '../../domain/reports/usage-report.ts'
import { listUsage, listUsageByTier, sumUsage } from '../../storage/usage-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'

export const usageNumbers = {
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number(),
}
export const usageSchema = z.object({
  data: z.array(
    z.object({
      uid: z.string().nullable(),
      day: z.string().nullable(),
      model: z.string().nullable(),
      endpoint: z.enum(endpointNames).nullable(),
      ...usageNumbers,
    }),
  ),
  totals: z.object(usageNumbers),
  next_cursor: z.string().nullable(),
})
export const daysQuerySchema = pageQuery.extend({
  from: z.unknown().meta({ type: 'string', format: 'date' }).optional(),
  to: z.unknown().meta({ type: 'string', format: 'date' }).optional(),
})
export const usageQuerySchema = daysQuerySchema.extend({
  uid: z.string({ error: 'uid must be a string' }).optional(),
  group_by: z
    .unknown()
    .meta({ type: 'string', enum: [...usageGroupings], default: 'day' })
    .optional(),
})

const usageByTierSchema = z.object({
  data: z.array(z.object({ tier: z.string().nullable(), ...usageNumbers })),
  next_cursor: z.string().nullable(),
})

export function usageRoutes({ sql, writeUsage }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/usage',
      operation: 'getProjectUsage',
      summary: 'Get the usage of a project; totals cover all rows of the filter',
      credential: 'session',
      owner: 'project',
      permission: 'billing:read',
      query: usageQuerySchema,
      answers: { 200: usageSchema },
      async handle({ owned, query }) {
        const projectId = owned.project.id
        const { from, to, grouping, page } = readUsageQuery(query, projectId)
        const filter = { projectId, userId: query.uid ?? null, from, to }
        // A request right after an answer must find it in the totals, as on the project's own route.
        await writeUsage()
        const rows = await listUsage(sql, filter, grouping, { after: page.after?.[0] ?? null, limit: page.limit + 1 })
        const totals = await sumUsage(sql, filter)
        return { status: 200, body: showUsage({ rows, totals, grouping, page }) }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/usage/tiers',
      operation: 'getProjectUsageByTier',
      summary: 'Get the usage of a project by tier; null for end users without one',
      credential: 'session',
      owner: 'project',
      permission: 'billing:read',
      query: daysQuerySchema,
      answers: { 200: usageByTierSchema },
      async handle({ owned, query }) {
        const projectId = owned.project.id
        const { from, to, page } = readUsageQueryOf(query, projectId, ['tier'])
        await writeUsage()
        const bounds = { after: page.after?.[0] ?? null, limit: page.limit + 1 }
        const rows = await listUsageByTier(sql, { projectId, from, to }, bounds)
        const shown = rows.slice(0, page.limit)
        const last = shown.at(-1)
        const data = shown.map(({ tier, ...sums }) => ({ tier: tier === '' ? null : tier, ...showNumbers(sums) }))
        const next_cursor = rows.length > page.limit && last !== undefined ? page.cursorAfter([last.tier]) : null
        return { status: 200, body: { data, next_cursor } }
      },
    }),
  ]
}
