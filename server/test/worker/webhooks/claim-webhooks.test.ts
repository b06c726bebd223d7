// Tests which webhooks a replica claims first.
import { randomUUID } from 'node:crypto'
import { type Kysely, sql as setting } from 'kysely'
import { expect, test } from 'vitest'
import type { Schema } from '../../../src/storage/schema.ts'
import { claimWebhooks } from '../../../src/storage/webhooks/delivery-queue.ts'
import { backends, openStage } from './deliver-webhooks-stage.ts'

test.each(backends)('on %s, the one that waits longest, whatever the order of rows', async backend => {
  const { sql, clock, addWebhook, record } = await openStage(backend)
  // Its order is the wanted one: without it, only what the query asks for counts.
  await sql.schema.dropIndex('webhooks_due').execute()
  const time = clock.now()
  const hooks: string[] = []
  for (const wait of [1, 2, 3]) {
    clock.set(time - wait)
    const { id, tenantId } = await addWebhook('https://example.com')
    await record(tenantId)
    hooks.unshift(id)
  }
  for (const id of hooks) {
    const claimed = await claimWebhooks(sql, { claim: id, time, claimMs: 30_000, maxFast: 1, maxSlow: 0 })
    expect(claimed.map(({ webhookId }) => webhookId)).toEqual([id])
  }
})

test.each(backends)('on %s, of the slow ones and of the others each up to its own number', async backend => {
  const { sql, clock, addWebhook, record } = await openStage(backend)
  const time = clock.now()
  for (const isSlow of [true, true, true, false, false]) {
    const { tenantId } = await addWebhook('https://example.com', isSlow ? { isSlow } : {})
    await record(tenantId)
  }
  const claim = async (maxFast: number, maxSlow: number) => {
    const claimed = await claimWebhooks(sql, { claim: 'one', time, claimMs: 30_000, maxFast, maxSlow })
    return claimed.map(({ isSlow }) => isSlow).toSorted()
  }
  expect(await claim(1, 2)).toEqual([false, true, true])
  expect(await claim(0, 0)).toEqual([])
  expect(await claim(9, 9)).toEqual([false, true])
})

test.runIf(backends.includes('PostgreSQL'))(
  'a claim waits for an event without a lock that the event needs',
  async () => {
    const { sql, second, clock, addWebhook, record } = await openStage('PostgreSQL')
    const tenantId = randomUUID()
    const hooks = [
      await addWebhook('https://example.com', { tenantId }),
      await addWebhook('https://example.com', { tenantId }),
    ]
    await record(tenantId)
    const [first = '', last = ''] = hooks.map(({ id }) => id).sort()
    // A statement for both would find them in this order: so few rows are read without an index.
    for (const id of [last, first]) await sql.updateTable('webhooks').set({ is_slow: 0 }).where('id', '=', id).execute()
    await setting`analyze webhooks`.execute(sql)
    const locking = (trx: Kysely<Schema>, id: string) =>
      trx.updateTable('webhooks').set({ is_slow: 0 }).where('id', '=', id).execute()
    const wanted = { claim: 'one', time: clock.now(), claimMs: 30_000, maxFast: 9, maxSlow: 0 }
    const claiming = await sql.transaction().execute(async trx => {
      await setting`set local deadlock_timeout = '10ms'`.execute(trx)
      await locking(trx, first)
      const claim = claimWebhooks(second, wanted)
      await expect.poll(() => countWaiting(second)).toBe(1)
      await locking(trx, last)
      return { claim }
    })
    expect(await claiming.claim).toHaveLength(2)
  },
)

async function countWaiting(sql: Kysely<Schema>): Promise<number> {
  const { rows } = await setting<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(sql)
  return rows[0]?.waiting ?? 0
}
