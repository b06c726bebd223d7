// Tests the reservations of budgets where several budgets, an outage or an error could let a call spend too much.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { BudgetHold } from '../../../src/inference/budget/budget-hold.ts'
import { putEndUserBudgets, putTenantBudgets } from '../../../src/storage/budgets/budget-rows.ts'
import { listTenantEvents } from '../../../src/storage/webhooks/tenant-events.ts'
import { createHandClock } from '../../kv/stores.ts'
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
} from './charge-stage.ts'

const dayMs = 86_400_000
const clock = createHandClock(noon)
let world: ChargeWorld
beforeEach(async () => {
  clock.set(noon)
  world = await openChargeWorld(clock)
})

describe('of several budgets', () => {
  test.each([
    ['end_user', 1_000, 150],
    ['tier', 150, 1_000],
  ])('of one end user the smallest counts, here that of the %s', async (level, ofTier, own) => {
    const { sql, projectId, reserve, refusals } = world
    await putEndUserBudgets(sql, { projectId, userId: 'alice' }, day(own), noon)
    const tier = day(ofTier)
    await reserve([], { tier })
    await expect(reserve([], { tier })).rejects.toMatchObject(refusal)
    expect(refusals).toEqual([`${level} reserved`])
    // Another user has a counter of their own, and no budget but the tier's.
    await reserve([], { tier, userId: 'bob' })
  })

  test('all are reserved or none is', async () => {
    const { sql, tenantId, projectId, reserve, refusals } = world
    await putTenantBudgets(sql, tenantId, day(250), noon)
    await putEndUserBudgets(sql, { projectId, userId: 'alice' }, day(150), noon)
    await reserve([])
    await expect(reserve([])).rejects.toMatchObject(refusal)
    expect(refusals).toEqual(['end_user reserved'])
    // What was refused has reserved nothing of the tenant's 250.
    await reserve([], { userId: 'bob' })
    await expect(reserve([], { userId: 'carol' })).rejects.toMatchObject(refusal)
    expect(refusals.at(-1)).toBe('tenant reserved')
  })

  test('that are used up, the one that ends last says when to retry', async () => {
    clock.set(Date.UTC(2026, 4, 15, 12))
    const budgets = [...day(100), ...month(100)]
    const hold = await world.reserve(budgets)
    hold?.settle(100)
    await expect.poll(() => world.spentOf('2026-05')).toBe(100)
    await expect(world.reserve(budgets)).rejects.toMatchObject({
      ...refusal,
      message: 'The budget of the month is used up',
      details: { retryAfterSeconds: 16.5 * 86_400 },
    })
  })
})

test('the longest answer is the one that the project allows', async () => {
  await world.reserve(day(100), { maxOutputTokens: 50 })
  await world.reserve(day(100), { maxOutputTokens: 50 })
  await expect(world.reserve(day(100), { maxOutputTokens: 50 })).rejects.toMatchObject(refusal)
})

test('the whole prompt is reserved, also what the client did not send', async () => {
  // The client has sent ten tokens; the rest is remembered. Each costs a nano-dollar.
  const messages = [{ role: 'user' as const, content: 'harbour '.repeat(300) }]
  const priced = [{ ...target, prices: { ...prices, input: million } }]
  // The estimate of the request holds if it is greater, as that of an image.
  await expect(world.reserve(day(109), {}, priced)).rejects.toMatchObject(refusal)
  await expect(world.reserve(day(300), { messages }, priced)).rejects.toMatchObject(refusal)
  expect(await world.reserve(day(1_000), { messages }, priced)).not.toBeNull()
})

test('a counter outlives its period by two days, for calls that end after it', async () => {
  await world.reserve([...day(100), ...month(100)])
  const [first] = world.reserved
  expect(first?.demands.map(({ keepMs }) => keepMs)).toEqual([2.5 * dayMs, 2.5 * dayMs])
})

describe('a store', () => {
  test('whose answer was lost has reserved, and gets that back', async () => {
    // From here on, the store has the counter.
    const first = await world.reserve(day(150))
    first?.settle(1)
    await expect.poll(() => world.spentOf('2026-05-31')).toBe(1)
    world.setLosing(true)
    const hold = await world.reserve(day(150))
    expect(hold).not.toBeNull()
    hold?.release()
    world.setLosing(false)
    // The reservation that nobody knew of would leave 50.
    await expect.poll(() => world.reserve(day(150)).catch(() => null)).not.toBeNull()
  })

  test('that is empty counts what was not written yet', async () => {
    let writes = 0
    world.setWriteUsage(async () => {
      if (writes++ === 0) await world.addRow(randomUUID(), 60, '2026-05-31')
    })
    await expect(world.reserve(day(150))).rejects.toMatchObject(refusal)
    expect(await world.spentOf('2026-05-31')).toBe(60)
  })

  test('that is empty admits nothing if what was spent cannot be read for another reason than an outage', async () => {
    await world.sql.schema.alterTable('usage_days').renameTo('usage_days_away').execute()
    await expect(world.reserve(day(150))).rejects.toThrow(/usage_days/)
    await world.sql.schema.alterTable('usage_days_away').renameTo('usage_days').execute()
    expect(await world.reserve(day(150))).not.toBeNull()
  })
})

test('an alert that could not be recorded is recorded by the next call', async () => {
  const alerts = async () => {
    const page = { after: null, limit: 10 }
    return await listTenantEvents(world.sql, { tenantId: world.tenantId, type: 'budget_alert' }, page)
  }
  await world.sql.schema.alterTable('budget_alerts').renameTo('budget_alerts_away').execute()
  const first = await world.reserve(day(1_000))
  first?.settle(600)
  await expect.poll(() => JSON.stringify(world.lines)).toContain('alert of a budget could not be recorded')
  expect(await alerts()).toEqual([])
  await world.sql.schema.alterTable('budget_alerts_away').renameTo('budget_alerts').execute()
  const second = await world.reserve(day(1_000))
  second?.settle(1)
  await expect.poll(async () => (await alerts()).map(({ data }) => JSON.parse(data).threshold)).toEqual([50])
})

describe('a hold', () => {
  function openHold() {
    const calls: string[] = []
    const account = {
      now: clock.now,
      settle: (amount: number) => void calls.push(`settle ${amount}`),
      checkpoint: (amount: number) => void calls.push(`checkpoint ${amount}`),
    }
    return { hold: new BudgetHold('2026-05-31', account), calls }
  }

  test('is settled once, whoever settles it', () => {
    const { hold, calls } = openHold()
    hold.settle(7)
    hold.settle(9)
    hold.release()
    expect(calls).toEqual(['settle 7'])
    const other = openHold()
    other.hold.release()
    other.hold.settle(9)
    expect(other.calls).toEqual(['settle 0'])
  })

  test('reports its cost every five seconds until it is settled, and counts only then', () => {
    const { hold, calls } = openHold()
    let counts = 0
    const count = () => ++counts
    for (let second = 0; second < 11; second++) {
      hold.checkpoint(count)
      clock.advance(1_000)
    }
    expect(calls).toEqual(['checkpoint 1', 'checkpoint 2'])
    hold.settle(3)
    clock.advance(10_000)
    hold.checkpoint(count)
    expect([calls.at(-1), counts]).toEqual(['settle 3', 2])
  })
})
