// Tests which webhooks a replica claims first.
import { expect, test } from 'vitest'
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
