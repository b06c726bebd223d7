// Checks with providers that a tenant asks for: how many it may ask for, and what their outcomes mean.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import type { KeyVerdict } from '../../providers/models/check-key.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** A rejection takes as long as a success, regardless of its reason. */
export const minPutMs = 500
export const validationTimeoutMs = 10_000
const validations = { limit: 5, windowSeconds: 60 }

const reasons = ['invalid_key', 'network_error', 'timeout', 'rate_limited'] as const
/** The answer of a check that stores nothing. */
export const verdictSchema = z.object({ valid: z.boolean(), reason: z.enum(reasons).optional() })

export function showVerdict(verdict: KeyVerdict): z.output<typeof verdictSchema> {
  return verdict === 'valid' ? { valid: true } : { valid: false, reason: verdict }
}

/** Called before a check with a provider; all routes share the count. */
export async function takeValidation({ windows }: ManagementDependencies, tenantId: string): Promise<void> {
  const taken = await windows.take([{ name: `validate:${tenantId}`, ...validations }])
  if (taken.admitted) return
  throw new Refusal('validation_rate_limited', { retryAfterSeconds: taken.retryAfterSeconds })
}

export function refuseUnlessValid(verdict: KeyVerdict): void {
  if (verdict === 'invalid_key') throw new Refusal('key_validation_failed')
  if (verdict !== 'valid') throw new Refusal('provider_unreachable')
}
