// What happened in a project in the last hour, by minute, for a view that is read again every few seconds.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { showActivity } from '../../domain/reports/activity.ts'
import { activityMinuteMs, activityMinutes } from '../../kv/activity.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const byReason = z.record(z.string(), z.int())
const figures = {
  requests: z.int(),
  errors: byReason.meta({ description: 'By reason: failures of a provider, of the network or of Sallyport' }),
  refusals: byReason.meta({ description: 'By reason: requests that were rejected' }),
  tokens: z.int(),
  latency_ms: z
    .object({ p50: z.int(), p95: z.int() })
    .nullable()
    .meta({ description: 'From the request to the last byte of its answer; null without an answered completion' }),
}
const activitySchema = z.object({
  totals: z.object(figures),
  minutes: z
    .array(z.object({ starts_at: z.string().meta({ format: 'date-time' }), ...figures }))
    .meta({ description: 'Sixty, oldest first; the last one is the current minute' }),
})

export function activityRoutes({ kv }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/activity',
      operation: 'getProjectActivity',
      summary: 'Get requests, errors, refusals, latency and tokens of the last hour, by minute',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      answers: { 200: activitySchema },
      refusals: ['store_unavailable'],
      async handle({ owned }) {
        const { now, minutes } = await kv.findActivity(owned.project.id).catch(refuseUnavailable)
        const counts = new Map(minutes.map(minute => [minute.startsAt, minute.counts]))
        const current = Math.floor(now / activityMinuteMs) * activityMinuteMs
        const starts = Array.from({ length: activityMinutes }, (_, at) => current - at * activityMinuteMs).reverse()
        const shown = starts.map(at => ({ starts_at: isoTime(at), ...showActivity([counts.get(at) ?? {}]) }))
        return { status: 200, body: { totals: showActivity([...counts.values()]), minutes: shown } }
      },
    }),
  ]
}

function refuseUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? new Refusal('store_unavailable', { cause: error }) : error
}
