// The queue of meter events, for the replica that has claimed their meter.

import type { Kysely, Selectable, Transaction } from 'kysely'
import type { MeterEventState, MeteredRequest } from '../../domain/meters/meter.ts'
import { waitAfterMs } from '../../domain/webhooks/delivery-schedule.ts'
import { type Claiming, claimDue } from '../claim-due.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'

type Database = Kysely<Schema>

export interface MeterClaim {
  meterId: string
  claim: string
}

/** Claims meters with events to send. */
export async function claimMeters(sql: Database, wanted: Claiming): Promise<(MeterClaim & { isSlow: boolean })[]> {
  const { claim, time } = wanted
  const claimed = await claimDue(sql, 'meters', wanted, (isSlow, limit) =>
    sql
      .selectFrom('meters')
      .select(['id', 'is_slow'])
      .where('is_slow', '=', isSlow)
      .where('deleted_at', 'is', null)
      .where('retry_at', '<=', time)
      .where('claimed_until', '<=', time)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('meter_events')
            .select('request_id')
            .whereRef('meter_id', '=', 'meters.id')
            .where('state', 'in', ['waiting', 'rejected'])
            .where('due_at', '<=', time),
        ),
      )
      .orderBy('retry_at')
      .limit(limit),
  )
  return claimed.map(({ id, isSlow }) => ({ meterId: id, claim, isSlow }))
}

export interface DueEvent {
  requestId: string
  attempts: number
  /** Null if its usage row was deleted. */
  request: MeteredRequest | null
}

export interface DueEvents {
  meter: Selectable<Schema['meters']>
  events: DueEvent[]
}

interface Taking {
  time: number
  claimMs: number
  limit: number
  /** Those of the other state come if there are none. */
  first: Exclude<MeterEventState, 'sent'>
}

/** Rejected events are sent fewer at a time, until each is alone: one that is wrong must not stop the others. */
const rejectedAtOnce = [10, 1]

/**
 * Extends the claim and returns the next due events, the oldest first. Releases the meter and returns null if none is
 * due; null too if the claim is lost or the meter was deleted.
 */
export async function takeDueEvents(sql: Database, claimed: MeterClaim, taking: Taking): Promise<DueEvents | null> {
  const { time, claimMs, limit, first } = taking
  return await transact(sql, async trx => {
    const meter = await holdClaim(trx, claimed, time, time + claimMs)
    if (meter === null) return null
    for (const state of [first, first === 'waiting' ? 'rejected' : 'waiting'] as const) {
      const events = await listDue(trx, claimed.meterId, state, { time, limit })
      if (events.length > 0) return { meter, events: state === 'waiting' ? events : together(events) }
    }
    await release(trx, claimed.meterId)
    return null
  })
}

/** Those that were rejected equally often. */
function together(events: DueEvent[]): DueEvent[] {
  const attempts = events[0]?.attempts ?? 0
  const size = rejectedAtOnce[attempts - 1] ?? rejectedAtOnce.at(-1)
  return events.filter(event => event.attempts === attempts).slice(0, size)
}

async function listDue(
  trx: Transaction<Schema>,
  meterId: string,
  state: MeterEventState,
  { time, limit }: { time: number; limit: number },
): Promise<DueEvent[]> {
  const rows = await trx
    .selectFrom('meter_events as event')
    .leftJoin('usage_records as usage', 'usage.request_id', 'event.request_id')
    .leftJoin('projects', 'projects.id', 'usage.project_id')
    .select(['event.request_id', 'event.attempts', 'event.created_at', 'projects.slug'])
    .select(['usage.project_id', 'usage.user_id', 'usage.tier', 'usage.model', 'usage.provider', 'usage.endpoint'])
    .select(['usage.prompt_tokens', 'usage.completion_tokens', 'usage.total_tokens', 'usage.cost_nanousd'])
    .where('event.meter_id', '=', meterId)
    .where('event.state', '=', state)
    .where('event.due_at', '<=', time)
    .orderBy('event.due_at')
    .orderBy('event.request_id')
    .limit(limit)
    .execute()
  return rows.map(({ request_id: requestId, attempts, created_at: at, project_id: projectId, slug, ...row }) => {
    if (projectId === null || slug === null) return { requestId, attempts, request: null }
    const request = {
      requestId,
      at: Number(at),
      projectId,
      projectSlug: slug,
      userId: row.user_id ?? '',
      tier: row.tier,
      model: row.model ?? '',
      provider: row.provider ?? '',
      endpoint: row.endpoint ?? '',
      promptTokens: Number(row.prompt_tokens),
      completionTokens: Number(row.completion_tokens),
      totalTokens: Number(row.total_tokens),
      cost: Number(row.cost_nanousd),
    }
    return { requestId, attempts, request }
  })
}

export interface MeterOutcome {
  /** Those that were sent, and those that need not be. */
  done: readonly string[]
  sent: number
  /** Those without a usage row. */
  dropped: readonly string[]
  rejected: readonly DueEvent[]
  failure: { status: number | null; reason: string | null } | null
  /** Nothing is sent until the next attempt is due. */
  isUnavailable: boolean
  isSlow: boolean
}

/** Returns false if the claim is lost or the meter was deleted: then nothing is written. */
export async function recordOutcome(
  sql: Database,
  claimed: MeterClaim,
  outcome: MeterOutcome,
  { time, claimMs }: { time: number; claimMs: number },
): Promise<boolean> {
  const { done, sent, dropped, rejected, failure, isUnavailable, isSlow } = outcome
  const { meterId } = claimed
  return await transact(sql, async trx => {
    const meter = await holdClaim(trx, claimed, time, time + claimMs)
    if (meter === null) return false
    const ofMeter = { tenant_id: meter.tenant_id, meter_id: meterId }
    if (done.length > 0) {
      const isDone = trx
        .updateTable('meter_events')
        .set({ state: 'sent' })
        .where(row => row.and(ofMeter))
      await isDone.where('request_id', 'in', done).execute()
    }
    if (dropped.length > 0) {
      const gone = trx.deleteFrom('meter_events').where(row => row.and(ofMeter))
      await gone.where('request_id', 'in', dropped).execute()
    }
    for (const [attempts, events] of Map.groupBy(rejected, event => event.attempts + 1)) {
      await trx
        .updateTable('meter_events')
        .set({ state: 'rejected', attempts, due_at: time + waitAfterMs(attempts) })
        .where(row => row.and(ofMeter))
        .where(
          'request_id',
          'in',
          events.map(event => event.requestId),
        )
        .execute()
    }
    const failures = isUnavailable ? meter.failures + 1 : 0
    await trx
      .updateTable('meters')
      .set(row => ({
        sent: row('sent', '+', sent),
        dropped: row('dropped', '+', dropped.length),
        failures,
        retry_at: isUnavailable ? time + waitAfterMs(failures) : time,
        is_slow: isSlow ? 1 : 0,
        ...(sent > 0 ? { last_sent_at: time } : {}),
        ...(failure === null ? {} : { last_status: failure.status, last_error: failure.reason, last_error_at: time }),
      }))
      .where('id', '=', meterId)
      .execute()
    return true
  })
}

/** Does nothing if the claim is lost. */
export async function releaseMeter(sql: Database, claimed: MeterClaim, time: number): Promise<void> {
  await transact(sql, async trx => {
    if ((await holdClaim(trx, claimed, time, time)) !== null) await release(trx, claimed.meterId)
  })
}

async function holdClaim(trx: Transaction<Schema>, { meterId, claim }: MeterClaim, time: number, until: number) {
  const meter = await trx
    .updateTable('meters')
    .set({ claimed_until: until })
    .where('id', '=', meterId)
    .where('deleted_at', 'is', null)
    .where('claim', '=', claim)
    .where('claimed_until', '>', time)
    .returningAll()
    .executeTakeFirst()
  return meter ?? null
}

async function release(trx: Transaction<Schema>, meterId: string): Promise<void> {
  await trx.updateTable('meters').set({ claim: null, claimed_until: 0 }).where('id', '=', meterId).execute()
}
