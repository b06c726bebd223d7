// Reports what a project's guardrails did, or in shadow mode would have done, over the last days; never a text.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { dayMs } from '../../domain/day.ts'
import { daysOfEvents } from '../../domain/guardrails/guardrail-event.ts'
import { GuardrailTally } from '../../domain/guardrails/guardrail-report.ts'
import { readDays } from '../../domain/reports/usage-report.ts'
import type { SentinelThreshold } from '../../domain/settings/settings.ts'
import { type GuardrailEventRow, listGuardrailEvents } from '../../storage/guardrail-events/guardrail-event-rows.ts'
import { listUsage } from '../../storage/usage-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Owned } from '../plane/caller.ts'
import { type Route, route } from '../plane/route.ts'

const counts = {
  requests: z.int().meta({ description: 'Requests that were answered or that a guardrail rejected' }),
  would_block: z.int().meta({ description: 'Requests that the guardrails rejected, or would have in enforce mode' }),
  would_mask: z.int().meta({ description: 'Further requests whose text they replaced in part, or would have' }),
}
const reportSchema = z.object({
  from: z.string().meta({ format: 'date', description: 'The first day; the report covers the last 30 at most' }),
  to: z.string().meta({ format: 'date' }),
  ...counts,
  by_type: z.record(z.string(), z.int()).meta({ description: 'Requests by entity type; a request may have several' }),
  by_family: z.record(z.string(), z.int()).meta({ description: 'Requests by family of jailbreaks' }),
  by_threshold: z
    .object({ strict: z.int(), balanced: z.int(), lenient: z.int() } satisfies Record<SentinelThreshold, z.ZodType>)
    .meta({ description: 'Requests with a jailbreak that each `sentinel_threshold` would block' }),
  flagged: z
    .int()
    .meta({ description: 'Requests with a jailbreak whose score was below the threshold: reported, not blocked' }),
  users_touched: z.int().meta({ description: 'End users of the requests with a match' }),
  by_day: z.array(z.object({ day: z.string(), ...counts })).meta({ description: 'Newest first' }),
})
const querySchema = z.object({
  from: z.unknown().meta({ type: 'string', format: 'date', description: 'First day, UTC' }).optional(),
  to: z.unknown().meta({ type: 'string', format: 'date', description: 'Last day, UTC; today by default' }).optional(),
})

const rowsAtOnce = 1_000

export function guardrailReportRoutes({ sql, writeUsage, now }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/guardrails/report',
      operation: 'getGuardrailReport',
      summary: 'Count what the guardrails did, or in shadow mode would have done, in the last days',
      credential: 'session',
      owner: 'project',
      permission: 'guardrails:read',
      query: querySchema,
      answers: { 200: reportSchema },
      async handle({ owned, query }) {
        const days = daysOf(query, now())
        const tally = new GuardrailTally()
        for await (const rows of readEvents(sql, owned, days)) for (const row of rows) tally.add(row)
        await writeUsage()
        const filter = { projectId: owned.project.id, userId: null, ...days }
        const answered = await listUsage(sql, filter, 'day', { after: null, limit: daysOfEvents })
        return { status: 200, body: { ...days, ...tally.sum(answered) } }
      },
    }),
  ]
}

interface Days {
  from: string
  to: string
}

/** Never more than the days whose events are kept: others would look like days without matches. */
function daysOf(query: Record<string, unknown>, now: number): Days {
  const { from, to } = readDays(query)
  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10)
  const [first, today] = [dayAt(now - (daysOfEvents - 1) * dayMs), dayAt(now)]
  return { from: from === null || from < first ? first : from, to: to === null || to > today ? today : to }
}

async function* readEvents(
  sql: ManagementDependencies['sql'],
  { tenant, project }: Owned,
  { from, to }: Days,
): AsyncGenerator<GuardrailEventRow[]> {
  const filter = {
    tenantId: tenant.id,
    projectId: project.id,
    type: null,
    from: Date.parse(from),
    to: Date.parse(to) + dayMs - 1,
  }
  for (let after: string | null = null; ; ) {
    const rows = await listGuardrailEvents(sql, filter, { after, limit: rowsAtOnce })
    yield rows
    after = rows.at(-1)?.id ?? null
    if (rows.length < rowsAtOnce) return
    // SQLite queries are synchronous: without this pause, other requests would wait for all pages.
    await nextTurn()
  }
}
