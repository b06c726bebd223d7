// Tests what calls are charged to their budgets when a day ends, the store is emptied, or is unavailable, with a clock
// of the test and the worker's jobs.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Budget } from '../../../src/domain/budgets/budget.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { createBudgetCharges } from '../../../src/inference/budget/charge-budgets.ts'
import { putTenantBudgets } from '../../../src/storage/budgets/budget-rows.ts'
import { listTenantEvents } from '../../../src/storage/webhooks/tenant-events.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import {
  type ChargeWorld,
  day,
  million,
  month,
  noon,
  openChargeWorld,
  prices,
  refusal,
  target,
  usd,
  watchRows,
} from './charge-stage.ts'

const hourMs = 3_600_000
const clock = createHandClock(noon)
let world: ChargeWorld
beforeEach(async () => {
  clock.set(noon)
  world = await openChargeWorld(clock)
})

const turnOf = (budgets: Budget[]) => world.turnOf(budgets)
const reserve = (budgets: Budget[], requestId?: string) =>
  world.reserve(budgets, requestId === undefined ? {} : { requestId })
const addRow: ChargeWorld['addRow'] = (...row) => world.addRow(...row)
const spentOf = (period: string) => world.spentOf(period)

describe('a call over the end of its month', () => {
  const both: Budget[] = [
    { usd: usd(1_000), period: 'day' },
    { usd: usd(1_000), period: 'month' },
  ]

  test('is charged to the day and the month in which it was reserved', async () => {
    const requestId = randomUUID()
    const hold = await reserve(both, requestId)
    expect(hold?.day).toBe('2026-05-31')
    clock.advance(13 * hourMs)
    await reserve(both)
    hold?.settle(70)
    await expect.poll(() => spentOf('2026-05-31')).toBe(70)
    expect([await spentOf('2026-05'), await spentOf('2026-06-01'), await spentOf('2026-06')]).toEqual([70, 0, 0])

    // Its usage row is of the new day. An emptied store must not charge the new periods for it.
    await addRow(requestId, 70, '2026-06-01', '2026-05-31')
    await addRow(randomUUID(), 5, '2026-06-01')
    world.empty()
    await reserve(both)
    expect([await spentOf('2026-06-01'), await spentOf('2026-06')]).toEqual([5, 5])
    clock.set(noon)
    await reserve(both)
    expect([await spentOf('2026-05-31'), await spentOf('2026-05')]).toEqual([70, 70])
  })
})

test('an emptied store gives nothing back, and what it missed is counted later', async () => {
  const running = await reserve(day(300))
  await addRow(randomUUID(), 150, '2026-05-31')
  world.empty()
  // 150 of 300 are spent.
  const next = await reserve(day(300))
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  next?.settle(20)
  running?.settle(60)
  await expect.poll(() => spentOf('2026-05-31')).toBe(170)
  await addRow(randomUUID(), 20, '2026-05-31')
  await addRow(randomUUID(), 60, '2026-05-31')
  await world.raise()
  expect(await spentOf('2026-05-31')).toBe(230)
  await expect(reserve(day(300))).rejects.toBeInstanceOf(Refusal)
  expect(world.refusals).toEqual(['project reserved', 'project spent'])
})

test('while the store is unavailable the database counts, and the store catches up', async () => {
  const first = await reserve(day(300))
  first?.settle(100)
  await expect.poll(() => spentOf('2026-05-31')).toBe(100)
  await addRow(randomUUID(), 100, '2026-05-31')
  world.setReachable(false)
  const second = await reserve(day(300))
  const third = await reserve(day(300))
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  second?.settle(90)
  third?.release()
  await addRow(randomUUID(), 90, '2026-05-31')
  // Another replica's, which is known a second later.
  await addRow(randomUUID(), 15, '2026-05-31')
  clock.advance(2_000)
  await expect(reserve(day(300))).rejects.toMatchObject({ ...refusal, details: { retryAfterSeconds: 12 * 3_600 - 2 } })
  world.setReachable(true)
  await expect(reserve(day(300))).rejects.toMatchObject(refusal)
  expect(await spentOf('2026-05-31')).toBe(205)
  expect(await reserve(day(305))).not.toBeNull()
})

test('a budget in force costs one call of the store, none costs none', async () => {
  world.setReachable(false)
  expect(world.charges.reserve(turnOf([]), [target])).toSatisfy(value => value === null || value instanceof Promise)
  expect(await world.charges.reserve(turnOf([]), [target])).toBeNull()
  expect(world.charges.reserve(turnOf([]), [target])).toBeNull()
  expect(world.lines).toEqual([])
})

test('the dearest of several targets is reserved, and one without a price is rejected', async () => {
  const dear = { modelId: 'openai/dear', prices: { ...prices, output: 3 * million } }
  await expect(world.charges.reserve(turnOf(day(299)), [target, dear])).rejects.toMatchObject(refusal)
  expect(await world.charges.reserve(turnOf(day(300)), [dear, target])).not.toBeNull()
  const unpriced = async () =>
    world.charges.reserve(turnOf(day(1_000)), [target, { modelId: 'openai/new', prices: null }])
  await expect(unpriced()).rejects.toMatchObject({ code: 'model_not_priced' })
})

test('each threshold is recorded once, also by several replicas at once', async () => {
  const budgets = day(100)
  const replicas = [world.charges, ...Array.from({ length: 4 }, () => anotherReplica())]
  for (const replica of replicas) {
    for (const cost of [0, 20, 0]) (await replica.reserve(turnOf(day(1_000)), [target]))?.settle(cost)
  }
  await expect.poll(() => spentOf('2026-05-31')).toBe(100)
  // All of them find the budget used up.
  await Promise.all(replicas.map(replica => expect(replica.reserve(turnOf(budgets), [target])).rejects.toBeDefined()))
  await Promise.all(replicas.map(replica => replica.stop()))
  const events = await listTenantEvents(
    world.sql,
    { tenantId: world.tenantId, type: 'budget_alert' },
    { after: null, limit: 100 },
  )
  const found = events.map(({ data }) => JSON.parse(data)).sort((a, b) => a.threshold - b.threshold)
  expect(found).toEqual([50, 80, 100].map(threshold => ({ level: 'project', threshold, usd: usd(100), period: 'day' })))
})

function anotherReplica() {
  const { sql, store } = world
  const { log } = createMemoryLog()
  return createBudgetCharges({
    replicaId: 'replica',
    sql,
    rows: watchRows(sql, clock.now, log),
    kv: store(),
    writeUsage: () => Promise.resolve(),
    metrics: { budgetRefused: () => undefined },
    now: clock.now,
    log,
  })
}

test('a tenant\u2019s budget is rebuilt from the usage of all its projects', async () => {
  const { sql, tenantId } = world
  await addRow(randomUUID(), 150, '2026-05-31')
  await world.addRowOfSecond(60, '2026-05-31')
  world.empty()
  // 210 are spent, and the call may cost 100.
  for (const [limit, isEnough] of [
    [309, false],
    [310, true],
  ] as const) {
    await putTenantBudgets(sql, tenantId, month(limit), clock.now())
    const replica = anotherReplica()
    const reserved = Promise.resolve(replica.reserve(turnOf([]), [target]))
    if (isEnough) expect(await reserved).not.toBeNull()
    else await expect(reserved).rejects.toMatchObject(refusal)
    await replica.stop()
  }
})
