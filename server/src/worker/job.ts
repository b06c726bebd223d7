// What a job of the worker is, and the world it is given. A new job is one file beside this one and one line in jobs.ts.

import type { Kysely } from 'kysely'
import type { Log } from '../domain/log.ts'
import type { Store } from '../kv/store.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Schema } from '../storage/schema.ts'

export interface WorkerWorld {
  sql: Kysely<Schema>
  kv: Store
  outbound: Outbound
  now: () => number
  log: Log
}

export interface Job {
  name: string
  everyMs: number
  /**
   * Runs once in every copy before that copy is ready, and again when its store was away and is back, whoever holds the
   * lease; so it must be harmless to repeat.
   */
  runsBeforeReady: boolean
  /**
   * Every copy does it, each at this interval, without asking the database for the lease: for work that hands itself
   * out, and that is looked for too often for a query each time.
   */
  isShared?: true
  /** Stops at the next good place once `signal` is aborted: the lease is lost or the process ends. */
  run(world: WorkerWorld, signal: AbortSignal): Promise<void>
}
