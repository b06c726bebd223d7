// Lets a request in or refuses it: kill switches, status, both request limits and the token reserve in one store call.
// Knows what each verdict means to the client; how it is reached is the store's, or admit-locally.ts's without one.

import { Refusal } from '../domain/errors.ts'
import type { ResolvedConfig } from '../domain/live-config.ts'
import type { PlaneResponse } from '../http/plane-exchange.ts'
import { type Admission, type AdmissionRequest, type LimitState, type Store, StoreUnavailable } from '../kv/store.ts'
import { dayMs } from '../kv/verdict.ts'
import { type Applicant, demandOf } from './admission-demand.ts'
import type { LocalAdmissions } from './admit-locally.ts'
import type { ConfigCache } from './config-cache.ts'
import type { ProjectConfig } from './project-config.ts'
import type { Ledger, Settlements } from './settlement.ts'

export interface Admitted {
  config: ProjectConfig
  resolved: ResolvedConfig
  /** Where the reservation is held, and so is to be settled. */
  ledger: Ledger
  requests: LimitState
  tokens: LimitState | null
}

export type Admit = (applicant: Applicant, config: ProjectConfig) => Promise<Admitted>

interface AdmitParts {
  kv: Store
  configs: ConfigCache
  local: LocalAdmissions
  settlements: Settlements
  now: () => number
}

/** A config may change again while it is read; more often than this within one request it does not. */
const mostAttempts = 4

export function createAdmit({ kv, configs, local, settlements, now }: AdmitParts): Admit {
  async function askStore(request: AdmissionRequest): Promise<Admission | null> {
    try {
      return await kv.admit(request)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      // It may have been admitted all the same.
      if (request.tokens !== null) settlements.release(kv, request.projectId, request.requestId)
      return null
    }
  }

  async function admitLocally(applicant: Applicant, known: ProjectConfig, reason: 'unavailable' | 'unseeded') {
    const { admission, config } = await local.admit(applicant, known, reason)
    if (!admission.admitted) throw refusalOf(admission)
    const resolved = config.resolve(applicant.verified.tier, now())
    return { config, resolved, ledger: local.ledger, requests: admission.requests, tokens: admission.tokens }
  }

  /** What was admitted while the store was away is not in its windows, nor what it had counted before it was emptied. */
  async function admitHereToo(applicant: Applicant, config: ProjectConfig): Promise<void> {
    const admission = await local.countToo(applicant, config)
    if (admission.admitted) return
    const { projectId, requestId } = applicant.verified
    if (applicant.estimate !== null) settlements.release(kv, projectId, requestId)
    throw refusalOf(admission)
  }

  return async (applicant, current) => {
    let config = current
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const resolved = config.resolve(applicant.verified.tier, now())
      const admission = await askStore(demandOf(applicant, config.revision, resolved))
      if (admission === null) return await admitLocally(applicant, config, 'unavailable')
      if (admission.admitted) {
        const { requests, tokens } = admission
        if (local.isOutage()) local.noteStore(config.project.projectId)
        if (local.isAftermath()) await admitHereToo(applicant, config)
        if (requests.limit === resolved.projectLimits.rpm_limit) noteWindow(config, requests, now())
        if (tokens !== null) noteBudget(config, tokens, now())
        return { config, resolved, ledger: kv, requests, tokens }
      }
      if (admission.reason === 'unseeded') return await admitLocally(applicant, config, 'unseeded')
      if (admission.reason !== 'stale_config') throw refusalOf(admission)
      config = await configs.getWithin(config.project, 0)
    }
    throw new Refusal('config_unavailable')
  }
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
  showLimits({ requests, tokens }, (name, value) => {
    headers[name] = value
  })
  return new Refusal('rate_limited', { retryAfterSeconds: Math.max(1, retryAfterSeconds), headers })
}

/** The six headers, as far as the limits were looked at. */
export function showAdmitted({ requests, tokens }: Admitted, response: PlaneResponse): void {
  showLimits({ requests, tokens }, (name, value) => response.setHeader(name, value))
}

function showLimits(
  states: { requests: LimitState | null; tokens: LimitState | null },
  show: (name: string, value: string) => void,
): void {
  for (const unit of ['requests', 'tokens'] as const) {
    const state = states[unit]
    if (state === null) continue
    show(`x-ratelimit-limit-${unit}`, String(state.limit))
    show(`x-ratelimit-remaining-${unit}`, String(state.remaining))
    show(`x-ratelimit-reset-${unit}`, String(state.resetSeconds))
  }
}
