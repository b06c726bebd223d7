// Limits the memory of answers in flight, per answer, tenant and process. Counts bodies that are read as a whole, and
// what is kept of streams.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import type { Log } from '../../domain/log.ts'

export interface LargeAnswers {
  /**
   * `bytes` is the total held for the answer of this call. Returns false above a limit: the answer must then be
   * aborted. The memory counts until the client has read all of the response.
   */
  hold(call: AnsweredCall, tenantId: string, bytes: number): boolean
}

type AnsweredCall = Pick<AdmittedCall, 'response'>

/** For one answer, whole or streamed. */
export const maxAnswerBytes = 32 * 1024 * 1024
/** Smaller answers are not counted, so that large ones never cause their rejection. */
export const uncountedBytes = 256 * 1024

export function createLargeAnswers(maxBytes: number, log: Log): LargeAnswers {
  const maxOfTenant = Math.max(maxAnswerBytes, maxBytes / 4)
  const held = new Map<object, { tenantId: string; bytes: number }>()
  const byTenant = new Map<string, number>()
  let total = 0

  function add(tenantId: string, bytes: number): void {
    const ofTenant = (byTenant.get(tenantId) ?? 0) + bytes
    total += bytes
    if (ofTenant > 0) byTenant.set(tenantId, ofTenant)
    else byTenant.delete(tenantId)
  }

  function findExceeded(tenantId: string, bytes: number, more: number): string | null {
    if (bytes > maxAnswerBytes) return 'answer'
    if (more <= 0) return null
    if ((byTenant.get(tenantId) ?? 0) + more > maxOfTenant) return 'tenant'
    return total + more > maxBytes ? 'process' : null
  }

  function drop(answer: object): void {
    const known = held.get(answer)
    if (known === undefined) return
    held.delete(answer)
    add(known.tenantId, -known.bytes)
  }

  return {
    hold(call, tenantId, bytes) {
      if (bytes <= uncountedBytes) return true
      const known = held.get(call)
      const more = bytes - (known?.bytes ?? 0)
      const exceeded = findExceeded(tenantId, bytes, more)
      if (exceeded !== null) {
        log.warn('answer exceeds the memory limits', { tenant_id: tenantId, reason: exceeded })
        return false
      }
      const { response } = call
      if (response.destroyed) return true
      if (known === undefined) response.once('close', () => drop(call))
      held.set(call, { tenantId, bytes })
      add(tenantId, more)
      return true
    },
  }
}
