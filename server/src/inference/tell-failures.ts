// Tells the log of calls that failed at their provider: one line a minute for each kind of failure, with how many it stands
// for, so that an outage does not flood it. Never the provider's words: they may quote prompts and keys.

import type { Log } from '../domain/log.ts'
import type { ProviderFault } from '../domain/provider-fault.ts'
import type { Verified } from '../domain/verified.ts'
import type { ChosenTarget } from './choose-target.ts'

type Caller = Pick<Verified, 'requestId' | 'tenantId'>

type Target = Pick<ChosenTarget, 'provider' | 'guard'>

export type FailureTeller = (caller: Caller, target: Target, fault: ProviderFault) => void

const tellEveryMs = 60_000

export function createFailureTeller(log: Log, now: () => number = () => performance.now()): FailureTeller {
  const told = new Map<string, { at: number; leftOut: number }>()
  return ({ requestId, tenantId }, { provider, guard }, { class: reason, status, code }) => {
    // One tenant's dead address must not stand for the provider's own.
    const kind = `${provider} ${guard} ${reason}`
    const last = told.get(kind)
    if (last !== undefined && now() - last.at < tellEveryMs) {
      last.leftOut++
      return
    }
    log.warn('provider call failed', {
      request_id: requestId,
      tenant_id: tenantId,
      provider,
      endpoint: guard,
      reason,
      status: status ?? undefined,
      code: code ?? undefined,
      count: 1 + (last?.leftOut ?? 0),
    })
    told.set(kind, { at: now(), leftOut: 0 })
  }
}
