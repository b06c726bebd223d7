// Admissions while the store cannot be asked: the last known config read again from the database, the kill switches at
// most a second old, and the limits counted in this process, of which it takes this replica's share. Never unlimited.
import { Refusal } from '../domain/errors.ts'
import type { Log, LogFields } from '../domain/log.ts'
import { createProcessAdmissions, requestsKey } from '../kv/process-admissions.ts'
import { createSpendTable } from '../kv/spend-table.ts'
import type { Admission, AdmissionRequest, Admissions, ProjectRef, Store, StoreUnavailable } from '../kv/store.ts'
import { requestWindowMs } from '../kv/verdict.ts'
import { createWindowTable, type WindowTable } from '../kv/window-table.ts'
import { type Applicant, demandOf } from './admission-demand.ts'
import type { ConfigCache } from './config-cache.ts'
import { createLocalShare } from './local-share.ts'
import type { ProjectConfig } from './project-config.ts'
import type { BudgetReader } from './read-budget.ts'
import type { Replicas } from './replicas.ts'
import { createRequestReports } from './request-reports.ts'
import type { SeenWindows } from './seen-windows.ts'
import type { Switchboard } from './switchboard.ts'

export interface LocalAdmissions {
  admit(applicant: Applicant, config: ProjectConfig, outage: Outage): Promise<LocalOutcome>
  /** The store has answered for the project: its next outage starts from what the store says from now on. */
  noteStore(projectId: string): void
  /** Whether a request was admitted here lately. */
  isOutage(): boolean
  /** Whether the store may not know of all requests that were admitted: this replica then admits its share at most. */
  keepsToShare(): boolean
  /**
   * Counts a request against the share before the store is asked for it; no tokens are reserved. Throws what bars the
   * project before it refuses for a limit.
   */
  hold(request: AdmissionRequest, project: ProjectRef): Promise<Hold>
  readonly ledger: Admissions
  readonly counters: Readonly<{ admissions: number; outages: number }>
  stop(): Promise<void>
}

export interface LocalOutcome {
  config: ProjectConfig
  admission: Admission
}

export interface Hold {
  admission: Admission
  /** Does nothing the second time. */
  giveBack(): void
}

/** Empty, or why it cannot be asked. */
export type Outage = 'unseeded' | StoreUnavailable

interface LocalParts {
  kv: Pick<Store, 'addRequests' | 'subscribe'>
  configs: ConfigCache
  switches: Switchboard
  replicas: Replicas
  seen: SeenWindows
  budgets: BudgetReader
  now: () => number
  randomId: () => string
  log: Log
}

const freshMs = 1_000
const quietMs = 5_000
const sweepEveryMs = 60_000
/** Replicas reconnect within three seconds, and report what they admitted as soon as they can. */
const othersReportMs = 10_000

export function createLocalAdmissions(parts: LocalParts): LocalAdmissions {
  const { configs, switches, replicas, seen, budgets, now, log } = parts
  const windows = createWindowTable()
  const spend = createSpendTable()
  // The bars are asked here, of the database.
  const ledger = createProcessAdmissions({ findBar: () => null, windows, spend, clock: now })
  const counters = { admissions: 0, outages: 0 }
  const share = createLocalShare({ replicas, seen, windows, spend, now })
  const reports = createRequestReports(parts)
  let lastAt = Number.NEGATIVE_INFINITY
  let shareUntil = Number.NEGATIVE_INFINITY
  let isOutage = false
  const sweeper = setInterval(sweep, sweepEveryMs, [windows, spend, seen], now).unref()

  function keepToShare(forMs: number): void {
    // By now the store knows all of the last time.
    if (!isOutage && now() >= shareUntil) windows.clear()
    shareUntil = Math.max(shareUntil, now() + forMs)
  }

  function noteOutage(outage: Outage): void {
    counters.admissions += 1
    // What an emptied store had counted nobody can report to it.
    keepToShare(outage === 'unseeded' ? requestWindowMs : othersReportMs)
    lastAt = now()
    if (isOutage) return
    isOutage = true
    counters.outages += 1
    log.warn('limits counted in this process', { ...describeOutage(outage), count: replicas.count() })
  }

  function noteStore(projectId: string): void {
    share.forget(projectId)
    // One project may be missing from a store that answers for all others.
    if (!isOutage || now() - lastAt < quietMs) return
    isOutage = false
    log.info('limits counted in the store again')
  }

  async function readUnbarred(project: ProjectRef): Promise<ProjectConfig> {
    const [config] = await Promise.all([configs.getWithin(project, freshMs), switches.refuseIfOn(project, freshMs)])
    if (config.status === 'suspended') throw new Refusal('traffic_suspended')
    return config
  }

  async function hold(request: AdmissionRequest, project: ProjectRef): Promise<Hold> {
    const admission = await ledger.admit(share.ofRequests(request))
    if (!admission.admitted) {
      await readUnbarred(project)
      if (isOutage) counters.admissions += 1
    }
    return holdOf(windows, request, admission, now)
  }

  async function admit(applicant: Applicant, known: ProjectConfig, outage: Outage): Promise<LocalOutcome> {
    noteOutage(outage)
    const config = await readUnbarred(known.project)
    const reading = budgets.read(config)
    // Whoever costs nothing need not wait for it, nor who has a share: a better one comes with the next request.
    if (applicant.estimate !== null && !share.isGiven(known.project.projectId)) await reading
    const resolved = config.resolve(applicant.verified.tier, now)
    const demand = demandOf(applicant, config.revision, resolved)
    const admission = await ledger.admit(share.of(demand, config))
    if (admission.admitted) report(demand, admission)
    return { config, admission }
  }

  function report(
    { projectId, userId, userRequests }: AdmissionRequest,
    { counts }: Extract<Admission, { admitted: true }>,
  ): void {
    reports.add(projectId, null, counts.project.endsAt)
    if (userRequests !== null) reports.add(projectId, userId, counts.user.endsAt)
  }

  replicas.onRefill(() => keepToShare(requestWindowMs))
  const unsubscribe = parts.kv.subscribe(({ kind }) => {
    if (kind !== 'resync' && kind !== 'answers-again') return
    keepToShare(othersReportMs)
    reports.sendNow()
  })

  return {
    admit,
    noteStore,
    isOutage: () => isOutage,
    keepsToShare: () => now() < shareUntil,
    hold,
    ledger,
    counters,
    async stop() {
      unsubscribe()
      clearInterval(sweeper)
      await reports.stop()
    },
  }
}

function holdOf(
  windows: WindowTable,
  { projectId, userId, userRequests }: AdmissionRequest,
  admission: Admission,
  now: () => number,
): Hold {
  const held = admission.admitted ? [{ key: requestsKey(projectId), endsAt: admission.counts.project.endsAt }] : []
  if (admission.admitted && userRequests !== null) {
    held.push({ key: requestsKey(projectId, userId), endsAt: admission.counts.user.endsAt })
  }
  return {
    admission,
    giveBack() {
      for (const { key, endsAt } of held.splice(0)) windows.giveBack(key, endsAt, now())
    },
  }
}

function sweep(tables: readonly { sweep(now: number): void }[], now: () => number): void {
  for (const table of tables) table.sweep(now())
}

function describeOutage(outage: Outage): LogFields {
  return outage === 'unseeded' ? { reason: outage } : { reason: 'unavailable', error: outage }
}
