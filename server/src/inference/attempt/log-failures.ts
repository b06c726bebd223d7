// Logs failed provider calls: one line a minute for each kind of failure. Must not log the provider's message, which
// may quote prompts and keys.

import type { Verified } from '../../domain/caller.ts'
import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import { providerKindOf } from '../../domain/provider.ts'
import type { SparseLog } from '../../log/sparse-log.ts'
import type { ChosenTarget } from '../target/choose-target.ts'

type Caller = Pick<Verified, 'requestId' | 'tenantId'>

type Target = Pick<ChosenTarget, 'provider' | 'guard'>

export type FailureLog = (caller: Caller, target: Target, error: ProviderError) => void

export function createFailureLog(log: SparseLog): FailureLog {
  return ({ requestId, tenantId }, target, { class: reason, status, code }) => {
    const { guard } = target
    const provider = providerKindOf(target.provider)
    // An unreachable address of one tenant must not be counted with the provider's own.
    log.warn('provider call failed', `${provider} ${guard} ${reason}`, {
      request_id: requestId,
      tenant_id: tenantId,
      provider,
      endpoint: guard,
      reason,
      status: status ?? undefined,
      code: code ?? undefined,
    })
  }
}
