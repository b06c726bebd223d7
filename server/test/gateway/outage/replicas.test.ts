// Tests which other replicas a replica knows, and its share of a limit: over real stores in the process, which the test
// replaces.
import { expect, onTestFinished, test } from 'vitest'
import { createReplicas } from '../../../src/gateway/outage/replicas.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { type StoreChange, StoreUnavailable } from '../../../src/kv/store.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'

const lifeMs = 15_000

function open(ids: readonly string[]) {
  const clock = createHandClock(1_000_000)
  const { log, lines } = createMemoryLog()
  const makeStore = () => createProcessStore({ now: clock.now, log })
  let store = makeStore()
  let isAway = false
  const listeners = new Set<(change: StoreChange) => void>()
  const kv = {
    announceReplica: (id: string, life: number) =>
      isAway ? Promise.reject(new StoreUnavailable('connection')) : store.announceReplica(id, life),
    subscribe(listener: (change: StoreChange) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const replicas = ids.map(id => createReplicas({ kv, id, now: clock.now, log }))
  onTestFinished(async () => {
    await Promise.all(replicas.map(replica => replica.stop()))
  })
  /** Does what a timer or a message does in the product. */
  const announce = async (...which: number[]) => {
    const all = [...listeners]
    for (const at of which) all[at]?.({ kind: 'replicas' })
    await new Promise(resolve => setImmediate(resolve))
  }
  const everybody = ids.map((_, at) => at)
  return {
    clock,
    replicas,
    lines,
    announce,
    counts: () => replicas.map(replica => replica.count()),
    shares: (limit: number) => replicas.map(replica => replica.shareOf(limit)).toSorted((a, b) => a - b),
    meet: async () => {
      await announce(...everybody)
      await announce(...everybody)
    },
    empty: () => {
      store = makeStore()
    },
    fill: async () => store.markSeeded(await store.startFilling()),
    leave: () => {
      isAway = true
    },
    comeBack: () => {
      isAway = false
    },
  }
}

test('the shares of replicas that know each other add up to the limit, and differ by one at most', async () => {
  const { shares, meet } = open(['c', 'a', 'b'])
  await meet()
  expect(shares(40)).toEqual([13, 13, 14])
  expect(shares(41)).toEqual([13, 14, 14])
  expect(shares(42)).toEqual([14, 14, 14])
  expect(shares(1)).toEqual([0, 0, 1])
  expect(shares(0)).toEqual([0, 0, 0])
})

test('a store that came back empty lists who announced itself again, and the others count as long as silent ones', async () => {
  const { clock, replicas, announce, counts, meet, empty } = open(['a', 'b', 'c'])
  await meet()
  empty()
  await announce(0)
  expect(counts()).toEqual([3, 3, 3])
  expect(replicas[0]?.shareOf(40)).toBe(14)
  clock.advance(lifeMs - 1)
  await announce(0)
  expect(replicas[0]?.count()).toBe(3)
  clock.advance(1)
  await announce(0)
  expect(replicas[0]?.count()).toBe(1)
  await announce(1, 2)
  await announce(0, 1, 2)
  expect(counts()).toEqual([3, 3, 3])
})

test('while the store is away nobody is missed, however long', async () => {
  const { clock, announce, counts, meet, empty, leave, comeBack } = open(['a', 'b', 'c'])
  await meet()
  empty()
  await announce(0)
  leave()
  clock.advance(lifeMs)
  await announce(0, 1, 2)
  expect(counts()).toEqual([3, 3, 3])
  comeBack()
  await announce(0)
  expect(counts()).toEqual([3, 3, 3])
})

test('a replica hears that the store was emptied and filled anew, not that it was filled for the first time', async () => {
  const { clock, replicas, announce, empty, fill } = open(['a'])
  let refills = 0
  replicas[0]?.onRefill(() => {
    refills += 1
  })
  await announce(0)
  await fill()
  await announce(0)
  await announce(0)
  expect(refills).toBe(0)
  clock.advance(1)
  empty()
  await announce(0)
  expect(refills).toBe(0)
  await fill()
  await announce(0)
  await announce(0)
  expect(refills).toBe(1)
})
