// Turns reservations into spent tokens once calls have ended. The response does not wait for it, and a settlement that
// failed is retried until the store has taken it.

import type { Log } from '../../domain/log.ts'
import { createSettlementQueue, type SettlementQueue } from '../../kv/settlement-queue.ts'
import { type Admissions, StoreUnavailable } from '../../kv/store.ts'

export type Ledger = Pick<Admissions, 'settle' | 'checkpoint'>

export interface Settlements extends Pick<SettlementQueue, 'counters' | 'stop'> {
  settle(ledger: Ledger, projectId: string, requestId: string, tokens: number): void
  /** Takes back what an admission with an unknown outcome may have charged. */
  withdraw(ledger: Pick<Admissions, 'withdraw'>, projectId: string, requestId: string): void
  checkpoint(ledger: Ledger, projectId: string, requestId: string, tokens: number): void
}

/** Fewer than may wait, so that there is space left for the settlements of spent tokens. */
const maxWithdrawals = 10_000

export function createSettlements(options: { log: Log; retryEveryMs?: number }): Settlements {
  const { log } = options
  const queue = createSettlementQueue(options)
  return {
    settle: (ledger, projectId, requestId, tokens) =>
      queue.run({ requestId, settle: () => ledger.settle(projectId, requestId, tokens) }),
    withdraw: (ledger, projectId, requestId) =>
      queue.keep({ requestId, settle: () => ledger.withdraw(projectId, requestId) }, maxWithdrawals),
    checkpoint(ledger, projectId, requestId, tokens) {
      ledger.checkpoint(projectId, requestId, tokens).catch((error: unknown) => {
        // The next checkpoint follows within seconds.
        if (!(error instanceof StoreUnavailable)) log.error('checkpoint failed', { request_id: requestId, error })
      })
    },
    counters: queue.counters,
    stop: queue.stop,
  }
}
