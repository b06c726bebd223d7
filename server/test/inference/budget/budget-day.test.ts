// Tests, from the request to the usage row, that an answer that ends after midnight is charged to the day on which it was
// reserved, also where a counter is rebuilt from the rows.
import { expect, test } from 'vitest'
import { createUsageWriter } from '../../../src/inference/usage/usage-writer.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'
import { day, noon, openChargeWorld, target, usd } from './charge-stage.ts'

const hourMs = 3_600_000

test('an answer over midnight', async () => {
  const clock = createHandClock(noon)
  const world = await openChargeWorld(clock)
  const targets: unknown[] = []
  const answer = () => {
    clock.advance(13 * hourMs)
    return say('openai', { text: ['late'] }, false)
  }
  const chat = await openChat(answer, {
    parts: {
      now: clock.now,
      budgets: world.charges,
      targets: { chooseKnown: () => null, choose: async () => targets as never },
    },
    settings: { budgets: [{ usd: usd(1_000_000), period: 'day' }] },
  })
  targets.push({ ...chat.target, prices: target.prices })
  expect((await chat.ask()).status).toBe(200)
  const cost = wholeUsage.completion_tokens
  expect(chat.rows).toMatchObject([{ budgetDay: '2026-05-31', at: noon + 13 * hourMs, cost }])

  const { tenantId, projectId, sql } = world
  const { log } = createMemoryLog()
  const writer = createUsageWriter({ sql, now: clock.now, shelf: null, metrics: { usageRows: () => undefined }, log })
  expect(await writer.write(chat.rows.map(row => ({ ...row, tenantId, projectId })))).toEqual([])
  const written = await sql.selectFrom('usage_records').select(['day', 'budget_day']).execute()
  expect(written).toEqual([{ day: '2026-06-01', budget_day: '2026-05-31' }])
  world.empty()
  await world.reserve(day(1_000))
  expect(await world.spentOf('2026-06-01')).toBe(0)
  clock.set(noon)
  await world.reserve(day(1_000))
  expect(await world.spentOf('2026-05-31')).toBe(cost)
})
