// Deletes old rows: expired and ended sessions, requests of devices, password resets, challenges, sign-ins that nobody
// finished, idempotency keys, invitations, guardrail events, tenants' events and deliveries, usage rows, alerts of
// budgets, stored responses.

import { dayMs } from '../domain/day.ts'
import { daysOfEvents } from '../domain/guardrails/guardrail-event.ts'
import { daysOfTenantEvents } from '../domain/webhooks/tenant-events.ts'
import { deleteOldBudgetAlerts } from '../storage/budgets/record-alert.ts'
import { deleteExpiredResponses } from '../storage/conversations/stored-responses.ts'
import { deleteOldGuardrailEvents } from '../storage/guardrail-events/guardrail-event-rows.ts'
import { deleteOldest } from '../storage/late-index/erase.ts'
import { usageIndex } from '../storage/late-index/late-index.ts'
import { deleteOldDeliveries } from '../storage/webhooks/delivery-queue.ts'
import { deleteOldTenantEvents } from '../storage/webhooks/tenant-events.ts'
import { inPages } from './in-pages.ts'
import type { Job } from './job.ts'

const eventsKeptMs = daysOfEvents * dayMs
const tenantEventsKeptMs = daysOfTenantEvents * dayMs

/**
 * Usage rows are only read to detect duplicates, such as rows that the store delivers again once the database
 * is back. They are kept for a month and a few days, to explain a month's sums.
 */
const usageKeptMs = 35 * dayMs

/** Longer than a period, in which each alert is recorded once. */
const alertsKeptMs = 62 * dayMs

/** Keeps transactions short: other writers wait for them, in embedded mode all of them. */
const atOnce = 500
/** The more, the more of their entries share a page of the index by project. */
const usageAtOnce = 5_000
/** They may be large. */
const responsesAtOnce = 100

export const deleteOldRows: Job = {
  name: 'forget-old-rows',
  everyMs: 10 * 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, now }, signal) {
    const time = now()
    await sql.deleteFrom('sessions').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('password_resets').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('device_requests').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('ended_sessions').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('sign_in_challenges').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('sso_attempts').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('sso_links').where('expires_at', '<=', time).execute()
    await sql
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', time - dayMs)
      .execute()
    await sql
      .deleteFrom('invitations')
      .where('expires_at', '<=', time - 30 * dayMs)
      .execute()
    const deleteInPages = (deleteOld: typeof deleteOldGuardrailEvents, before: number) =>
      inPages(signal, async () => (await deleteOld(sql, before, atOnce)) === atOnce)
    await deleteInPages(deleteOldGuardrailEvents, time - eventsKeptMs)
    await deleteInPages(deleteOldDeliveries, time - tenantEventsKeptMs)
    await deleteInPages(deleteOldTenantEvents, time - tenantEventsKeptMs)
    await inPages(signal, () => deleteOldest(sql, usageIndex, time - usageKeptMs, usageAtOnce))
    await sql
      .deleteFrom('platform_days')
      .where('day', '<', dayOf(time - usageKeptMs))
      .execute()
    await deleteInPages(deleteOldBudgetAlerts, time - alertsKeptMs)
    await inPages(signal, async () => (await deleteExpiredResponses(sql, time, responsesAtOnce)) === responsesAtOnce)
  },
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
