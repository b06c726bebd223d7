// Logs when guardrail events were lost, and where: every lost event must be counted.

import type { Kysely } from 'kysely'
import { malformedEvents, trimmedEvents } from '../kv/event-stream.ts'
import type { Store } from '../kv/store.ts'
import { countCappedGuardrailEvents } from '../storage/guardrail-events/guardrail-event-rows.ts'
import type { Schema } from '../storage/schema.ts'
import type { Job } from './job.ts'

/**
 * Totals. Over quota and trimmed never reached the worker; capped were written and deleted in favour of newer ones of
 * their tenant.
 */
export interface EventDrops {
  over_quota: number
  trimmed: number
  malformed: number
  capped: number
}

export async function countEventDrops(dependencies: { sql: Kysely<Schema>; kv: Store }): Promise<EventDrops> {
  const {
    [trimmedEvents]: trimmed = 0,
    [malformedEvents]: malformed = 0,
    ...ofTenants
  } = await dependencies.kv.countDrops()
  const overQuota = Object.values(ofTenants).reduce((sum, count) => sum + count, 0)
  return { over_quota: overQuota, trimmed, malformed, capped: await countCappedGuardrailEvents(dependencies.sql) }
}

export function reportEventDrops(everyMs: number): Job {
  let known: EventDrops | null = null
  return {
    name: 'report-event-drops',
    everyMs,
    runsBeforeReady: false,
    async run(dependencies) {
      const drops = await countEventDrops(dependencies)
      for (const reason of ['over_quota', 'trimmed', 'malformed', 'capped'] as const) {
        const count = drops[reason]
        // The first reading of a replica only learns the totals that others have logged.
        if (known !== null && count > known[reason])
          dependencies.log.warn('guardrail events dropped so far', { reason, count })
      }
      known = drops
    },
  }
}
