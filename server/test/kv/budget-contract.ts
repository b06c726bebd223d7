// The part of the contract of all stores that budgets need.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { BudgetDemand, BudgetRequest } from '../../src/kv/budgets.ts'
import type { Store } from '../../src/kv/store.ts'
import type { HandClock } from './stores.ts'

const day = '2026-05-01'
const month = '2026-05'
const minuteMs = 60_000
const keepMs = 40 * 24 * 60 * minuteMs

function demand(overrides: Partial<BudgetDemand> = {}): BudgetDemand {
  return { period: day, scope: 'tenant', limit: 1_000, spent: 0, keepMs, ...overrides }
}

function budgetRequest(overrides: Partial<BudgetRequest> = {}): BudgetRequest {
  return {
    tenantId: 'tenant',
    requestId: randomUUID(),
    holder: 'replica',
    amount: 300,
    checkpoint: 100,
    demands: [demand()],
    ...overrides,
  }
}

export function describeBudgets(fresh: () => Store, clock: HandClock): void {
  const spentOf = (period = day) => fresh().findBudgetSpend('tenant', period)

  test('reserves whole amounts as long as they fit, whatever runs at once', async () => {
    const store = fresh()
    const all = await Promise.all(Array.from({ length: 50 }, () => store.reserveBudgets(budgetRequest())))
    expect(all.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(3)
    expect(all.filter(({ outcome }) => outcome === 'over')).toHaveLength(47)
    expect(all.at(-1)?.counts).toEqual([{ spent: 0, reserved: 900 }])
    expect(await store.reserveBudgets(budgetRequest({ amount: 101 }))).toMatchObject({ outcome: 'over' })
    expect(await store.reserveBudgets(budgetRequest({ amount: 100 }))).toMatchObject({ outcome: 'reserved' })
  })

  test('reserves of all counters or of none, exactly also for great sums', async () => {
    const store = fresh()
    const great = 1_000_000_000_000_001
    const small = demand({ period: month, scope: 'p:one', limit: 299 })
    const large = demand({ limit: great + 300, spent: great })
    const request = budgetRequest({ demands: [large, small] })
    expect(await store.reserveBudgets(request)).toEqual({
      outcome: 'over',
      counts: [
        { spent: great, reserved: 0 },
        { spent: 0, reserved: 0 },
      ],
    })
    const wider = { ...request, demands: [large, { ...small, limit: 300 }] }
    expect(await store.reserveBudgets(wider)).toEqual({
      outcome: 'reserved',
      counts: [
        { spent: great, reserved: 300 },
        { spent: 0, reserved: 300 },
      ],
    })
    expect(await store.settleBudgets('tenant', request.requestId, 298)).toEqual([
      { period: day, scope: 'tenant', spent: great + 298 },
      { period: month, scope: 'p:one', spent: 298 },
    ])
    expect(await spentOf()).toEqual([{ period: day, scope: 'tenant', spent: great + 298 }])
    expect(await spentOf(month)).toEqual([{ period: month, scope: 'p:one', spent: 298 }])
  })

  test('never takes a missing counter for 0', async () => {
    const store = fresh()
    const request = budgetRequest({ demands: [demand({ spent: null }), demand({ scope: 'p:one' })] })
    expect(await store.reserveBudgets(request)).toEqual({
      outcome: 'unseeded',
      counts: [null, { spent: 0, reserved: 0 }],
    })
    const seeded = { ...request, demands: [demand({ spent: 701 }), demand({ scope: 'p:one', spent: null })] }
    expect(await store.reserveBudgets(seeded)).toMatchObject({ outcome: 'over' })
    // What the database says raises a counter, and never lowers it.
    const again = { ...request, demands: [demand({ spent: 5 })] }
    expect((await store.reserveBudgets(again)).counts).toEqual([{ spent: 701, reserved: 0 }])
  })

  test('the same request id is accepted again with its reservation, and settles once', async () => {
    const store = fresh()
    const request = budgetRequest()
    await store.reserveBudgets(request)
    await store.reserveBudgets(budgetRequest({ amount: 700 }))
    expect(await store.reserveBudgets(request)).toMatchObject({ outcome: 'reserved', counts: [{ reserved: 1_000 }] })
    const settled = await Promise.all(
      Array.from({ length: 20 }, () => store.settleBudgets('tenant', request.requestId, 250)),
    )
    expect(settled.filter(spends => spends !== null)).toEqual([[{ period: day, scope: 'tenant', spent: 250 }]])
    expect(await store.settleBudgets('tenant', 'never made', 250)).toBeNull()
    expect(await store.settleBudgets('nobody', request.requestId, 250)).toBeNull()
    // What was not spent is free again.
    expect(await store.reserveBudgets(budgetRequest({ amount: 50 }))).toMatchObject({ outcome: 'reserved' })
    expect(await store.reserveBudgets(budgetRequest({ amount: 1 }))).toMatchObject({ outcome: 'over' })
  })

  test('settles in the period in which it was reserved', async () => {
    const store = fresh()
    const request = budgetRequest()
    await store.reserveBudgets(request)
    await store.reserveBudgets(budgetRequest({ demands: [demand({ period: '2026-05-02' })] }))
    await store.settleBudgets('tenant', request.requestId, 42)
    expect(await spentOf()).toEqual([{ period: day, scope: 'tenant', spent: 42 }])
    expect(await spentOf('2026-05-02')).toEqual([{ period: '2026-05-02', scope: 'tenant', spent: 0 }])
  })

  test('an ended replica leaves no reservation behind its lease, and is charged its last checkpoint', async () => {
    const store = fresh()
    const [short, long] = [budgetRequest(), budgetRequest()]
    await store.reserveBudgets(short)
    await store.reserveBudgets(long)
    clock.advance(14 * minuteMs)
    await store.checkpointBudgets('tenant', long.requestId, 222)
    await store.checkpointBudgets('tenant', 'never made', 222)
    expect(await store.sweepBudgets(['nobody', 'tenant'])).toBe(0)
    clock.advance(minuteMs)
    expect(await store.sweepBudgets(['nobody', 'tenant'])).toBe(1)
    expect(await spentOf()).toEqual([{ period: day, scope: 'tenant', spent: 100 }])
    clock.advance(14 * minuteMs)
    expect(await store.sweepBudgets(['tenant'])).toBe(1)
    expect(await spentOf()).toEqual([{ period: day, scope: 'tenant', spent: 322 }])
    expect(await store.settleBudgets('tenant', long.requestId, 500)).toBeNull()
    expect((await store.reserveBudgets(budgetRequest())).counts).toEqual([{ spent: 322, reserved: 300 }])
  })

  test('what an ended replica reserved is settled by its name at once, and nothing of others', async () => {
    const store = fresh()
    const [dead, alive] = [budgetRequest({ holder: 'dead' }), budgetRequest()]
    await store.reserveBudgets(dead)
    await store.reserveBudgets(alive)
    await store.checkpointBudgets('tenant', dead.requestId, 120)
    expect(await store.sweepBudgets(['nobody', 'tenant'], 'another')).toBe(0)
    expect(await store.sweepBudgets(['nobody', 'tenant'], 'dead')).toBe(1)
    expect(await spentOf()).toEqual([{ period: day, scope: 'tenant', spent: 120 }])
    expect(await store.settleBudgets('tenant', alive.requestId, 1)).not.toBeNull()
  })

  test("raises the counters that exist to the database's sums, and lowers none", async () => {
    const store = fresh()
    await store.reserveBudgets(budgetRequest({ demands: [demand(), demand({ scope: 'p:one', spent: 70 })] }))
    await store.raiseBudgetSpend('tenant', [
      { period: day, scope: 'tenant', spent: 500 },
      { period: day, scope: 'p:one', spent: 60 },
      { period: day, scope: 'p:two', spent: 80 },
      { period: month, scope: 'tenant', spent: 500 },
    ])
    const found = await spentOf()
    expect(found.sort((a, b) => a.spent - b.spent)).toEqual([
      { period: day, scope: 'p:one', spent: 70 },
      { period: day, scope: 'tenant', spent: 500 },
    ])
    expect(await spentOf(month)).toEqual([])
  })

  test('keeps the tenants apart, and forgets the reservations of a deleted one', async () => {
    const store = fresh()
    const request = budgetRequest()
    await store.reserveBudgets(request)
    expect(await store.findBudgetSpend('other', day)).toEqual([])
    await store.forgetTenant('tenant')
    expect(await store.settleBudgets('tenant', request.requestId, 10)).toBeNull()
  })

  test('rejects amounts that are no whole numbers', async () => {
    const store = fresh()
    await expect(store.reserveBudgets(budgetRequest({ amount: 0.5 }))).rejects.toThrow(RangeError)
    await expect(store.reserveBudgets(budgetRequest({ demands: [demand({ spent: -1 })] }))).rejects.toThrow(RangeError)
    await expect(store.settleBudgets('tenant', 'id', Number.NaN)).rejects.toThrow(RangeError)
  })
}
