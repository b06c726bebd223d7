// Changes the host names of projects to what their status requires: registered while active, removed once suspended,
// and registered again after the target changed. Every replica claims due rows, so that a replica that dies is replaced
// within seconds.
import { DnsFailure } from '../dns/dns-failure.ts'
import type { DnsDriver, HostNames } from '../dns/driver.ts'
import {
  claimDnsJobs,
  type DnsJob,
  type DnsOutcome,
  enqueueRenewals,
  finishDnsJob,
  getHostFacts,
  holdDnsJob,
  noteOutcome,
  releaseDnsJob,
} from '../storage/dns-jobs.ts'
import type { Job, WorkerDependencies } from './job.ts'
import { pause } from './pause.ts'

export interface Provisioning {
  driver: DnsDriver
  /** Describes the target of the names and their provider; null if the driver manages none. */
  madeFor: string | null
  publicDomain: string
  internalDomain: string
  randomId: () => string
}

const pollMs = 1000
const attemptMs = 5000
/** No attempt starts later than this after the first, so that the last one has ended within 30 seconds. */
const tryForMs = 20_000
/** Longer than an attempt on a slow machine: a replica that lets its claim expire counts as dead. */
const claimMs = 12_000
const maxWaitMs = 60_000
/**
 * Projects in progress in one replica. Failing ones keep their place until they are given up, so each has its full
 * time.
 */
const maxInProgress = 64
/** The maximum of waiting jobs while names are registered again, so that a new project finds a place among them. */
const maxWithRenewals = 32
/** How often to look for names that point elsewhere: a replica with the previous settings may still register some. */
const renewEveryMs = 60_000

export function provisionHosts(provisioning: Provisioning): Job {
  return {
    name: 'provision-hosts',
    everyMs: pollMs,
    runsBeforeReady: false,
    isShared: true,
    /** Runs until it is stopped: one project that keeps failing must not delay the others. */
    async run(dependencies, signal) {
      const running = new Set<Promise<void>>()
      const renew = createRenewals(provisioning, dependencies)
      try {
        while (!signal.aborted) {
          await renew()
          const claim = provisioning.randomId()
          const limit = maxInProgress - running.size
          const jobs =
            limit === 0 ? [] : await claimDnsJobs(dependencies.sql, { claim, time: dependencies.now(), claimMs, limit })
          for (const job of jobs) {
            const run = changeHosts(provisioning, dependencies, job, signal).finally(() => running.delete(run))
            running.add(run)
          }
          await pause(pollMs, signal)
        }
      } finally {
        await Promise.all(running)
      }
    },
  }
}

/** A few at a time, as long as there are any. */
function createRenewals({ madeFor }: Provisioning, { sql, now }: WorkerDependencies): () => Promise<void> {
  let nextRenewalAt = 0
  return async () => {
    if (madeFor === null || now() < nextRenewalAt) return
    const goesOn = await enqueueRenewals(sql, madeFor, now(), maxWithRenewals)
    if (!goesOn) nextRenewalAt = now() + renewEveryMs
  }
}

/** Never throws: after a database error the claim expires by itself. */
async function changeHosts(
  provisioning: Provisioning,
  dependencies: WorkerDependencies,
  job: DnsJob,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Read under the claim: a later change of the status requests another run.
    const facts = await getHostFacts(dependencies.sql, job.projectId)
    const hosts = {
      public: `${facts.slug}.${provisioning.publicDomain}`,
      internal: `${facts.slug}.${provisioning.internalDomain}`,
    }
    const run = { provisioning, dependencies, job, hosts, signal }
    if (facts.status !== 'active') await untilDone(run, 'remove', null)
    else if (facts.dns_status === 'READY') await untilDone(run, 'register', readyFor(provisioning))
    else await register(run)
  } catch (error) {
    dependencies.log.error('project hosts could not be updated, retrying', { project_id: job.projectId, error })
  }
}

interface Run {
  provisioning: Provisioning
  dependencies: WorkerDependencies
  job: DnsJob
  hosts: HostNames
  signal: AbortSignal
}

/** Tries until it succeeds, or has failed for long enough. */
async function register(run: Run): Promise<void> {
  const { dependencies, signal } = run
  const { sql, now, log } = dependencies
  let job = run.job
  for (;;) {
    const firstTriedAt = job.firstTriedAt ?? now()
    job = { ...job, firstTriedAt }
    if (!(await holdDnsJob(sql, job, now() + claimMs))) return await releaseDnsJob(sql, job, now())
    const failure = await attempt(run, 'register')
    if (signal.aborted && failure !== null) return await releaseDnsJob(sql, job, now())
    if (failure === null) {
      await finishDnsJob(sql, job, readyFor(run.provisioning), now())
      return log.info('project hosts registered', { project_id: job.projectId, attempt: job.tries + 1 })
    }
    job = { ...job, tries: job.tries + 1 }
    log.warn('project hosts not registered', { project_id: job.projectId, attempt: job.tries, reason: failure.kind })
    const waitMs = waitAfter(job.tries)
    if (now() + waitMs > firstTriedAt + tryForMs) {
      await finishDnsJob(sql, job, { dns_status: 'FAILED', dns_last_error: failure.message }, now())
      return log.error('project hosts failed, no more retries', { project_id: job.projectId, reason: failure.kind })
    }
    await noteOutcome(sql, job, { dns_last_error: failure.message, dns_updated_at: now() })
    if (!(await holdDnsJob(sql, job, now() + waitMs + claimMs))) return await releaseDnsJob(sql, job, now())
    await pause(waitMs, signal)
    if (signal.aborted) return await releaseDnsJob(sql, job, now())
  }
}

const readyFor = ({ madeFor }: Provisioning): DnsOutcome => ({
  dns_status: 'READY',
  dns_last_error: null,
  dns_made_for: madeFor,
})

const pastTense = { register: 'registered', remove: 'removed' } as const

/** One attempt; there is no deadline, so it is repeated until it succeeds. */
async function untilDone(run: Run, what: keyof DnsDriver, outcome: DnsOutcome | null): Promise<void> {
  const { sql, now, log } = run.dependencies
  const { job } = run
  if (!(await holdDnsJob(sql, job, now() + claimMs))) return await releaseDnsJob(sql, job, now())
  const failure = await attempt(run, what)
  if (failure === null) {
    await finishDnsJob(sql, job, outcome, now())
    return log.info(`project hosts ${pastTense[what]}`, { project_id: job.projectId, attempt: job.tries + 1 })
  }
  if (run.signal.aborted) return await releaseDnsJob(sql, job, now())
  const tries = job.tries + 1
  log.warn(`project hosts not ${pastTense[what]}`, { project_id: job.projectId, attempt: tries, reason: failure.kind })
  await releaseDnsJob(sql, { ...job, tries }, now() + Math.min(waitAfter(tries), maxWaitMs))
}

function waitAfter(tries: number): number {
  return 1000 * 2 ** Math.min(tries - 1, 10)
}

/** Null if it succeeded. */
async function attempt(
  run: Run,
  what: keyof DnsDriver,
): Promise<(Pick<DnsFailure, 'message'> & { kind: string }) | null> {
  const { provisioning, dependencies, job, hosts, signal } = run
  try {
    await provisioning.driver[what](hosts, AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]))
    return null
  } catch (error) {
    if (error instanceof DnsFailure) return error
    dependencies.log.error('dns driver failed', { project_id: job.projectId, error })
    return { kind: 'fault', message: 'An internal error prevented the change of the host names.' }
  }
}
