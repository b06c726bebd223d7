// Runs each job at its interval with jitter, in one replica at a time. A job that fails is logged and retried before
// its interval is over.

import type { Job, WorkerDependencies } from './job.ts'
import { type Leases, leasesOfOnly, SharedLeases } from './leases.ts'
import { pause } from './pause.ts'

/** The first retry after a failure; each further one waits twice as long, up to the job's own interval. */
const retryMs = 1000
/** For shared jobs, whose interval may be so short that an outage would fill the log. */
const maxRetryMs = 4000

export interface WorkerOptions {
  /** This replica's name in the leases; null if no other replica can use its database. */
  holder: string | null
  /** A replica that died is replaced after this time. */
  leaseMs?: number
  random?: () => number
}

export interface Worker {
  /** True once every job that must run before readiness has run in this replica. */
  isReady(): boolean
  /** Ends a wait at once and a running job at its next safe point. */
  stop(): Promise<void>
}

/** `cut_short`: it was stopped before it was done. */
type Outcome = 'done' | 'failed' | 'cut_short'

interface Replica {
  dependencies: WorkerDependencies
  leases: Leases
  random: () => number
  ending: AbortSignal
}

export function startWorker(jobs: readonly Job[], dependencies: WorkerDependencies, options: WorkerOptions): Worker {
  const { holder, leaseMs = 6_000, random = Math.random } = options
  const ending = new AbortController()
  const leases = holder === null ? leasesOfOnly : new SharedLeases({ ...dependencies, holder, leaseMs })
  const replica: Replica = { dependencies, leases, random, ending: ending.signal }
  const awaited = new Set(jobs.filter(job => job.runsBeforeReady).map(job => job.name))
  const running = jobs.map(job => runForever(job, replica, () => awaited.delete(job.name)))
  return {
    isReady: () => awaited.size === 0,
    async stop() {
      ending.abort()
      await Promise.all(running)
      await leases.stop()
    },
  }
}

async function runForever(job: Job, replica: Replica, onFirst: () => void): Promise<void> {
  const { ending, random } = replica
  const ownRuns = watchOwnRuns(job, replica, onFirst)
  let failures = 0
  while (!ending.aborted) {
    // Jitter spreads replicas that started together; never later than the interval, which others rely on.
    const restMs = Math.round(job.everyMs * (0.8 + 0.2 * random()))
    const outcome = ownRuns.isDue() ? await ownRuns.run() : await runInTurn(job, replica, ownRuns.interruption())
    if (outcome === null) continue
    failures = outcome === 'failed' ? failures + 1 : 0
    await ownRuns.rest(waitAfter(outcome, restMs, job.isShared ? maxRetryMs : restMs, failures))
  }
  ownRuns.stop()
}

/** The runs of a replica without a lease: once before it is ready, and again when its store is back. */
function watchOwnRuns(job: Job, replica: Replica, onFirst: () => void) {
  let isDue = job.runsBeforeReady
  let becomingDue = new AbortController()
  const unsubscribe = replica.dependencies.kv.subscribe(change => {
    if (change.kind !== 'resync' || !job.runsBeforeReady) return
    isDue = true
    becomingDue.abort()
  })
  const interruption = () => AbortSignal.any([replica.ending, becomingDue.signal])
  return {
    isDue: () => isDue,
    async run(): Promise<Outcome> {
      // Before the run: a store that returns during it requires another.
      isDue = false
      becomingDue = new AbortController()
      const outcome = await runLogged(job, replica, replica.ending)
      if (outcome === 'done') onFirst()
      else isDue = true
      return outcome
    },
    /** Ends early when its run becomes due. */
    rest: (ms: number): Promise<void> => pause(ms, interruption()),
    interruption,
    stop: unsubscribe,
  }
}

function waitAfter(outcome: Outcome, restMs: number, maxMs: number, failures: number): number {
  if (outcome === 'done') return restMs
  return Math.min(maxMs, retryMs * 2 ** Math.min(Math.max(failures - 1, 0), 10))
}

/** Waits until no other replica runs the job; null if it was interrupted before. */
async function runInTurn(job: Job, replica: Replica, interruption: AbortSignal): Promise<Outcome | null> {
  const { ending, leases } = replica
  if (job.isShared) return await runLogged(job, replica, ending)
  const losing = await leases.hold(job.name, interruption)
  if (losing === null) return null
  const outcome = await runLogged(job, replica, AbortSignal.any([ending, losing]))
  // What failed here may work in another replica, such as one that still reaches the store.
  if (outcome === 'failed') await leases.release(job.name)
  return outcome
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
