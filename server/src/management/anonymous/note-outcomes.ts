// Reports to the metrics how each request for an anonymous token ended.

import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import type { AnonymousOutcome, Metrics } from '../../domain/metrics.ts'
import type { AttestationKind } from '../../domain/settings/anonymous-rules.ts'

const outcomes: Partial<Record<RefusalCode, AnonymousOutcome>> = {
  attestation_failed: 'failed',
  anonymous_rate_limited: 'limited',
  mint_user_blocked: 'blocked',
}

/** What is no refusal of the client is a failure of ours or of a service. */
export async function noteOutcomes<T>(
  metrics: Pick<Metrics, 'anonymousAsked'>,
  kind: AttestationKind,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work()
    metrics.anonymousAsked(kind, 'issued')
    return result
  } catch (error) {
    const outcome = error instanceof Refusal ? outcomes[error.code] : undefined
    metrics.anonymousAsked(kind, outcome ?? 'unavailable')
    throw error
  }
}
