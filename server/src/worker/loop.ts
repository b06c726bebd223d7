// Runs each job at its interval with jitter, in one replica at a time by a lease in the database. A job that fails is
// logged and retried before its interval is over.

import { releaseLease, renewLease, takeLease } from '../storage/leases.ts'
import type { Job, WorkerDependencies } from './job.ts'
import { pause } from './pause.ts'

/** The first retry after a failure; each further one waits twice as long, up to the job's own interval. */
const retryMs = 1000
/** For shared jobs, whose interval may be so short that an outage would fill the log. */
const maxRetryMs = 4000

export interface WorkerOptions {
  /** This replica's name in the leases. */
  holder: string
  /** A replica that died during a job is replaced after this time. */
  leaseMs?: number
  random?: () => number
}

export interface Worker {
  /** True once every job that must run before readiness has run in this replica. */
  isReady(): boolean
  /** Ends a wait at once and a running job at its next safe point. */
  stop(): Promise<void>
}

/** `elsewhere`: another replica runs it, or ran it recently. `cut_short`: it was stopped before it was done. */
type Outcome = 'done' | 'elsewhere' | 'failed' | 'cut_short'

interface Replica {
  dependencies: WorkerDependencies
  holder: string
  leaseMs: number
  random: () => number
  ending: AbortSignal
}

export function startWorker(jobs: readonly Job[], dependencies: WorkerDependencies, options: WorkerOptions): Worker {
  const ending = new AbortController()
  const replica: Replica = { leaseMs: 30_000, random: Math.random, ...options, dependencies, ending: ending.signal }
  const awaited = new Set(jobs.filter(job => job.runsBeforeReady).map(job => job.name))
  const running = jobs.map(job => runForever(job, replica, () => awaited.delete(job.name)))
  return {
    isReady: () => awaited.size === 0,
    async stop() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

async function runForever(job: Job, replica: Replica, onFirst: () => void): Promise<void> {
  const { ending, random } = replica
  const ownRuns = watchOwnRuns(job, replica, onFirst)
  const run = job.isShared ? runShared : runLeased
  let failures = 0
  while (!ending.aborted) {
    // Jitter spreads replicas that started together; never later than the interval, which others rely on.
    const restMs = Math.round(job.everyMs * (0.8 + 0.2 * random()))
    const outcome = ownRuns.isDue() ? await ownRuns.run() : await run(job, replica, restMs)
    failures = outcome === 'failed' ? failures + 1 : 0
    await ownRuns.rest(waitAfter(outcome, restMs, job.isShared ? maxRetryMs : restMs, failures))
  }
  ownRuns.stop()
}

/** The runs of a replica without a lease: once before it is ready, and again when its store is back. */
function watchOwnRuns(job: Job, replica: Replica, onFirst: () => void) {
  let isDue = job.runsBeforeReady
  let waking = new AbortController()
  const unsubscribe = replica.dependencies.kv.subscribe(change => {
    if (change.kind !== 'resync' || !job.runsBeforeReady) return
    isDue = true
    waking.abort()
  })
  return {
    isDue: () => isDue,
    async run(): Promise<Outcome> {
      // Before the run: a store that returns during it requires another.
      isDue = false
      const outcome = await runLogged(job, replica, replica.ending)
      if (outcome === 'done') onFirst()
      else isDue = true
      return outcome
    },
    /** Ends early when its run becomes due. */
    async rest(ms: number): Promise<void> {
      await pause(ms, AbortSignal.any([replica.ending, waking.signal]))
      waking = new AbortController()
    },
    stop: unsubscribe,
  }
}

function waitAfter(outcome: Outcome, restMs: number, maxMs: number, failures: number): number {
  if (outcome === 'done') return restMs
  // Twice an interval, so that a job whose replica died does not wait much longer than that.
  if (outcome === 'elsewhere') return restMs / 2
  return Math.min(maxMs, retryMs * 2 ** Math.min(Math.max(failures - 1, 0), 10))
}

async function runShared(job: Job, replica: Replica): Promise<Outcome> {
  return await runLogged(job, replica, replica.ending)
}

async function runLeased(job: Job, replica: Replica, restMs: number): Promise<Outcome> {
  const { dependencies, holder, leaseMs, ending } = replica
  const { sql, now, log } = dependencies
  const takenAt = now()
  try {
    if (!(await takeLease(sql, job.name, holder, leaseMs, now))) return 'elsewhere'
  } catch (error) {
    log.warn('job lease could not be acquired', { job: job.name, error })
    return 'failed'
  }
  const losing = new AbortController()
  const over = new AbortController()
  const keeping = keepLease(job, replica, takenAt, losing, over.signal)
  const outcome = await runLogged(job, replica, AbortSignal.any([ending, losing.signal]))
  over.abort()
  await keeping
  try {
    // A finished job keeps its lease until it is due again: replicas share one interval.
    if (outcome === 'done') await renewLease(sql, job.name, holder, restMs, now)
    else await releaseLease(sql, job.name, holder)
  } catch (error) {
    log.warn('job lease could not be released', { job: job.name, error })
  }
  return outcome
}

/** Renews until the job ends; aborts it if another replica has the lease, or may get it before the next renewal. */
async function keepLease(
  job: Job,
  { dependencies: { sql, now, log }, holder, leaseMs }: Replica,
  takenAt: number,
  losing: AbortController,
  over: AbortSignal,
): Promise<void> {
  const renewMs = leaseMs / 3
  let heldUntil = takenAt + leaseMs
  while (!losing.signal.aborted) {
    await pause(renewMs, over)
    if (over.aborted) return
    const askedAt = now()
    try {
      if (await renewLease(sql, job.name, holder, leaseMs, now)) {
        heldUntil = askedAt + leaseMs
        continue
      }
      log.warn('job lease lost', { job: job.name })
      losing.abort()
    } catch (error) {
      log.warn('job lease could not be renewed', { job: job.name, error })
      if (now() + renewMs >= heldUntil) losing.abort()
    }
  }
}

async function runLogged(job: Job, { dependencies }: Replica, signal: AbortSignal): Promise<Outcome> {
  const startedAt = dependencies.now()
  try {
    await job.run(dependencies, signal)
    const outcome = signal.aborted ? 'cut_short' : 'done'
    dependencies.log.debug('job ended', { job: job.name, state: outcome, duration_ms: dependencies.now() - startedAt })
    return outcome
  } catch (error) {
    const outcome = signal.aborted ? 'cut_short' : 'failed'
    const fields = { job: job.name, duration_ms: dependencies.now() - startedAt, error }
    if (outcome === 'failed') dependencies.log.error('job failed', fields)
    else dependencies.log.warn('job cut short', fields)
    return outcome
  }
}
