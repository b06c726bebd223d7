// Admits a request or refuses it: kill switches, project status, both request limits and the token reservation in one
// call to the store. If the store is unavailable, admit-locally.ts decides instead.

import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ExceededLimit } from '../../domain/requests/request-record.ts'
import type { ResolvedConfig } from '../../domain/resolved-config.ts'
import type { RequestCounts } from '../../kv/request-windows.ts'
import {
  type Admission,
  type AdmissionRequest,
  type LimitState,
  type MaybePromise,
  type Store,
  StoreUnavailable,
} from '../../kv/store.ts'
import { refuseUnknownTier } from '../check-tier.ts'
import type { ConfigCache } from '../config-cache.ts'
import { type KillSwitchState, refusalOfSwitch } from '../kill-switches.ts'
import type { ProjectConfig } from '../project-config.ts'
import { type RestrictionState, refuseIfRestricted } from '../restrictions.ts'
import { admissionRequestOf, type PendingRequest } from './admission-request.ts'
import type { CountedRequest, LocalAdmissions, Outage } from './local-admissions.ts'
import type { ProjectTally, TallyOf } from './project-tally.ts'
import type { Reservation, Settlements } from './settle.ts'

export interface Admitted extends Reservation {
  resolved: ResolvedConfig
  requests: LimitState
  tokens: LimitState
}

export type Admit = (pending: PendingRequest, config: ProjectConfig) => MaybePromise<Admitted>

interface AdmitDependencies {
  kv: Store
  configs: ConfigCache
  switches: Pick<KillSwitchState, 'find'>
  restrictions: RestrictionState
  local: LocalAdmissions
  /** Keeps the counts that the store reported, for when it is unavailable; null for the store in the process. */
  seen: { note(request: AdmissionRequest, counts: RequestCounts, isCounted: boolean): void } | null
  tallyOf: TallyOf
  settlements: Settlements
  replicaId: string
  now: () => number
}

/** Calls to the store for one request: a document may change again while the newer one is read. */
const maxAttempts = 4

export function createAdmit(dependencies: AdmitDependencies): Admit {
  const { kv, local, now } = dependencies
  const { outage } = local
  return (pending, config) => {
    const prepared = prepare(dependencies, pending, config)
    if (outage.shareUntil > now()) return admitWithinShare(dependencies, pending, prepared)
    const admitting = kv.admit(prepared.request)
    const isPlain = !(admitting instanceof Promise) && admitting.admitted && !outage.isOutage
    return isPlain
      ? createAdmitted(dependencies, admitting, prepared)
      : decide(dependencies, pending, prepared, admitting, null)
  }
}

/** The config by which a request is admitted, and the store's request made from it. */
interface PreparedAdmission {
  config: ProjectConfig
  resolved: ResolvedConfig
  request: AdmissionRequest
}

/**
 * Counts the request against this replica's share before the store decides: the store may not know of all admitted
 * requests, and has lost its counts if it was emptied.
 */
async function admitWithinShare(
  dependencies: AdmitDependencies,
  pending: PendingRequest,
  prepared: PreparedAdmission,
): Promise<Admitted> {
  const counted = await dependencies.local.count(prepared.request, pending.verified)
  // Only the store knows the day's tokens. It is not called for a request that the share refuses, because it would
  // charge for it.
  if (!counted.admission.admitted) throw refusalOf({ ...counted.admission, tokens: null }, prepared.resolved)
  try {
    return await decide(dependencies, pending, prepared, dependencies.kv.admit(prepared.request), counted)
  } catch (error) {
    counted.giveBack()
    throw error
  }
}

async function decide(
  dependencies: AdmitDependencies,
  given: PendingRequest,
  firstPrepared: PreparedAdmission,
  first: MaybePromise<Admission>,
  counted: CountedRequest | null,
): Promise<Admitted> {
  const { kv, local, settlements } = dependencies
  let [pending, prepared, admitting] = [given, firstPrepared, first]
  for (let attempt = 1; ; attempt++) {
    const { config, request } = prepared
    let admission: Admission
    try {
      admission = await admitting
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      // The store may have admitted it nevertheless.
      if (request.tokens !== null) settlements.withdraw(kv, request.projectId, request.requestId)
      counted?.giveBack()
      return await admitLocally(dependencies, pending, config, error)
    }
    if (admission.admitted) {
      if (local.outage.isOutage) local.noteStore(request.projectId)
      return createAdmitted(dependencies, admission, prepared)
    }
    if (admission.reason === 'unseeded') {
      counted?.giveBack()
      return await admitLocally(dependencies, pending, config, 'unseeded')
    }
    if (admission.reason !== 'stale_config' && admission.reason !== 'stale_restrictions') {
      if (admission.reason === 'killed') throw refusalOfSwitch(dependencies.switches.find(config.project))
      noteRemaining(dependencies, admission, prepared)
      throw refusalOf(admission, prepared.resolved)
    }
    ;({ pending, prepared } = await renew(dependencies, pending, config, admission.reason))
    if (attempt === maxAttempts) throw new Refusal('config_unavailable')
    admitting = kv.admit(prepared.request)
  }
}

/** Reads the newer document that the store holds, and prepares the admission again. */
async function renew(
  dependencies: AdmitDependencies,
  pending: PendingRequest,
  config: ProjectConfig,
  reason: 'stale_config' | 'stale_restrictions',
): Promise<{ pending: PendingRequest; prepared: PreparedAdmission }> {
  const { configs, restrictions } = dependencies
  if (reason === 'stale_config') {
    const newer = await configs.getWithin(config.project, 0)
    refuseUnknownTier(pending.verified, newer, dependencies.now)
    return { pending, prepared: prepare(dependencies, pending, newer) }
  }
  const newer = { ...pending, restrictions: await restrictions.getWithin(config.project, 0) }
  refuseIfRestricted(newer.restrictions, newer.verified)
  return { pending: newer, prepared: prepare(dependencies, newer, config) }
}

function prepare(
  { now, replicaId }: AdmitDependencies,
  pending: PendingRequest,
  config: ProjectConfig,
): PreparedAdmission {
  const resolved = config.resolve(pending.verified.tier, now)
  return { config, resolved, request: admissionRequestOf(pending, config.revision, resolved, replicaId) }
}

function createAdmitted(
  { kv, seen, tallyOf, now }: AdmitDependencies,
  { requests, tokens, reserved, counts }: Extract<Admission, { admitted: true }>,
  { config, resolved, request }: PreparedAdmission,
): Admitted {
  seen?.note(request, counts, true)
  // Without a reservation the counts may be those of a past day: they must not replace the tally.
  const tally = tallyOf(request.projectId)
  if (reserved > 0) writeTally(tally, tokens, now())
  return { config, resolved, tally, ledger: kv, requests, tokens, reserved }
}

async function admitLocally(
  { local, tallyOf, now }: AdmitDependencies,
  pending: PendingRequest,
  known: ProjectConfig,
  outage: Outage,
): Promise<Admitted> {
  const { admission, config } = await local.admit(pending, known, outage)
  const resolved = config.resolve(pending.verified.tier, now)
  if (!admission.admitted) throw refusalOf(admission, resolved)
  const { requests, tokens } = admission
  const tally = tallyOf(config.project.projectId)
  return { config, resolved, tally, ledger: local.ledger, requests, tokens, reserved: null }
}

/** A refusal reports what is left too. The day's tokens are noted only if they are of the project's limit. */
function noteRemaining(
  { seen, tallyOf, now }: AdmitDependencies,
  { tokens, counts }: Extract<Admission, { admitted: false }>,
  { resolved, request }: PreparedAdmission,
): void {
  if (counts !== null) seen?.note(request, counts, false)
  if (tokens?.limit === resolved.projectLimits.tokens_per_day) writeTally(tallyOf(request.projectId), tokens, now())
}

/** If the user has a token limit, `remaining` may be less than the project has left, but never more. */
function writeTally(tally: ProjectTally, { remaining }: LimitState, now: number): void {
  tally.write(Math.floor(now / dayMs), remaining)
}

function refusalOf(admission: Extract<Admission, { admitted: false }>, resolved: ResolvedConfig): Refusal {
  const { reason, retryAfterSeconds, requests, tokens } = admission
  if (reason === 'killed') return refusalOfSwitch(null)
  if (reason === 'suspended') return new Refusal('traffic_suspended')
  if (reason === 'unseeded' || reason === 'stale_config' || reason === 'stale_restrictions')
    return new Refusal('config_unavailable')
  const headers: Record<string, string> = {}
  showLimits(requests, tokens, {
    setHeader: (name, value) => {
      headers[name] = String(value)
    },
  })
  const limit = exceededLimit(admission, resolved)
  return new Refusal('rate_limited', {
    retryAfterSeconds: Math.max(1, retryAfterSeconds),
    headers,
    ...(limit !== null && { exceeded: { ...limit } }),
  })
}

/** Of the two limits of tokens, the store reports the one with the least remaining, which is the one that rejects. */
function exceededLimit(
  { reason, tokens }: Extract<Admission, { admitted: false }>,
  { projectLimits }: ResolvedConfig,
): ExceededLimit | null {
  if (reason === 'project_requests') return { level: 'project', period: 'minute' }
  if (reason === 'user_requests') return { level: 'end_user', period: 'minute' }
  if (tokens === null) return null
  return { level: tokens.limit === projectLimits.tokens_per_day ? 'project' : 'end_user', period: 'day' }
}

/** Sets the six rate-limit headers, for the limits that were checked. */
export function showLimits(
  requests: LimitState | null,
  tokens: LimitState | null,
  to: { setHeader(name: string, value: number): unknown },
): void {
  if (requests !== null) {
    to.setHeader('x-ratelimit-limit-requests', requests.limit)
    to.setHeader('x-ratelimit-remaining-requests', requests.remaining)
    to.setHeader('x-ratelimit-reset-requests', requests.resetSeconds)
  }
  if (tokens !== null) {
    to.setHeader('x-ratelimit-limit-tokens', tokens.limit)
    to.setHeader('x-ratelimit-remaining-tokens', tokens.remaining)
    to.setHeader('x-ratelimit-reset-tokens', tokens.resetSeconds)
  }
}
