// Deletes rows whose time is over: sessions open and ended, idempotency keys, invitations, guardrail events.

import { deleteOldGuardrailEvents } from '../storage/guardrail-event-rows.ts'
import { inPages } from './in-pages.ts'
import type { Job } from './job.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Short transactions: others write events, and in the embedded mode everything else, in between. */
const eventsAtOnce = 500

export const forgetOldRows: Job = {
  name: 'forget-old-rows',
  everyMs: 10 * 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, now }, signal) {
    const time = now()
    await sql.deleteFrom('sessions').where('expires_at', '<=', time).execute()
    await sql.deleteFrom('ended_sessions').where('expires_at', '<=', time).execute()
    await sql
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', time - dayMs)
      .execute()
    await sql
      .deleteFrom('invitations')
      .where('expires_at', '<=', time - 30 * dayMs)
      .execute()
    await inPages(
      signal,
      async () => (await deleteOldGuardrailEvents(sql, time - 30 * dayMs, eventsAtOnce)) === eventsAtOnce,
    )
  },
}
