// Tests that each call is settled exactly once and eventually, regardless of failures of the store.
import { expect, onTestFinished, test } from 'vitest'
import { createSettlements, type Ledger } from '../../../src/gateway/admission/settle.ts'
import { type Admissions, type Settlement, StoreUnavailable } from '../../../src/kv/store.ts'
import { createMemoryLog } from '../../kv/stores.ts'

/** A ledger that is unavailable until the test changes that, and records what it settled. */
function unreliableLedger() {
  const taken = new Map<string, number>()
  let isAway = true
  let asked = 0
  const ledger: Ledger & Pick<Admissions, 'withdraw'> = {
    withdraw: (projectId, requestId) => ledger.settle(projectId, requestId, 0) as Promise<Settlement>,
    async settle(_projectId, requestId, tokens) {
      asked += 1
      if (isAway) throw new StoreUnavailable()
      if (taken.has(requestId)) return 'unknown'
      taken.set(requestId, tokens)
      return 'settled'
    },
    async checkpoint() {
      throw new StoreUnavailable()
    },
  }
  return {
    ledger,
    taken,
    asked: () => asked,
    comeBack: () => {
      isAway = false
    },
  }
}

function create() {
  const { log, lines } = createMemoryLog()
  const settlements = createSettlements({ log, retryEveryMs: 20 })
  onTestFinished(() => settlements.stop())
  return { settlements, lines }
}

test('what could not be settled is offered again until it is', async () => {
  const { settlements } = create()
  const { ledger, taken, asked, comeBack } = unreliableLedger()
  for (let i = 0; i < 500; i++) settlements.settle(ledger, 'p', `r${i}`, i)
  await expect.poll(asked).toBeGreaterThan(520)
  comeBack()
  await expect.poll(() => taken.size).toBe(500)
  for (let i = 0; i < 500; i++) expect(taken.get(`r${i}`)).toBe(i)
  expect(settlements.counters).toMatchObject({ settled: 500, unknown: 0, dropped: 0 })
})

test('a store that is away is asked with a few each time, not with all', async () => {
  const { settlements } = create()
  const { ledger, asked } = unreliableLedger()
  for (let i = 0; i < 5_000; i++) settlements.settle(ledger, 'p', `r${i}`, i)
  await expect.poll(asked).toBeGreaterThan(5_000)
  expect(asked()).toBeLessThan(5_500)
})

test('what is given back is bounded and counted, and leaves room for what was spent', async () => {
  const { settlements } = create()
  const { ledger } = unreliableLedger()
  for (let i = 0; i < 10_500; i++) settlements.withdraw(ledger, 'p', `r${i}`)
  expect(settlements.counters.dropped).toBe(500)
  settlements.settle(ledger, 'p', 'spent', 1)
  await Promise.resolve()
  expect(settlements.counters.dropped).toBe(500)
})

test('a stop offers what is left once more, and says what stays', async () => {
  const { log, lines } = createMemoryLog()
  const settlements = createSettlements({ log, retryEveryMs: 60_000 })
  const { ledger, taken, comeBack } = unreliableLedger()
  settlements.settle(ledger, 'p', 'r', 7)
  await new Promise(resolve => setImmediate(resolve))
  comeBack()
  await settlements.stop()
  expect(taken).toEqual(new Map([['r', 7]]))
  expect(lines).toEqual([])
})

test('a fault that is none of the store does not repeat itself', async () => {
  const { settlements, lines } = create()
  let asked = 0
  const ledger: Ledger = {
    async settle() {
      asked += 1
      throw new RangeError('not a count')
    },
    checkpoint: () => Promise.resolve(),
  }
  settlements.settle(ledger, 'p', 'r', 1)
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(asked).toBe(1)
  expect(lines.map(({ event }) => event)).toEqual(['settlement failed'])
})
