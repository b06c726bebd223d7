// Reads guardrail events from the stream and writes them to the database. The stream delivers each to one replica at a
// time, and again until it is acknowledged after the commit; rows are identified by their entry, so each is written
// once.

import { readGuardrailEvent } from '../domain/guardrails/guardrail-event.ts'
import type { StreamEvent } from '../kv/event-stream.ts'
import { addGuardrailEvents, guardrailEventRow } from '../storage/guardrail-events/guardrail-event-rows.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

/** One name for all replicas: the stream would keep every name forever. */
const consumer = 'worker'

/**
 * An event that a replica took and did not write within this time is delivered to another; far longer than writing a
 * batch takes.
 */
const idleMs = 30_000

/** In embedded mode, writing this many rows blocks the thread for an acceptable time. */
const batchSize = 250

/**
 * The same maximum as for the stream. It keeps all 30 days of a tenant with up to 3,300 events a day, and
 * limits a tenant with more to less than 100 MB.
 */
const maxPerTenant = 100_000

export const drainEvents: Job = {
  name: 'drain-events',
  // Reading an empty stream costs one round trip and no query; events are visible about a second after they happened.
  everyMs: 1_000,
  runsBeforeReady: false,
  isShared: true,
  run: drainUpTo(maxPerTenant),
}

/** For tests: the same with another maximum for each tenant. */
export function drainUpTo(max: number): Job['run'] {
  return async (dependencies, signal) => {
    await inPages(signal, async () => {
      const events = await dependencies.kv.claimEvents(consumer, batchSize, idleMs)
      if (events.length > 0) await writeEvents(dependencies, events, max)
      return events.length === batchSize
    })
  }
}

async function writeEvents(
  { sql, kv, now }: WorkerDependencies,
  events: readonly StreamEvent[],
  max: number,
): Promise<void> {
  const read = events.map(entry => ({ entry, event: readGuardrailEvent(entry.fields) }))
  const { whole = [], malformed = [] } = Object.groupBy(read, ({ event }) => (event === null ? 'malformed' : 'whole'))
  const rows = whole.flatMap(({ entry, event }) =>
    event === null ? [] : [guardrailEventRow(entry.id, takenAt(entry, now()), event)],
  )
  await addGuardrailEvents(sql, rows, max)
  await kv.acknowledgeEvents(whole.map(({ entry }) => entry.id))
  await kv.discardEvents(malformed.map(({ entry }) => entry.id))
}

/** When the stream took the entry: its id begins with that time, in both stores. */
function takenAt({ id }: StreamEvent, otherwise: number): number {
  const millis = Number(id.split('-')[0])
  return Number.isSafeInteger(millis) ? millis : otherwise
}
