// Lets a request in or refuses it: kill switches, status, both request limits and the token reserve in one store call.
// Knows what each verdict means to the client; how it is reached is the store's, or admit-locally.ts's without one.

import { dayMs } from '../domain/day.ts'
import { Refusal } from '../domain/errors.ts'
import type { ResolvedConfig } from '../domain/live-config.ts'
import { type Admission, type Answer, type LimitState, type Store, StoreUnavailable } from '../kv/store.ts'
import { type Applicant, demandOf } from './admission-demand.ts'
import type { LocalAdmissions, Outage } from './admit-locally.ts'
import type { ConfigCache } from './config-cache.ts'
import type { ProjectConfig } from './project-config.ts'
import type { Ledger, Settlements } from './settlement.ts'

export interface Admitted {
  config: ProjectConfig
  resolved: ResolvedConfig
  /** Where the reservation is held, and so is to be settled. */
  ledger: Ledger
  requests: LimitState
  tokens: LimitState
  /** What the store reserved, 0 for what costs no tokens; null where it was not asked. */
  reserved: number | null
}

export type Admit = (applicant: Applicant, config: ProjectConfig) => Answer<Admitted>

interface AdmitParts {
  kv: Store
  configs: ConfigCache
  local: LocalAdmissions
  settlements: Settlements
  now: () => number
}

/** A config may change again while it is read; more often than this within one request it does not. */
const mostAttempts = 4

export function createAdmit(parts: AdmitParts): Admit {
  const { kv, local, now } = parts
  return (applicant, config) => {
    const resolved = config.resolve(applicant.verified.tier, now)
    const asked = kv.admit(demandOf(applicant, config.revision, resolved))
    const isPlain = !(asked instanceof Promise) && asked.admitted && !local.isOutage() && !local.isAftermath()
    return isPlain ? letIn(parts, asked, config, resolved) : decide(parts, applicant, config, resolved, asked)
  }
}

async function decide(
  parts: AdmitParts,
  applicant: Applicant,
  current: ProjectConfig,
  known: ResolvedConfig,
  first: Answer<Admission>,
): Promise<Admitted> {
  const { kv, configs, local, settlements, now } = parts
  let [config, resolved, asked] = [current, known, first]
  for (let attempt = 1; ; attempt++) {
    let admission: Admission
    try {
      admission = await asked
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      // It may have been admitted all the same.
      const { projectId, requestId } = applicant.verified
      if (applicant.estimate !== null) settlements.release(kv, projectId, requestId)
      return await admitLocally(parts, applicant, config, error)
    }
    if (admission.admitted) {
      if (local.isOutage()) local.noteStore(config.project.projectId)
      if (local.isAftermath()) await admitHereToo(parts, applicant, config)
      return letIn(parts, admission, config, resolved)
    }
    if (admission.reason === 'unseeded') return await admitLocally(parts, applicant, config, 'unseeded')
    if (admission.reason !== 'stale_config') {
      noteLeft(config, resolved, admission, now())
      throw refusalOf(admission)
    }
    config = await configs.getWithin(config.project, 0)
    if (attempt === mostAttempts) throw new Refusal('config_unavailable')
    resolved = config.resolve(applicant.verified.tier, now)
    asked = kv.admit(demandOf(applicant, config.revision, resolved))
  }
}

function letIn(
  { kv, now }: AdmitParts,
  { requests, tokens, reserved }: Extract<Admission, { admitted: true }>,
  config: ProjectConfig,
  resolved: ResolvedConfig,
): Admitted {
  const at = now()
  if (requests.limit === resolved.projectLimits.rpm_limit) noteWindow(config, requests, at)
  // Whoever reserves nothing may be shown a day of the own that is over, and the project's goes on.
  if (reserved > 0) noteBudget(config, tokens, at)
  return { config, resolved, ledger: kv, requests, tokens, reserved }
}

async function admitLocally(
  { local, now }: AdmitParts,
  applicant: Applicant,
  known: ProjectConfig,
  outage: Outage,
): Promise<Admitted> {
  const { admission, config } = await local.admit(applicant, known, outage)
  if (!admission.admitted) throw refusalOf(admission)
  const resolved = config.resolve(applicant.verified.tier, now)
  const { requests, tokens } = admission
  return { config, resolved, ledger: local.ledger, requests, tokens, reserved: null }
}

/** What was admitted while the store was away is not in its windows, nor what it had counted before it was emptied. */
async function admitHereToo(
  { kv, local, settlements }: AdmitParts,
  applicant: Applicant,
  config: ProjectConfig,
): Promise<void> {
  const admission = await local.countToo(applicant, config)
  if (admission.admitted) return
  const { projectId, requestId } = applicant.verified
  if (applicant.estimate !== null) settlements.release(kv, projectId, requestId)
  // Of the day it is the store that knows.
  throw refusalOf({ ...admission, tokens: null })
}

/** A refusal tells as well what is left, but only of what it was that is the project's. */
function noteLeft(
  config: ProjectConfig,
  { projectLimits }: ResolvedConfig,
  { requests, tokens }: Pick<Admission, 'requests' | 'tokens'>,
  at: number,
): void {
  if (requests?.limit === projectLimits.rpm_limit) noteWindow(config, requests, at)
  if (tokens?.limit === projectLimits.tokens_per_day) noteBudget(config, tokens, at)
}

function noteWindow({ window }: ProjectConfig, { remaining, resetSeconds }: LimitState, now: number): void {
  window.endsAt = now + resetSeconds * 1000
  window.remaining = remaining
}

/** With a limit of the user's own it may be less than the project has left; never more. */
function noteBudget({ budget }: ProjectConfig, { remaining }: LimitState, now: number): void {
  budget.day = Math.floor(now / dayMs)
  budget.remaining = remaining
}

function refusalOf({ reason, retryAfterSeconds, requests, tokens }: Extract<Admission, { admitted: false }>): Refusal {
  if (reason === 'killed') return new Refusal('service_disabled')
  if (reason === 'suspended') return new Refusal('traffic_suspended')
  if (reason === 'unseeded' || reason === 'stale_config') return new Refusal('config_unavailable')
  const headers: Record<string, string> = {}
  showLimits(requests, tokens, {
    setHeader: (name, value) => {
      headers[name] = String(value)
    },
  })
  return new Refusal('rate_limited', { retryAfterSeconds: Math.max(1, retryAfterSeconds), headers })
}

/** The six headers, as far as the limits were looked at. */
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
