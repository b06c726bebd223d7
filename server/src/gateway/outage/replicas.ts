// Tracks the running gateway replicas, and computes this one's share of a limit while the store is unavailable. Sends
// this replica's heartbeat regularly; while the store does not answer, the last list stays valid.
import type { Log } from '../../domain/log.ts'
import { type Store, StoreUnavailable } from '../../kv/store.ts'

export interface Replicas {
  count(): number
  /** This replica's share of a limit. The shares of replicas that know the same list add up to exactly the limit. */
  shareOf(limit: number): number
  /** The listener runs after the store was emptied and filled again. */
  onRefill(listener: () => void): void
  stop(): Promise<void>
}

interface ReplicasDependencies {
  kv: Pick<Store, 'announceReplica' | 'subscribe'>
  id: string
  now: () => number
  log: Log
}

/** In `due again` it is announcing, and was asked to meanwhile. */
type Phase = 'resting' | 'announcing' | 'due again' | 'stopped'

const everyMs = 3_000
const lifeMs = 15_000

export function createReplicas({ kv, id, now, log }: ReplicasDependencies): Replicas {
  const members = createMembers(id, now)
  const listeners: Array<() => void> = []
  let filledAt: number | null = null
  let phase: Phase = 'resting'

  async function announce(): Promise<void> {
    const heard = await kv.announceReplica(id, lifeMs)
    members.note(heard.ids)
    const isRefilled = filledAt !== null && heard.filledAt !== null && heard.filledAt !== filledAt
    filledAt = heard.filledAt ?? filledAt
    if (isRefilled) for (const listener of listeners) listener()
  }

  async function announceNow(): Promise<void> {
    if (phase === 'announcing') phase = 'due again'
    if (phase !== 'resting') return
    phase = 'announcing'
    try {
      await announce()
    } catch (error) {
      members.noteSilence()
      if (!(error instanceof StoreUnavailable)) log.error('heartbeat of this replica could not be sent', { error })
    }
    conclude()
  }

  function conclude(): void {
    const isDue = phase === 'due again'
    if (phase !== 'stopped') phase = 'resting'
    if (isDue) void announceNow()
  }

  const unsubscribe = kv.subscribe(({ kind }) => {
    if (kind === 'replicas' || kind === 'resync') void announceNow()
  })
  void announceNow()
  const timer = setInterval(() => void announceNow(), everyMs)
  timer.unref()
  return {
    count: members.count,
    shareOf: members.shareOf,
    onRefill: listener => void listeners.push(listener),
    async stop() {
      phase = 'stopped'
      clearInterval(timer)
      unsubscribe()
      await kv.announceReplica(id, 0).catch((error: unknown) => {
        // Without heartbeats this replica expires as well.
        if (!(error instanceof StoreUnavailable)) log.error('heartbeat of this replica could not be sent', { error })
      })
    },
  }
}

/**
 * All replicas sort the same ids, and the first ones take the remainder. A replica that is missing from the list counts
 * for another `lifeMs`: a store that was emptied lists only replicas that have announced themselves again.
 */
function createMembers(ownId: string, now: () => number) {
  let ids = [ownId]
  let rank = 0
  const missingSince = new Map<string, number>()

  function isMissed(id: string): boolean {
    const since = missingSince.get(id) ?? now()
    const isOver = now() - since >= lifeMs
    if (isOver) missingSince.delete(id)
    else missingSince.set(id, since)
    return !isOver
  }

  return {
    note(heard: readonly string[]): void {
      const living = new Set([ownId, ...heard])
      for (const id of living) missingSince.delete(id)
      ids = [...living, ...ids.filter(id => !living.has(id) && isMissed(id))].sort()
      rank = ids.indexOf(ownId)
    },
    /** While the store is unavailable no replica can announce itself, so none counts as missing. */
    noteSilence: (): void => missingSince.clear(),
    count: (): number => ids.length,
    shareOf: (limit: number): number => Math.floor(limit / ids.length) + (rank < limit % ids.length ? 1 : 0),
  }
}
