// How much of answers this process holds at once: bodies that must be whole before they are told, and what is kept of streams.
// Bounded for one answer, for a tenant and for all of them. Knows nothing of what answers say.

import type { Log } from '../../domain/log.ts'
import type { PlaneResponse } from '../../http/exchange.ts'

export interface LargeAnswers {
  /**
   * `bytes`: all that is held of the answer by now. False where that is more than there is room for, and the answer must
   * not go on.
   */
  hold(answer: object, tenantId: string, bytes: number): boolean
  /** The answer is over; what its client has not taken yet is still held. */
  release(answer: object, response: PlaneResponse): void
}

/** What is larger is no answer, whole or as a stream. */
export const maxAnswerBytes = 32 * 1024 * 1024
/** Answers of the usual size are not counted, so that none is refused for others that are large. */
const uncountedBytes = 256 * 1024

export function createLargeAnswers(maxBytes: number, log: Log): LargeAnswers {
  const maxOfTenant = Math.max(maxAnswerBytes, maxBytes / 4)
  const held = new Map<object, { tenantId: string; bytes: number }>()
  const byTenant = new Map<string, number>()
  let all = 0

  function add(tenantId: string, bytes: number): void {
    const ofTenant = (byTenant.get(tenantId) ?? 0) + bytes
    all += bytes
    if (ofTenant > 0) byTenant.set(tenantId, ofTenant)
    else byTenant.delete(tenantId)
  }

  function findBound(tenantId: string, bytes: number, more: number): string | null {
    if (bytes > maxAnswerBytes) return 'answer'
    if (more <= 0) return null
    if ((byTenant.get(tenantId) ?? 0) + more > maxOfTenant) return 'tenant'
    return all + more > maxBytes ? 'process' : null
  }

  function drop(answer: object): void {
    const known = held.get(answer)
    if (known === undefined) return
    held.delete(answer)
    add(known.tenantId, -known.bytes)
  }

  return {
    hold(answer, tenantId, bytes) {
      if (bytes <= uncountedBytes) return true
      const known = held.get(answer)
      const more = bytes - (known?.bytes ?? 0)
      const bound = findBound(tenantId, bytes, more)
      if (bound !== null) {
        log.warn('answer too large to be held', { tenant_id: tenantId, reason: bound })
        return false
      }
      held.set(answer, { tenantId, bytes })
      add(tenantId, more)
      return true
    },
    release(answer, response) {
      if (held.size === 0 || !held.has(answer)) return
      if (response.writableFinished || response.destroyed) drop(answer)
      else response.once('close', () => drop(answer))
    },
  }
}
