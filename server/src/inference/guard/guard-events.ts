// Sends what the guardrails did into the event stream, without a request waiting for it. Knows no guardrail and no reader.

import type { GuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import { writeGuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { EventStream } from '../../kv/store.ts'

export interface GuardEvents {
  emit(event: GuardrailEvent): void
  /** Resolves when what was emitted has arrived or failed. */
  settle(): Promise<void>
}

interface EventParts {
  kv: Pick<EventStream, 'emitEvent'>
  metrics: Pick<Metrics, 'eventEmitted'>
  log: Log
}

/**
 * The stream holds about 100,000 entries for all tenants together: while nobody drains it, a tenant alone needs more than a
 * quarter of an hour to push out what the others have in it.
 */
const quotaPerMinute = 6_000
/** A store that is away fails every event; one line tells of many. */
const failuresPerLine = 1_000

export function createGuardEvents({ kv, metrics, log }: EventParts): GuardEvents {
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
