// Holds what queries read in memory, and reads it again when its revision has risen. One timer looks at all revisions
// in one statement, so that no request waits for the database; while the database is unavailable, the last known values
// are used.

import type { Kysely } from 'kysely'
import type { Log } from '../domain/log.ts'
import { readRevisions } from './projections.ts'
import type { Schema } from './schema.ts'

export interface WatchedRows<Value> {
  /** Null until the first read has ended: await `whenLoaded` before. */
  find(): Value | null
  /** Null once the value has been read, which is nearly always. */
  whenLoaded(): Promise<void> | null
}

export interface RowWatch {
  /** Every change raises the revision of that name. Reads at once. */
  watch<Value>(revision: string, read: () => Promise<Value>): WatchedRows<Value>
  stop(): void
}

interface Watched {
  revision: string
  keepUp(current: number, readAt: number): Promise<void>
}

/** With the time of a read, a change is known within a second. */
const pollMs = 500
/** A value is read after this even if its revision is the same: erasure, and changes by hand, do not raise it. */
const freshMs = 30_000

export function createRowWatch(sql: Kysely<Schema>, now: () => number, log: Log): RowWatch {
  const watched: Watched[] = []
  let polling: Promise<void> | null = null
  let isFailing = false

  async function poll(): Promise<void> {
    const readAt = now()
    // Read before the rows: a change in between is then found by the next poll.
    const revisions = await readRevisions(
      sql,
      watched.map(({ revision }) => revision),
    )
    const reads = await Promise.allSettled(watched.map(each => each.keepUp(revisions.get(each.revision) ?? 0, readAt)))
    for (const read of reads) if (read.status === 'rejected') throw read.reason
  }

  /** At most one at a time; concurrent callers join it. Begins once all that this turn watches is known. */
  function pollOnce(): Promise<void> {
    polling ??= Promise.resolve()
      .then(poll)
      .finally(() => {
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
        // The first failure of several in a row.
        if (!isFailing) log.warn('models or budgets could not be read', { error })
        isFailing = true
      },
    )
  }

  const timer = setInterval(keepUp, pollMs).unref()
  return {
    watch(revision, read) {
      const rows = createWatched(revision, read, pollOnce)
      watched.push(rows)
      // At the start, when the database is known to be reachable.
      keepUp()
      return rows
    },
    stop() {
      clearInterval(timer)
      // Suppresses the report if a read in progress finds the database closed.
      isFailing = true
    },
  }
}

function createWatched<Value>(
  revision: string,
  read: () => Promise<Value>,
  pollOnce: () => Promise<void>,
): Watched & WatchedRows<Value> {
  let held: { value: Value; revision: number; readAt: number } | null = null

  async function load(): Promise<void> {
    try {
      // The poll in progress may have begun before this was watched.
      while (held === null) await pollOnce()
    } catch (error) {
      // What failed may be the read of another value.
      if (held === null) throw error
    }
  }

  return {
    revision,
    async keepUp(current, readAt) {
      if (held !== null && current === held.revision && readAt - held.readAt < freshMs) return
      held = { value: await read(), revision: current, readAt }
    },
    find: () => held?.value ?? null,
    whenLoaded: () => (held === null ? load() : null),
  }
}
