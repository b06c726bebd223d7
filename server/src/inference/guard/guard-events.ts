// Sends the guardrails' events to the event stream in the background: no request waits for it.

import type { GuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import { writeGuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { EventStream } from '../../kv/event-stream.ts'

export interface GuardEvents {
  emit(event: GuardrailEvent): void
  /** Resolves when every emitted event is stored or has failed. */
  settle(): Promise<void>
}

interface GuardEventsDependencies {
  kv: Pick<EventStream, 'emitEvent'>
  metrics: Pick<Metrics, 'eventEmitted'>
  log: Log
}

/**
 * The stream holds about 100,000 entries of all tenants. While nothing drains it, one tenant needs more than a
 * quarter of an hour to push out the entries of the others.
 */
const quotaPerMinute = 6_000
/** While the store is unavailable, every event fails; one failure of this many is logged. */
const failuresPerLine = 1_000

export function createGuardEvents({ kv, metrics, log }: GuardEventsDependencies): GuardEvents {
  const underway = new Set<Promise<void>>()
  let failed = 0

  async function send(event: GuardrailEvent): Promise<void> {
    try {
      metrics.eventEmitted(await kv.emitEvent(event.tenantId, writeGuardrailEvent(event), quotaPerMinute))
    } catch (error) {
      metrics.eventEmitted('failed')
      if (failed++ % failuresPerLine === 0) log.error('guardrail events lost', { count: failed, error })
    }
  }

  return {
    emit(event) {
      const sending = send(event).finally(() => underway.delete(sending))
      underway.add(sending)
    },
    settle: async () => void (await Promise.all(underway)),
  }
}
