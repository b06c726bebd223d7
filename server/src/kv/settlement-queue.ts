// Makes settlements without letting the caller wait, and retries one that failed until the store has taken it.

import { createLiveSet } from '../collections/live-set.ts'
import { createTicker } from '../collections/ticker.ts'
import type { Log } from '../domain/log.ts'
import { type MaybePromise, type Settlement, StoreUnavailable } from './store.ts'

export interface SettlementQueue {
  run(settlement: WaitingSettlement): void
  /** Only queues it, unless `max` are waiting. */
  keep(settlement: WaitingSettlement, max: number): void
  readonly counters: Readonly<SettlementCounters>
  /** Waits for the settlements in progress, and tries the waiting ones once more. */
  stop(): Promise<void>
}

export interface SettlementCounters {
  settled: number
  /** The store did not know the reservation: settled before, or swept. */
  unknown: number
  retried: number
  /** The queue was full; these are settled at their last checkpoint when their lease ends. */
  dropped: number
}

export interface WaitingSettlement {
  requestId: string
  settle(): MaybePromise<Settlement>
}

const maxWaiting = 100_000
const atOnce = 50
const retryMs = 500

export function createSettlementQueue({
  log,
  retryEveryMs = retryMs,
}: {
  log: Log
  retryEveryMs?: number
}): SettlementQueue {
  const counters: SettlementCounters = { settled: 0, unknown: 0, retried: 0, dropped: 0 }
  const underWay = createLiveSet<Promise<unknown>>()

  function track(work: Promise<unknown>): void {
    const seat = underWay.add(work)
    void work.then(() => underWay.remove(seat))
  }

  async function attempt(settlement: WaitingSettlement): Promise<boolean> {
    try {
      const settled = settlement.settle()
      counters[settled instanceof Promise ? await settled : settled] += 1
      return true
    } catch (error) {
      if (error instanceof StoreUnavailable) keep(settlement, maxWaiting)
      else log.error('settlement failed', { request_id: settlement.requestId, error })
      return false
    }
  }

  const queue = createQueue(attempt, counters)
  const ticker = createTicker(retryEveryMs, () => {
    if (!queue.isOffering()) track(queue.offerAll())
    return queue.isOffering() || queue.size() > 0
  })

  function keep(settlement: WaitingSettlement, max: number): void {
    if (queue.size() >= max) {
      counters.dropped += 1
      return
    }
    queue.add(settlement)
    ticker.start()
  }

  return {
    run: settlement => track(attempt(settlement)),
    keep,
    counters,
    async stop() {
      ticker.stop()
      await Promise.all(underWay.members())
      await queue.offerAll()
      if (queue.size() > 0)
        log.warn('settlements not sent, their leases settle them on expiry', { count: queue.size() })
    },
  }
}

/** Settlements that wait for an unavailable store, retried `atOnce` at a time. */
function createQueue(attempt: (settlement: WaitingSettlement) => Promise<boolean>, counters: SettlementCounters) {
  const waiting: WaitingSettlement[] = []
  let isOffering = false

  async function offerAll(): Promise<void> {
    isOffering = true
    for (let left = waiting.length; left > 0; left -= atOnce) {
      const some = waiting.splice(0, Math.min(atOnce, left))
      counters.retried += some.length
      const taken = await Promise.all(some.map(attempt))
      // A store that takes none of them is still unavailable.
      if (!taken.includes(true)) break
    }
    isOffering = false
  }

  return {
    add: (settlement: WaitingSettlement) => void waiting.push(settlement),
    size: () => waiting.length,
    isOffering: () => isOffering,
    offerAll,
  }
}
