// The gateway replicas that live, and so this one's share of a limit while the store is unreachable. Announces this replica
// regularly; the list that was last heard stands while the store is silent.
import type { Log } from '../../domain/log.ts'
import { type Store, StoreUnavailable } from '../../kv/store.ts'

export interface Replicas {
  count(): number
  /** This replica's part of a limit. The parts of replicas that know each other add up to exactly the limit. */
  shareOf(limit: number): number
  /** After the store was emptied and filled again. */
  onRefill(listener: () => void): void
  stop(): Promise<void>
}

interface ReplicasParts {
  kv: Pick<Store, 'announceCopy' | 'subscribe'>
  id: string
  now: () => number
  log: Log
}

const everyMs = 3_000
const lifeMs = 15_000

export function createReplicas({ kv, id, now, log }: ReplicasParts): Replicas {
  const members = createMembers(id, now)
  const listeners: Array<() => void> = []
  let filledAt: number | null = null
  let isAnnouncing = false
  let isDueAgain = false
  let isStopped = false

  async function announce(): Promise<void> {
    const heard = await kv.announceCopy(id, lifeMs)
    members.note(heard.ids)
    const isRefilled = filledAt !== null && heard.filledAt !== null && heard.filledAt !== filledAt
    filledAt = heard.filledAt ?? filledAt
    if (isRefilled) for (const listener of listeners) listener()
  }

  async function announceNow(): Promise<void> {
    isDueAgain = isAnnouncing
    if (isAnnouncing || isStopped) return
    isAnnouncing = true
    try {
      await announce()
    } catch (error) {
      members.noteSilence()
      if (!(error instanceof StoreUnavailable)) log.error('copy could not be announced', { error })
    }
    isAnnouncing = false
    if (isDueAgain) void announceNow()
  }

  const unsubscribe = kv.subscribe(({ kind }) => {
    if (kind === 'copies' || kind === 'resync') void announceNow()
  })
  void announceNow()
  const timer = setInterval(() => void announceNow(), everyMs)
  timer.unref()
  return {
    count: members.count,
    shareOf: members.shareOf,
    onRefill: listener => void listeners.push(listener),
    async stop() {
      isStopped = true
      clearInterval(timer)
      unsubscribe()
      await kv.announceCopy(id, 0).catch((error: unknown) => {
        // Silence ends its life as well.
        if (!(error instanceof StoreUnavailable)) log.error('copy could not be announced', { error })
      })
    },
  }
}

/**
 * Every replica sorts the same ids, and the first ones take the remainder. A replica that is missing from the list counts
 * for as long as a silent one: an emptied store lists only those that have announced themselves again.
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
    /** While nobody can announce, nobody is missing. */
    noteSilence: (): void => missingSince.clear(),
    count: (): number => ids.length,
    shareOf: (limit: number): number => Math.floor(limit / ids.length) + (rank < limit % ids.length ? 1 : 0),
  }
}
