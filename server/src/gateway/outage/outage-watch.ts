// Tracks whether the store is unavailable, and how long this replica keeps to its share of the limits: during an
// outage, and then until the store knows what the other replicas admitted meanwhile.
import type { Log, LogFields } from '../../domain/log.ts'
import { requestWindowMs } from '../../kv/admission-arithmetic.ts'
import type { Store } from '../../kv/store.ts'
import type { Outage, OutageState } from '../admission/local-admissions.ts'
import type { Replicas } from './replicas.ts'

export interface OutageWatch {
  /** Call this when a request has to be admitted without the store. */
  note(outage: Outage): void
  /** Call this when the store has answered. */
  noteStore(): void
  readonly state: Readonly<OutageState>
  /** How many outages have begun. */
  outages(): number
  stop(): void
}

interface OutageWatchDependencies {
  kv: Pick<Store, 'subscribe'>
  replicas: Pick<Replicas, 'count' | 'onRefill'>
  now: () => number
  log: Log
  /** Runs when this replica starts to keep to its share, after the store decided alone. */
  onStart(): void
  /** Runs when the store answers again. */
  onReturn(): void
}

const quietMs = 5_000
/** Replicas reconnect within three seconds, and report what they admitted as soon as they can. */
const othersReportMs = 10_000

export function createOutageWatch({ kv, replicas, now, log, onStart, onReturn }: OutageWatchDependencies): OutageWatch {
  let lastAt = Number.NEGATIVE_INFINITY
  const state: OutageState = { isOutage: false, shareUntil: Number.NEGATIVE_INFINITY }
  let outages = 0

  function keepToShare(forMs: number): void {
    if (now() >= state.shareUntil) onStart()
    state.shareUntil = Math.max(state.shareUntil, now() + forMs)
  }

  // What a store had counted before it was emptied is lost: no replica can report it.
  replicas.onRefill(() => {
    keepToShare(requestWindowMs)
    log.info('store was emptied, limiting requests to shares for a minute', { count: replicas.count() })
  })
  const unsubscribe = kv.subscribe(({ kind }) => {
    if (kind !== 'resync' && kind !== 'answers-again') return
    keepToShare(othersReportMs)
    onReturn()
  })

  return {
    note(outage) {
      keepToShare(outage === 'unseeded' ? requestWindowMs : othersReportMs)
      lastAt = now()
      if (state.isOutage) return
      state.isOutage = true
      outages += 1
      log.warn('store cannot count limits, counting them in this process', {
        ...describeOutage(outage),
        count: replicas.count(),
      })
    },
    noteStore() {
      // The store may lack one project and answer for all others, so one answer does not end an outage.
      if (!state.isOutage || now() - lastAt < quietMs) return
      state.isOutage = false
      log.info('counting limits in the store again')
    },
    state,
    outages: () => outages,
    stop: unsubscribe,
  }
}

function describeOutage(outage: Outage): LogFields {
  return outage === 'unseeded' ? { reason: outage } : { reason: 'unavailable', error: outage }
}
