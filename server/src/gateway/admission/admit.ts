// Lets a request in or refuses it: kill switches, status, both request limits and the token reserve in one store call.
// Knows what each verdict means to the client; how it is reached is the store's, or admit-locally.ts's without one.

import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ResolvedConfig } from '../../domain/settings/live-config.ts'
import {
  type Admission,
  type AdmissionRequest,
  type LimitState,
  type MaybePromise,
  type Store,
  StoreUnavailable,
} from '../../kv/store.ts'
import type { ConfigCache } from '../config-cache.ts'
import { type Applicant, demandOf } from '../outage/admission-demand.ts'
import type { Hold, LocalAdmissions } from '../outage/admit-locally.ts'
import type { Outage } from '../outage/outage-watch.ts'
import type { ProjectTally, TallyOf } from '../outage/project-tally.ts'
import type { SeenWindows } from '../outage/seen-windows.ts'
import type { ProjectConfig } from '../project-config.ts'
import { type RestrictionState, refuseIfRestricted } from '../restrictions.ts'
import type { Ledger, Settlements } from './settle.ts'

export interface Admitted {
  config: ProjectConfig
  resolved: ResolvedConfig
  tally: ProjectTally
  /** Where the reservation is held, and so is to be settled. */
  ledger: Ledger
  requests: LimitState
  tokens: LimitState
  /** What the store reserved, 0 for what costs no tokens; null where it was not asked. */
  reserved: number | null
}

export type Admit = (applicant: Applicant, config: ProjectConfig) => MaybePromise<Admitted>

interface AdmitParts {
  kv: Store
  configs: ConfigCache
  restrictions: RestrictionState
  local: LocalAdmissions
  seen: SeenWindows
  tallyOf: TallyOf
  settlements: Settlements
  now: () => number
}

/** A document may change again while it is read; more often than this within one request it does not. */
const maxAttempts = 4

export function createAdmit(parts: AdmitParts): Admit {
  const { kv, local, now } = parts
  return (applicant, config) => {
    const terms = termsOf(applicant, config, now)
    if (local.keepsToShare()) return admitWithinShare(parts, applicant, terms)
    const asked = kv.admit(terms.demand)
    const isPlain = !(asked instanceof Promise) && asked.admitted && !local.isOutage()
    return isPlain ? letIn(parts, asked, terms) : decide(parts, applicant, terms, asked, null)
  }
}

/** What a request is judged by. */
interface Terms {
  config: ProjectConfig
  resolved: ResolvedConfig
  demand: AdmissionRequest
}

/** The store may not know of all that was admitted, nor what it had counted before it was emptied. */
async function admitWithinShare(parts: AdmitParts, applicant: Applicant, terms: Terms): Promise<Admitted> {
  const hold = await parts.local.hold(terms.demand, applicant.verified)
  // The store knows the day. It is not asked for a request that the share refuses, so it charges nothing for it.
  if (!hold.admission.admitted) throw refusalOf({ ...hold.admission, tokens: null })
  try {
    return await decide(parts, applicant, terms, parts.kv.admit(terms.demand), hold)
  } catch (error) {
    hold.giveBack()
    throw error
  }
}

async function decide(
  parts: AdmitParts,
  given: Applicant,
  firstTerms: Terms,
  first: MaybePromise<Admission>,
  hold: Hold | null,
): Promise<Admitted> {
  const { kv, local, settlements } = parts
  let [applicant, terms, asked] = [given, firstTerms, first]
  for (let attempt = 1; ; attempt++) {
    const { config, demand } = terms
    let admission: Admission
    try {
      admission = await asked
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      // It may have been admitted all the same.
      if (demand.tokens !== null) settlements.withdraw(kv, demand.projectId, demand.requestId)
      hold?.giveBack()
      return await admitLocally(parts, applicant, config, error)
    }
    if (admission.admitted) {
      if (local.isOutage()) local.noteStore(demand.projectId)
      return letIn(parts, admission, terms)
    }
    if (admission.reason === 'unseeded') {
      hold?.giveBack()
      return await admitLocally(parts, applicant, config, 'unseeded')
    }
    if (admission.reason !== 'stale_config' && admission.reason !== 'stale_restrictions') {
      noteLeft(parts, admission, terms)
      throw refusalOf(admission)
    }
    ;({ applicant, terms } = await renew(parts, applicant, config, admission.reason))
    if (attempt === maxAttempts) throw new Refusal('config_unavailable')
    asked = kv.admit(terms.demand)
  }
}

/** The request by the newer document that the store holds. */
async function renew(
  { configs, restrictions, now }: AdmitParts,
  applicant: Applicant,
  config: ProjectConfig,
  reason: 'stale_config' | 'stale_restrictions',
): Promise<{ applicant: Applicant; terms: Terms }> {
  if (reason === 'stale_config') {
    const newer = await configs.getWithin(config.project, 0)
    return { applicant, terms: termsOf(applicant, newer, now) }
  }
  const newer = { ...applicant, restrictions: await restrictions.getWithin(config.project, 0) }
  refuseIfRestricted(newer.restrictions, newer.verified)
  return { applicant: newer, terms: termsOf(newer, config, now) }
}

function termsOf(applicant: Applicant, config: ProjectConfig, now: () => number): Terms {
  const resolved = config.resolve(applicant.verified.tier, now)
  return { config, resolved, demand: demandOf(applicant, config.revision, resolved) }
}

function letIn(
  { kv, seen, tallyOf, now }: AdmitParts,
  { requests, tokens, reserved, counts }: Extract<Admission, { admitted: true }>,
  { config, resolved, demand }: Terms,
): Admitted {
  seen.note(demand, counts, true)
  // Without a reservation the counts may be those of a day that is over: they must not replace the tally.
  const tally = tallyOf(demand.projectId)
  if (reserved > 0) writeTally(tally, tokens, now())
  return { config, resolved, tally, ledger: kv, requests, tokens, reserved }
}

async function admitLocally(
  { local, tallyOf, now }: AdmitParts,
  applicant: Applicant,
  known: ProjectConfig,
  outage: Outage,
): Promise<Admitted> {
  const { admission, config } = await local.admit(applicant, known, outage)
  if (!admission.admitted) throw refusalOf(admission)
  const resolved = config.resolve(applicant.verified.tier, now)
  const { requests, tokens } = admission
  const tally = tallyOf(config.project.projectId)
  return { config, resolved, tally, ledger: local.ledger, requests, tokens, reserved: null }
}

/** A refusal tells as well what is left; of the day only where it was the project's that it was about. */
function noteLeft(
  { seen, tallyOf, now }: AdmitParts,
  { tokens, counts }: Extract<Admission, { admitted: false }>,
  { resolved, demand }: Terms,
): void {
  if (counts !== null) seen.note(demand, counts, false)
  if (tokens?.limit === resolved.projectLimits.tokens_per_day) writeTally(tallyOf(demand.projectId), tokens, now())
}

/** With a limit of the user's own it may be less than the project has left; never more. */
function writeTally(tally: ProjectTally, { remaining }: LimitState, now: number): void {
  tally.write(Math.floor(now / dayMs), remaining)
}

function refusalOf({ reason, retryAfterSeconds, requests, tokens }: Extract<Admission, { admitted: false }>): Refusal {
  if (reason === 'killed') return new Refusal('service_disabled')
  if (reason === 'suspended') return new Refusal('traffic_suspended')
  if (reason === 'unseeded' || reason === 'stale_config' || reason === 'stale_restrictions')
    return new Refusal('config_unavailable')
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
