// Whether the store is away, and until when this replica keeps to its share of the limits: while it counts by itself, and
// after that until the store knows what the others admitted meanwhile. Knows no request.
import type { Log, LogFields } from '../../domain/log.ts'
import { requestWindowMs } from '../../kv/admission-arithmetic.ts'
import type { Store, StoreUnavailable } from '../../kv/store.ts'
import type { Replicas } from './replicas.ts'

/** Empty, or why it cannot be asked. */
export type Outage = 'unseeded' | StoreUnavailable

export interface OutageWatch {
  /** A request is to be admitted without the store. */
  note(outage: Outage): void
  /** The store has answered. */
  noteStore(): void
  isOutage(): boolean
  keepsToShare(): boolean
  /** How often an outage began. */
  outages(): number
  stop(): void
}

interface OutageWatchParts {
  kv: Pick<Store, 'subscribe'>
  replicas: Pick<Replicas, 'count' | 'onRefill'>
  now: () => number
  log: Log
  /** This replica begins to keep to its share, after the store decided alone. */
  onStart(): void
  /** The store answers again. */
  onReturn(): void
}

const quietMs = 5_000
/** Replicas reconnect within three seconds, and report what they admitted as soon as they can. */
const othersReportMs = 10_000

export function createOutageWatch({ kv, replicas, now, log, onStart, onReturn }: OutageWatchParts): OutageWatch {
  let lastAt = Number.NEGATIVE_INFINITY
  let shareUntil = Number.NEGATIVE_INFINITY
  let isOutage = false
  let outages = 0

  function keepToShare(forMs: number): void {
    if (now() >= shareUntil) onStart()
    shareUntil = Math.max(shareUntil, now() + forMs)
  }

  // Nobody can report to an emptied store what it had counted.
  replicas.onRefill(() => {
    keepToShare(requestWindowMs)
    log.info('limits kept to shares for a minute, as the store was emptied', { count: replicas.count() })
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
      if (isOutage) return
      isOutage = true
      outages += 1
      log.warn('limits counted in this process', { ...describeOutage(outage), count: replicas.count() })
    },
    noteStore() {
      // One project may be missing from a store that answers for all others.
      if (!isOutage || now() - lastAt < quietMs) return
      isOutage = false
      log.info('limits counted in the store again')
    },
    isOutage: () => isOutage,
    keepsToShare: () => now() < shareUntil,
    outages: () => outages,
    stop: unsubscribe,
  }
}

function describeOutage(outage: Outage): LogFields {
  return outage === 'unseeded' ? { reason: outage } : { reason: 'unavailable', error: outage }
}
