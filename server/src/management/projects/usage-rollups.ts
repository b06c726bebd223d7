// The usage of a project by day and model, as it was when the day was closed: for invoices and other sums that must not
// change later.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { readDays, showNumbers } from '../../domain/reports/usage-report.ts'
import { listRollups } from '../../storage/rollups/list-rollups.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { daysQuerySchema, usageNumbers } from './usage.ts'

const rollupSchema = z.object({
  day: z.string(),
  model: z.string(),
  ...usageNumbers,
  closed_at: z
    .string()
    .nullable()
    .meta({ description: 'Null while the day is open; the numbers of a closed day never change' }),
})

export function usageRollupRoutes({ sql, writeUsage }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/usage/rollups',
      operation: 'listProjectUsageRollups',
      summary: 'List the usage of a project by day and model, oldest first; closed days never change',
      credential: 'session',
      owner: 'project',
      permission: 'billing:read',
      query: daysQuerySchema,
      answers: { 200: z.object({ data: z.array(rollupSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const projectId = owned.project.id
        const days = readDays(query)
        const page = getPage(query, { list: ['usage-rollups', projectId], key: ['string', 'string'] })
        await writeUsage()
        const rows = await listRollups(sql, { projectId, ...days }, { after: page.after, limit: page.limit + 1 })
        const shown = rows.slice(0, page.limit)
        const last = shown.at(-1)
        const nextCursor =
          rows.length > page.limit && last !== undefined ? page.cursorAfter([last.day, last.model]) : null
        const data = shown.map(({ day, model, closed_at, ...sums }) => ({
          day,
          model,
          ...showNumbers(sums),
          closed_at: isoTime(closed_at),
        }))
        return { status: 200, body: { data, next_cursor: nextCursor } }
      },
    }),
  ]
}
