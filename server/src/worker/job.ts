// The contract of a worker job and its dependencies. A new job is one file in this folder and one line in jobs.ts.

import type { Kysely } from 'kysely'
import type { Log } from '../domain/log.ts'
import type { Store } from '../kv/store.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Schema } from '../storage/schema.ts'

export interface WorkerDependencies {
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
   * Also runs once in every replica before that replica is ready, and again when its store returned from an
   * outage, regardless of who holds the lease; so it must be idempotent.
   */
  runsBeforeReady: boolean
  /**
   * Every replica runs it at this interval, without a lease: for work that is claimed row by row and that runs
   * too often for a lease query each time.
   */
  isShared?: true
  /** Stops at the next safe point once `signal` is aborted: the lease is lost or the process ends. */
  run(dependencies: WorkerDependencies, signal: AbortSignal): Promise<void>
}
