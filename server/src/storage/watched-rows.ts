// Holds what a query reads in memory, and reads it again when its revision has risen. A timer looks, so that no request
// waits for the database; while the database is unavailable, the last known value is used.

import type { Kysely } from 'kysely'
import { readRevision } from './projections.ts'
import type { Schema } from './schema.ts'

export interface WatchedRows<Value> {
  /** Null until the first read has ended: await `whenLoaded` before. */
  find(): Value | null
  /** Null once the value has been read, which is nearly always. */
  whenLoaded(): Promise<void> | null
  stop(): void
}

interface Watching<Value> {
  sql: Kysely<Schema>
  /** The name of the revision that every change raises. */
  revision: string
  read(): Promise<Value>
  now: () => number
  /** The first failure of several in a row. */
  onFailure(error: unknown): void
}

/** With the time of a read, a change is known within a second. */
const pollMs = 500
/** The value is read after this even if its revision is the same: erasure does not raise it. */
const freshMs = 30_000

export function watchRows<Value>({ sql, revision, read, now, onFailure }: Watching<Value>): WatchedRows<Value> {
  let held: { value: Value; revision: number; readAt: number } | null = null
  let polling: Promise<void> | null = null
  let isFailing = false

  async function poll(): Promise<void> {
    const readAt = now()
    // Read before the rows: a change in between is then found by the next poll.
    const current = await readRevision(sql, revision)
    if (held !== null && current === held.revision && readAt - held.readAt < freshMs) return
    held = { value: await read(), revision: current, readAt }
  }

  /** At most one read at a time; concurrent callers join it. */
  function pollOnce(): Promise<void> {
    polling ??= poll().finally(() => {
      polling = null
    })
    return polling
  }

  function keepUp(): void {
    pollOnce().then(
      () => {
        isFailing = false
      },
      (error: unknown) => {
        if (!isFailing) onFailure(error)
        isFailing = true
      },
    )
  }

  const timer = setInterval(keepUp, pollMs).unref()
  // Reads at the start, when the database is known to be reachable.
  keepUp()
  return {
    find: () => held?.value ?? null,
    whenLoaded: () => (held === null ? pollOnce() : null),
    stop() {
      clearInterval(timer)
      // Suppresses the report if a read in progress finds the database closed.
      isFailing = true
    },
  }
}
