// Notes the reservations that another process makes, to settle them at once if it ends without having done so. Without
// this they would be held until their lease ends.
import type { Log } from '../../domain/log.ts'
import type { Budgets } from '../budgets.ts'
import type { Admissions, Store } from '../store.ts'

interface Held {
  /** The project of tokens, the tenant of budgets. */
  ownerId: string
  requestId: string
  /** What is charged; the store itself would charge the same when the lease ends. */
  checkpoint: number
}

type Watched = Pick<Admissions, 'admit' | 'settle' | 'withdraw' | 'checkpoint'> &
  Pick<Budgets, 'reserveBudgets' | 'settleBudgets' | 'checkpointBudgets'>

export function watchReservations(store: Store, log: Log): { intentions: Watched; settleAll(): Promise<void> } {
  const tokens = createHeld()
  const money = createHeld()
  let hasEnded = false
  const intentions: Watched = {
    admit(request) {
      const admission = store.admit(request)
      const { projectId: ownerId, requestId, tokens: estimate } = request
      // Noted before the outcome is known, because the other process may end meanwhile; settling a reservation that was
      // never made changes nothing.
      if (estimate !== null) tokens.add({ ownerId, requestId, checkpoint: estimate.prompt })
      if (estimate !== null && !(admission instanceof Promise) && !admission.admitted) tokens.remove(requestId)
      return admission
    },
    settle(projectId, requestId, spent) {
      tokens.remove(requestId)
      return store.settle(projectId, requestId, spent)
    },
    withdraw(projectId, requestId) {
      tokens.remove(requestId)
      return store.withdraw(projectId, requestId)
    },
    checkpoint(projectId, requestId, spent) {
      tokens.renew(requestId, spent)
      return store.checkpoint(projectId, requestId, spent)
    },
    async reserveBudgets(request) {
      const { tenantId: ownerId, requestId, checkpoint } = request
      const reservation = await store.reserveBudgets(request)
      if (reservation.outcome === 'reserved') money.add({ ownerId, requestId, checkpoint })
      // The process ended while the store answered.
      if (hasEnded) await settleAll()
      return reservation
    },
    settleBudgets(tenantId, requestId, amount) {
      money.remove(requestId)
      return store.settleBudgets(tenantId, requestId, amount)
    },
    checkpointBudgets(tenantId, requestId, amount) {
      money.renew(requestId, amount)
      return store.checkpointBudgets(tenantId, requestId, amount)
    },
  }

  async function settleAll(): Promise<void> {
    hasEnded = true
    const settling = [
      ...tokens.takeAll().map(async held => store.settle(held.ownerId, held.requestId, held.checkpoint)),
      ...money.takeAll().map(held => store.settleBudgets(held.ownerId, held.requestId, held.checkpoint)),
    ]
    if (settling.length === 0) return
    log.info('settled the reservations of a process that ended', { count: settling.length })
    for (const { status, ...outcome } of await Promise.allSettled(settling)) {
      if (status === 'rejected') log.error('a reservation was not settled', { error: Object.values(outcome)[0] })
    }
  }

  return { intentions, settleAll }
}

function createHeld() {
  const held = new Map<string, Held>()
  return {
    add: (one: Held): void => void held.set(one.requestId, one),
    remove: (requestId: string): void => void held.delete(requestId),
    renew(requestId: string, checkpoint: number): void {
      const known = held.get(requestId)
      if (known !== undefined) known.checkpoint = checkpoint
    },
    takeAll(): Held[] {
      const all = [...held.values()]
      held.clear()
      return all
    },
  }
}
