// Admits requests while the store is unavailable: by a config, restrictions and kill switches at most a second old, or
// the last known ones if the database is unreachable too, and within this replica's share of the limits, counted in
// this process. Never unlimited.
import type { Verified } from '../../domain/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import { createProcessAdmissions, requestsKey } from '../../kv/process/admissions.ts'
import { createSpendTable } from '../../kv/process/spend-table.ts'
import type { Admission, AdmissionRequest, Store } from '../../kv/store.ts'
import { createWindowTable, type WindowTable } from '../../kv/window-table.ts'
import { admissionRequestOf, type PendingRequest } from '../admission/admission-request.ts'
import type { CountedRequest, LocalAdmissions, LocalOutcome, Outage } from '../admission/local-admissions.ts'
import type { TallyOf } from '../admission/project-tally.ts'
import type { ConfigCache } from '../config-cache.ts'
import type { KillSwitchState } from '../kill-switches.ts'
import type { ProjectConfig } from '../project-config.ts'
import { type RestrictionState, refuseIfRestricted } from '../restrictions.ts'
import { createOutageShare } from './outage-share.ts'
import { createOutageWatch } from './outage-watch.ts'
import type { BudgetReader } from './read-budget.ts'
import type { Replicas } from './replicas.ts'
import { createRequestReports, type RequestReports } from './request-reports.ts'
import type { SeenWindows } from './seen-windows.ts'

interface LocalAdmissionsDependencies {
  kv: Pick<Store, 'addRequests' | 'subscribe'>
  configs: ConfigCache
  switches: KillSwitchState
  restrictions: RestrictionState
  replicas: Replicas
  seen: SeenWindows
  tallyOf: TallyOf
  budgets: BudgetReader
  now: () => number
  randomId: () => string
  replicaId: string
  log: Log
}

const freshMs = 1_000
const sweepEveryMs = 60_000

export function createLocalAdmissions(dependencies: LocalAdmissionsDependencies): LocalAdmissions {
  const { replicas, seen, tallyOf, budgets, now } = dependencies
  const windows = createWindowTable()
  const spend = createSpendTable()
  // `readAdmissibleConfig` checks kill switches and suspensions instead.
  const ledger = createProcessAdmissions({ findRejection: () => null, windows, spend, clock: now })
  const share = createOutageShare({ replicas, seen, tallyOf, windows, spend, now })
  const reports = createRequestReports(dependencies)
  const watch = createOutageWatch({ ...dependencies, onStart: share.noteStoreDecided, onReturn: reports.sendNow })
  let admissions = 0
  const sweeper = setInterval(sweep, sweepEveryMs, [windows, spend, seen], now).unref()

  async function count(request: AdmissionRequest, caller: Verified): Promise<CountedRequest> {
    const admission = await ledger.admit(share.ofRequests(request))
    if (!admission.admitted) {
      await readAdmissibleConfig(dependencies, caller)
      if (watch.state.isOutage) admissions += 1
    }
    return countedRequestOf(windows, request, admission, now)
  }

  async function admit(pending: PendingRequest, known: ProjectConfig, outage: Outage): Promise<LocalOutcome> {
    watch.note(outage)
    admissions += 1
    const config = await readAdmissibleConfig(dependencies, pending.verified)
    const reading = budgets.read(config)
    // A request without tokens need not wait for the budget, nor one whose project already has a share: the next
    // request gets a more exact share.
    if (pending.estimate !== null && !share.hasAllowance(known.project.projectId)) await reading
    const resolved = config.resolve(pending.verified.tier, now)
    const request = admissionRequestOf(pending, config.revision, resolved, dependencies.replicaId)
    const admission = await ledger.admit(share.of(request))
    if (admission.admitted) report(reports, request, admission)
    return { config, admission }
  }

  return {
    admit,
    noteStore(projectId) {
      share.forget(projectId)
      watch.noteStore()
    },
    outage: watch.state,
    count,
    ledger,
    counters: () => ({ admissions, outages: watch.outages() }),
    async stop() {
      watch.stop()
      clearInterval(sweeper)
      await reports.stop()
    },
  }
}

async function readAdmissibleConfig(
  { configs, switches, restrictions }: LocalAdmissionsDependencies,
  caller: Verified,
): Promise<ProjectConfig> {
  const [config, restricted] = await Promise.all([
    configs.getWithin({ projectId: caller.projectId, tenantId: caller.tenantId }, freshMs),
    restrictions.getWithin(caller, freshMs),
    switches.refuseIfOn(caller, freshMs),
  ])
  if (config.status === 'suspended') throw new Refusal('traffic_suspended')
  refuseIfRestricted(restricted, caller)
  return config
}

function report(
  reports: RequestReports,
  { projectId, userId, userRequests }: AdmissionRequest,
  { counts }: Extract<Admission, { admitted: true }>,
): void {
  reports.add(projectId, null, counts.project.endsAt)
  if (userRequests !== null) reports.add(projectId, userId, counts.user.endsAt)
}

function countedRequestOf(
  windows: WindowTable,
  { projectId, userId, userRequests }: AdmissionRequest,
  admission: Admission,
  now: () => number,
): CountedRequest {
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
