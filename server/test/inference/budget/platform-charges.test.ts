// Tests what the operator's bounds are charged when a process dies, and when the store missed calls, with a clock of the
// test and the worker's jobs.
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { platformAccounts } from '../../../src/domain/budgets/platform-bounds.ts'
import { createPlatformCharges } from '../../../src/inference/budget/platform-charges.ts'
import { settleReservationsOf, sweepReservations } from '../../../src/worker/sweep-reservations.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { type ChargeWorld, noon, openChargeWorld, prices, refusal } from './charge-stage.ts'

const today = '2026-05-31'
/** A prompt token costs two nano-dollars, a generated one a nano-dollar: 10 and 100 of each. */
const listed = { prices: { ...prices, input: 2_000_000 } }
const clock = createHandClock(noon)
let world: ChargeWorld
beforeEach(async () => {
  clock.set(noon)
  world = await openChargeWorld(clock)
})

function open() {
  const { log } = createMemoryLog()
  const charges = createPlatformCharges(
    {
      sql: world.sql,
      kv: world.store(),
      writeUsage: () => Promise.resolve(),
      metrics: { budgetRefused: () => undefined },
      replicaId: 'replica',
      now: clock.now,
      log,
    },
    { tokens: { ofTenant: 250, ofAll: null }, usd: { ofTenant: null, ofAll: 300 } },
  )
  if (charges === null) throw new Error('there are no bounds')
  onTestFinished(() => charges.stop())
  return { reserve: () => charges.reserve(world.turnOf([]), [listed]) }
}

const spent = async (measure: 'tokens' | 'usd') =>
  (await world.store().findBudgetSpend(platformAccounts[measure], today)).map(each => each.spent)

test('no bound, no charges', () => {
  const none = { ofTenant: null, ofAll: null }
  expect(createPlatformCharges(null as never, { tokens: none, usd: none })).toBeNull()
})

test('a bound that has too little left gives back what another had reserved', async () => {
  const { reserve } = open()
  const [first, second] = [await reserve(), await reserve()]
  // 240 of 300 nano-dollars and 220 of 250 tokens are reserved.
  await expect(reserve()).rejects.toMatchObject(refusal)
  for (const hold of [first, second]) hold.tokens?.settle(0)
  // The dollars reject; the tokens are free again.
  await expect(reserve()).rejects.toMatchObject(refusal)
  for (const hold of [first, second]) hold.usd?.settle(0)
  await reserve()
  await reserve()
})

test.each(['by its name', 'when its lease ends'])('what a dead process had reserved is settled %s', async how => {
  await open().reserve()
  const job = { sql: world.sql, kv: world.store() }
  expect(await settleReservationsOf(job, 'another')).toBe(0)
  expect(await spent('tokens')).toEqual([0])
  if (how === 'by its name') expect(await settleReservationsOf(job, 'replica')).toBe(2)
  else {
    clock.advance(16 * 60_000)
    const rest = { outbound: null as never, now: clock.now, log: createMemoryLog().log }
    await sweepReservations.run({ ...job, ...rest }, new AbortController().signal)
  }
  // The prompt.
  expect([await spent('tokens'), await spent('usd')]).toEqual([[10], [20]])
})

test('counters are raised to what the database says, and rebuilt from it', async () => {
  await open().reserve()
  const row = { day: today, tokens: 60, cost_nanousd: 70 }
  await world.sql
    .insertInto('platform_days')
    .values([
      { tenant_id: world.tenantId, ...row },
      { tenant_id: 'another', ...row },
      { tenant_id: world.tenantId, ...row, day: '2026-05-30' },
    ])
    .execute()
  await world.raise()
  expect([await spent('tokens'), await spent('usd')]).toEqual([[60], [140]])
  world.empty()
  await open().reserve()
  expect([await spent('tokens'), await spent('usd')]).toEqual([[60], [140]])
})
