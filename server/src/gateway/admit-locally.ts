// Admissions while the store cannot be asked: the last known config read again from the database, the kill switches at
// most a second old, and the limits counted in this process, of which it takes this copy's share. Never unlimited.
import { Refusal } from '../domain/errors.ts'
import type { Log, LogFields } from '../domain/log.ts'
import { createProcessAdmissions } from '../kv/process-admissions.ts'
import { createSpendTable } from '../kv/spend-table.ts'
import type { Admission, Admissions, StoreUnavailable } from '../kv/store.ts'
import { requestWindowMs } from '../kv/verdict.ts'
import { createWindowTable } from '../kv/window-table.ts'
import { type Applicant, demandOf } from './admission-demand.ts'
import type { ConfigCache } from './config-cache.ts'
import type { CopyCount } from './copy-count.ts'
import { createLocalShare } from './local-share.ts'
import type { ProjectConfig } from './project-config.ts'
import type { BudgetReader } from './read-budget.ts'
import type { Switchboard } from './switchboard.ts'

export interface LocalAdmissions {
  admit(applicant: Applicant, config: ProjectConfig, outage: Outage): Promise<LocalOutcome>
  /** The store has answered for the project: its next outage starts from what the store says from now on. */
  noteStore(projectId: string): void
  /** Whether a request was admitted here lately. */
  isOutage(): boolean
  /** Whether a window of requests may be open that the store knows only in part. */
  isAftermath(): boolean
  /** Counts a request that the store has admitted against this copy's share as well; no tokens are reserved for it. */
  countToo(applicant: Applicant, config: ProjectConfig): Promise<Admission>
  readonly ledger: Admissions
  readonly counters: Readonly<{ admissions: number; outages: number }>
  stop(): void
}

export interface LocalOutcome {
  config: ProjectConfig
  admission: Admission
}

/** Empty, or why it cannot be asked. */
export type Outage = 'unseeded' | StoreUnavailable

interface LocalParts {
  configs: ConfigCache
  switches: Switchboard
  copies: CopyCount
  budgets: BudgetReader
  now: () => number
  log: Log
}

const freshMs = 1_000
const quietMs = 5_000
const sweepEveryMs = 60_000

export function createLocalAdmissions({ configs, switches, copies, budgets, now, log }: LocalParts): LocalAdmissions {
  const windows = createWindowTable()
  const spend = createSpendTable()
  // The bars are asked here, of the database.
  const ledger = createProcessAdmissions({ findBar: () => null, windows, spend, clock: now })
  const counters = { admissions: 0, outages: 0 }
  const share = createLocalShare({ copies, spend, now })
  let lastAt = Number.NEGATIVE_INFINITY
  let isOutage = false
  const sweeper = setInterval(sweep, sweepEveryMs, [windows, spend], now).unref()

  function noteOutage(outage: Outage): void {
    counters.admissions += 1
    lastAt = now()
    if (isOutage) return
    isOutage = true
    share.beginOutage()
    counters.outages += 1
    log.warn('limits counted in this process', { ...describeOutage(outage), count: copies.alive() })
  }

  function noteStore(projectId: string): void {
    share.forget(projectId)
    // One project may be missing from a store that answers for all others.
    if (!isOutage || now() - lastAt < quietMs) return
    isOutage = false
    log.info('limits counted in the store again')
  }

  async function admit(applicant: Applicant, known: ProjectConfig, outage: Outage): Promise<LocalOutcome> {
    noteOutage(outage)
    const [config] = await Promise.all([
      configs.getWithin(known.project, freshMs),
      switches.refuseIfOn(known.project, freshMs),
    ])
    if (config.status === 'suspended') throw new Refusal('traffic_suspended')
    const reading = budgets.read(config)
    // Whoever costs nothing need not wait for it, nor who has a share: a better one comes with the next request.
    if (applicant.estimate !== null && !share.isGiven(known.project.projectId)) await reading
    const resolved = config.resolve(applicant.verified.tier, now)
    const admission = await ledger.admit(share.of(demandOf(applicant, config.revision, resolved), config))
    return { config, admission }
  }

  return {
    admit,
    noteStore,
    isOutage: () => isOutage,
    isAftermath: () => now() - lastAt < requestWindowMs,
    async countToo(applicant, config) {
      const resolved = config.resolve(applicant.verified.tier, now)
      const demand = demandOf({ ...applicant, estimate: null }, config.revision, resolved)
      return await ledger.admit(share.afterwards(demand))
    },
    ledger,
    counters,
    stop: () => clearInterval(sweeper),
  }
}

function sweep(tables: readonly { sweep(now: number): void }[], now: () => number): void {
  for (const table of tables) table.sweep(now())
}

function describeOutage(outage: Outage): LogFields {
  return outage === 'unseeded' ? { reason: outage } : { reason: 'unavailable', error: outage }
}
