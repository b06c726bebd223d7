// Deliveries of webhooks on both databases: what a receiver gets, and what becomes of deliveries when it is down, slow,
// redirecting, failing or at a private address, when replicas work at once or die, and when the webhook is deleted.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../../src/domain/day.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import {
  claimWebhooks,
  recordAttempts,
  releaseWebhook,
  takeDueDeliveries,
} from '../../../src/storage/webhooks/delivery-queue.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { answer, backends, openStage, type Received, signatureOf, startReceiver } from './deliver-webhooks-stage.ts'

const claimMs = 30_000
const numberIn = ({ body }: Received) => (JSON.parse(body) as { data: { deployment: number } }).data.deployment

describe.each(backends)('on %s', backend => {
  test('a delivery has the event as its body, and a signature that the secret verifies', async () => {
    const { clock, addWebhook, record, deliveriesOf, startWorker, outcomes } = await openStage(backend)
    const receiver = await startReceiver()
    const { id, tenantId, secret } = await addWebhook(receiver.url())
    const other = await addWebhook(receiver.url('/other'), { tenantId, types: ['project_created'] })
    const foreign = await addWebhook(receiver.url('/foreign'))
    startWorker()
    await record(tenantId, 7)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 1, last_status: 204 }])
    const [got, ...more] = receiver.received
    expect(more).toEqual([])
    expect(JSON.parse(got?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'settings_deployed',
      timestamp: '2026-05-01T00:00:00.000Z',
      tenant_id: tenantId,
      project_id: null,
      data: { deployment: 7 },
    })
    expect(got).toMatchObject({ path: '/hook', timestamp: clock.now() / 1000 })
    expect(got?.id).toBe((await deliveriesOf(id))[0]?.id)
    expect(got?.signatures).toEqual([signatureOf(secret, got as Received)])
    expect([await deliveriesOf(other.id), await deliveriesOf(foreign.id)]).toEqual([[], []])
    expect(outcomes).toEqual(['delivered'])
  })

  test('a receiver that is down for a day gets everything in the end, in attempts with growing pauses', async () => {
    const { sql, clock, addWebhook, record, deliveriesOf, startWorker, outcomes } = await openStage(backend)
    const receiver = await startReceiver()
    const { id, tenantId } = await addWebhook(receiver.url())
    await receiver.stop()
    startWorker()
    const start = clock.now()
    await record(tenantId)
    const pauses: number[] = []
    for (let attempts = 1; ; attempts++) {
      await expect.poll(() => deliveriesOf(id)).toMatchObject([{ attempts, status: 'pending', last_status: null }])
      const [row] = await deliveriesOf(id)
      pauses.push(((row?.next_attempt_at ?? 0) - clock.now()) / 1000)
      if (row?.next_attempt_at === start + dayMs) break
      clock.set(row?.next_attempt_at ?? 0)
    }
    expect(pauses.slice(0, 7)).toEqual([5, 30, 120, 600, 1800, 3600, 3600])
    // One that was recorded late in the outage.
    await record(tenantId, 2)
    await receiver.start()
    clock.set(start + dayMs)
    await expect
      .poll(() => deliveriesOf(id))
      .toMatchObject([
        { status: 'delivered', attempts: pauses.length + 1, last_status: 204 },
        { status: 'delivered', last_status: 204 },
      ])
    expect(receiver.received.map(numberIn).sort()).toEqual([1, 2])
    expect(outcomes.filter(outcome => outcome === 'delivered')).toHaveLength(2)
    expect(outcomes).not.toContain('failed')
    await expect
      .poll(() => sql.selectFrom('webhooks').select(['due_at', 'claim']).execute())
      .toEqual([{ due_at: null, claim: null }])
  })

  test('a delivery has failed after an attempt at the end of the 24 hours, even if the worker was down', async () => {
    const { clock, addWebhook, record, deliveriesOf, startWorker, outcomes } = await openStage(backend)
    const receiver = await startReceiver()
    receiver.respond(answer(500))
    const { id, tenantId } = await addWebhook(receiver.url())
    await record(tenantId)
    clock.advance(2 * dayMs)
    startWorker()
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'failed', attempts: 1, last_status: 500 }])
    expect(outcomes).toEqual(['failed'])
    clock.advance(dayMs)
    await record(tenantId, 2)
    await expect.poll(() => receiver.received.map(numberIn)).toEqual([1, 2])
  })

  test('redirects are not followed, and 500 is retried', async () => {
    const { clock, addWebhook, record, deliveriesOf, startWorker, outcomes } = await openStage(backend)
    const [receiver, elsewhere] = [await startReceiver(), await startReceiver()]
    const { id, tenantId } = await addWebhook(receiver.url())
    startWorker()
    receiver.respond(answer(307, { location: elsewhere.url() }))
    await record(tenantId)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 1, last_status: 307 }])
    receiver.respond(answer(500))
    clock.advance(5_000)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 2, last_status: 500 }])
    receiver.respond(answer(200))
    clock.advance(30_000)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 3, last_status: 200 }])
    expect(elsewhere.received).toEqual([])
    expect(new Set(receiver.received.map(each => each.id)).size).toBe(1)
    expect(outcomes).toEqual(['retried', 'retried', 'delivered'])
  })

  test('the body of the response is ignored: endless, compressed, or broken off', async () => {
    const { addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const { id, tenantId } = await addWebhook(receiver.url())
    // Not the timeout ends the endless one.
    startWorker({ timeoutMs: 600_000 })
    let isClosed = false
    receiver.respond((response, { body }) => {
      if (body.includes('"deployment":1')) {
        response.writeHead(200)
        const timer = setInterval(() => response.write(Buffer.alloc(16_384)), 1)
        response.on('close', () => {
          clearInterval(timer)
          isClosed = true
        })
      } else if (body.includes('"deployment":2')) response.writeHead(202, { 'content-encoding': 'gzip' }).end('no gzip')
      else response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
    })
    for (const deployment of [1, 2, 3]) await record(tenantId, deployment)
    await expect.poll(() => isClosed).toBe(true)
    await expect
      .poll(async () => (await deliveriesOf(id)).map(({ status, last_status }) => `${status} ${last_status}`).sort())
      .toEqual(['delivered 200', 'delivered 200', 'delivered 202'])
  })

  test('a receiver that never responds is given up, and delays no other', async () => {
    const { addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const [dead, alive] = [await startReceiver(), await startReceiver()]
    dead.respond(() => undefined)
    // More than the places for slow ones in a replica.
    const slow = await Promise.all(Array.from({ length: 40 }, () => addWebhook(dead.url(), { isSlow: true })))
    const quick = await addWebhook(alive.url())
    for (const { tenantId } of slow) await record(tenantId)
    startWorker()
    await expect.poll(() => dead.received.length).toBe(32)
    await record(quick.tenantId)
    await expect.poll(() => deliveriesOf(quick.id)).toMatchObject([{ status: 'delivered' }])
    expect(dead.received).toHaveLength(32)
  })

  test('an attempt without a response ends by its timeout, and makes the webhook a slow one', async () => {
    const { sql, clock, addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    receiver.respond(() => undefined)
    const { id, tenantId } = await addWebhook(receiver.url())
    const isSlow = async () => (await sql.selectFrom('webhooks').select('is_slow').executeTakeFirst())?.is_slow
    startWorker({ timeoutMs: 50 })
    await record(tenantId)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 1, last_status: null }])
    expect(await isSlow()).toBe(1)
    receiver.respond(answer(204))
    clock.advance(5_000)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'delivered' }])
    expect(await isSlow()).toBe(0)
  })

  test('at most four deliveries of a webhook are in flight', async () => {
    const { clock, addWebhook, record, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const held: (() => void)[] = []
    receiver.respond(response => void held.push(() => response.writeHead(204).end()))
    const { tenantId } = await addWebhook(receiver.url())
    for (let number = 1; number <= 10; number++) {
      clock.advance(1)
      await record(tenantId, number)
    }
    startWorker()
    startWorker({ isSecond: true })
    const waves = [4, 8, 10]
    for (const count of waves) {
      await expect.poll(() => receiver.received.length).toBe(count)
      for (const release of held.splice(0)) release()
    }
    const numbers = receiver.received.map(numberIn)
    const inWaves = [numbers.slice(0, 4), numbers.slice(4, 8), numbers.slice(8)].map(wave => wave.sort((a, b) => a - b))
    expect(inWaves).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10],
    ])
  })

  test('what is due longest is sent first, whatever the order of rows and ids', async () => {
    const { sql, clock, addWebhook, record } = await openStage(backend)
    const { id: webhookId, tenantId } = await addWebhook('https://example.com')
    // Its order is the wanted one: without it, only what the query asks for counts.
    await sql.schema.dropIndex('webhook_deliveries_pending').execute()
    const start = clock.now()
    for (let number = 6; number >= 1; number--) {
      clock.set(start + number)
      await record(tenantId, number)
    }
    const time = start + 10
    const [claimed] = await claimWebhooks(sql, { claim: randomUUID(), time, claimMs, maxFast: 1, maxSlow: 0 })
    if (claimed === undefined) throw new Error(`${webhookId} is not claimed`)
    const take = async (limit: number) => (await takeDueDeliveries(sql, claimed, { time, claimMs, limit }))?.deliveries
    const numbers = async (limit: number) => (await take(limit))?.map(({ body }) => JSON.parse(body).data.deployment)
    expect(await numbers(2)).toEqual([1, 2])
    const [first] = (await take(1)) ?? []
    const outcome = { id: first?.id ?? '', status: 'pending' as const, lastStatus: 500, nextAttemptAt: start + 9 }
    await recordAttempts(sql, claimed, [outcome], { time, claimMs, isSlow: false })
    expect(await numbers(4)).toEqual([2, 3, 4, 5])
    expect(await numbers(6)).toEqual([2, 3, 4, 5, 6, 1])
  })

  test('two workers at once send each delivery once', async () => {
    const { addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const tenantId = randomUUID()
    const hooks = await Promise.all(
      Array.from({ length: 5 }, (_, index) => addWebhook(receiver.url(`/${index}`), { tenantId })),
    )
    startWorker()
    startWorker({ isSecond: true })
    await Promise.all(Array.from({ length: 20 }, (_, number) => record(tenantId, number)))
    for (const { id } of hooks) {
      await expect
        .poll(async () => (await deliveriesOf(id)).map(row => row.status))
        .toEqual(Array(20).fill('delivered'))
    }
    expect(receiver.received).toHaveLength(100)
    expect(new Set(receiver.received.map(each => each.id)).size).toBe(100)
  })

  test('of replicas that claim at the same moment, one gets each webhook', async () => {
    const { sql, second, clock, addWebhook, record } = await openStage(backend)
    const tenantId = randomUUID()
    for (let count = 0; count < 20; count++) await addWebhook('https://hooks.example.com/', { tenantId })
    await record(tenantId)
    const wanted = { time: clock.now(), claimMs, maxFast: 20, maxSlow: 0 }
    const claimed = await Promise.all(
      [sql, second, sql, second].map((of, index) => claimWebhooks(of, { ...wanted, claim: `replica ${index}` })),
    )
    expect(claimed.flat()).toHaveLength(20)
  })

  test('what a replica claimed before it died is sent by another, once the claim has expired', async () => {
    const { sql, clock, addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const { id, tenantId } = await addWebhook(receiver.url())
    await record(tenantId)
    const claimed = await claimWebhooks(sql, { claim: 'dead', time: clock.now(), claimMs, maxFast: 9, maxSlow: 0 })
    expect(claimed).toEqual([{ webhookId: id, claim: 'dead', isSlow: false }])
    startWorker()
    const other = await addWebhook(receiver.url('/other'))
    await record(other.tenantId)
    await expect.poll(() => deliveriesOf(other.id)).toMatchObject([{ status: 'delivered' }])
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 0 }])
    clock.advance(claimMs)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  test('nothing is written under a claim that has expired', async () => {
    const { clock, addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const held = Promise.withResolvers<void>()
    receiver.respond(async response => {
      if (receiver.received.length === 1) {
        await held.promise
        response.writeHead(500).end()
      } else response.writeHead(204).end()
    })
    const { id, tenantId } = await addWebhook(receiver.url())
    await record(tenantId)
    startWorker()
    await expect.poll(() => receiver.received.length).toBe(1)
    clock.advance(claimMs)
    const delivered = { status: 'delivered', attempts: 1, last_status: 204 }
    await expect.poll(() => deliveriesOf(id)).toMatchObject([delivered])
    held.resolve()
    await record(tenantId, 2)
    await expect.poll(() => deliveriesOf(id)).toMatchObject([delivered, delivered])
    // The same id both times, by which the receiver discards the repetition.
    expect(new Set(receiver.received.slice(0, 2).map(each => each.id)).size).toBe(1)
  })

  test('a claim that has expired is lost, although nobody else has claimed the webhook', async () => {
    const { sql, clock, addWebhook, record, deliveriesOf } = await openStage(backend)
    const { id, tenantId } = await addWebhook('https://receiver.example/hook')
    await record(tenantId)
    const wanted = { claim: 'first', time: clock.now(), claimMs, maxFast: 10, maxSlow: 0 }
    const [claimed] = await claimWebhooks(sql, wanted)
    if (claimed === undefined) throw new Error('the webhook was not claimed')
    const take = async () => await takeDueDeliveries(sql, claimed, { time: clock.now(), claimMs, limit: 10 })
    const [delivery] = (await take())?.deliveries ?? []
    clock.advance(claimMs)
    expect(await take()).toBeNull()
    const outcome = { id: delivery?.id ?? '', status: 'delivered' as const, lastStatus: 204, nextAttemptAt: null }
    const at = { time: clock.now(), claimMs, isSlow: true }
    expect(await recordAttempts(sql, claimed, [outcome], at)).toBe(false)
    await releaseWebhook(sql, claimed, clock.now())
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 0, last_status: null }])
    const row = await sql.selectFrom('webhooks').select(['claim', 'is_slow']).where('id', '=', id).executeTakeFirst()
    expect(row).toEqual({ claim: 'first', is_slow: 0 })
  })

  test('a worker that stops breaks off its attempts, which another repeats without counting them', async () => {
    const { addWebhook, record, deliveriesOf, startWorker, outcomes } = await openStage(backend)
    const receiver = await startReceiver()
    receiver.respond(() => undefined)
    const { id, tenantId } = await addWebhook(receiver.url())
    await record(tenantId)
    const worker = startWorker()
    await expect.poll(() => receiver.received.length).toBe(1)
    await worker.stop()
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 0, last_status: null }])
    receiver.respond(answer(204))
    startWorker({ isSecond: true })
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(outcomes).toEqual(['delivered'])
  })

  test('a private address gets nothing, in the URL or behind a name', async () => {
    const { clock, lines, addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const byName = await addWebhook(receiver.url().replace('http://127.0.0.1', 'https://hooks.example.com'))
    const byAddress = await addWebhook(receiver.url())
    const onPort = await addWebhook('https://hooks.example.com/hook')
    const { log } = createMemoryLog()
    const strict = createOutbound({ allow: parseOutboundAllow(undefined), log, resolve: async () => ['127.0.0.1'] })
    startWorker({ outbound: strict })
    for (const { id, tenantId } of [byName, byAddress, onPort]) {
      await record(tenantId)
      await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 1, last_status: null }])
    }
    clock.advance(2 * dayMs)
    for (const { id } of [byName, byAddress, onPort]) {
      await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'failed', attempts: 2 }])
    }
    expect(receiver.received).toEqual([])
    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([])
    await strict.close()
  })

  test('an edited address gets nothing: the secret is sealed for the one that was checked', async () => {
    const { sql, lines, addWebhook, record, deliveriesOf, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const { id, tenantId } = await addWebhook(receiver.url())
    await sql
      .updateTable('webhooks')
      .set({ url: receiver.url('/edited') })
      .execute()
    await record(tenantId)
    startWorker()
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(receiver.received).toEqual([])
    const event = 'webhook secret cannot be decrypted, create the webhook again'
    expect(lines).toContainEqual({ level: 'warn', event, fields: { tenant_id: tenantId, reason: 'not_authentic' } })
  })

  test('a webhook deleted while a delivery is in flight and another pending sends nothing more', async () => {
    const { sql, clock, addWebhook, record, startWorker } = await openStage(backend)
    const receiver = await startReceiver()
    const held = Promise.withResolvers<void>()
    receiver.respond(async response => {
      await held.promise
      response.writeHead(500).end()
    })
    const { id, tenantId } = await addWebhook(receiver.url())
    const other = await addWebhook(receiver.url('/other'), { tenantId })
    await record(tenantId)
    startWorker()
    await expect.poll(() => receiver.received.length).toBe(2)
    await sql.deleteFrom('webhooks').where('id', '=', id).execute()
    await sql.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).execute()
    held.resolve()
    receiver.respond(answer(204))
    await expect
      .poll(() => sql.selectFrom('webhook_deliveries').select(['webhook_id', 'attempts']).execute())
      .toEqual([{ webhook_id: other.id, attempts: 1 }])
    clock.advance(5_000)
    await expect.poll(() => receiver.received.map(each => each.path).sort()).toEqual(['/hook', '/other', '/other'])
  })
})
