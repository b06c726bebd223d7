// How much waits in the queues of the database, and since when the oldest is due. Counts stop at a limit, so that a
// large queue is not read whole.
import { type Kysely, type RawBuilder, sql as text } from 'kysely'
import type { Schema } from '../../storage/schema.ts'

/** By the index that each table has for what waits in it. */
const queues = {
  webhook_deliveries: {
    waiting: text`select 1 from webhook_deliveries where status = 'pending'`,
    firstDue: text`select min(due_at) as due from webhooks where due_at is not null`,
  },
  meter_events: {
    waiting: text`select 1 from meters join meter_events on meter_events.meter_id = meters.id
      where meters.deleted_at is null and state in ('waiting', 'rejected')`,
    firstDue: text`select min(first) as due from
      (select (select min(due_at) from meter_events where meter_id = meters.id and state = 'waiting') as first
        from meters where deleted_at is null) as firsts`,
  },
  host_names: {
    waiting: text`select 1 from dns_jobs`,
    firstDue: text`select min(next_try_at) as due from dns_jobs`,
  },
} satisfies Record<string, { waiting: RawBuilder<unknown>; firstDue: RawBuilder<unknown> }>

export type QueueName = keyof typeof queues
export const queueNames = Object.keys(queues) as readonly QueueName[]

export interface QueueLength {
  queue: QueueName
  /** Up to `maxCounted`. */
  waiting: number
  /** When the first was due; null if nothing is due. */
  dueSince: number | null
}

export const maxCounted = 10_000

export async function readQueueLengths(sql: Kysely<Schema>, now: number): Promise<QueueLength[]> {
  const lengths: QueueLength[] = []
  for (const queue of queueNames) {
    const { waiting, firstDue } = queues[queue]
    const counted = await text<{ count: number | string }>`select count(*) as count from
      (${waiting} limit ${text.lit(maxCounted)}) as counted`.execute(sql)
    const { rows } = await text<{ due: number | string | null }>`${firstDue}`.execute(sql)
    const due = Number(rows[0]?.due ?? Number.POSITIVE_INFINITY)
    lengths.push({ queue, waiting: Number(counted.rows[0]?.count ?? 0), dueSince: due > now ? null : due })
  }
  return lengths
}
