// What receivers of meters get, on both databases: each event once by its id, in batches, as CloudEvents or as Stripe
// wants it; and what happens while a receiver is down, slow, or rejects events.
import { describe, expect, test } from 'vitest'
import { requestErasure } from '../../../src/storage/end-users/erase.ts'
import { markMeterDeleted } from '../../../src/storage/meters/meter-rows.ts'
import { findCustomers, forgetCustomer, putCustomers } from '../../../src/storage/meters/subjects.ts'
import { transact } from '../../../src/storage/transact.ts'
import { answer, backends, type Received, signatureOf, startReceiver } from '../webhooks/deliver-webhooks-stage.ts'
import { bearer, byId, eventsIn, minute, openStage } from './meters-stage.ts'

const form = ({ body }: Received) => Object.fromEntries(new URLSearchParams(body))
const dayMs = 24 * 60 * minute

describe.each(backends)('on %s', backend => {
  async function openWith(meter: Partial<Parameters<Awaited<ReturnType<typeof openStage>>['addMeter']>[0]> = {}) {
    const stage = await openStage(backend)
    const receiver = await startReceiver()
    const id = await stage.addMeter({ url: receiver.url('/events'), ...meter })
    /** All rows have their event. */
    const settle = async () => {
      stage.clock.advance(3_000)
      await stage.queue()
    }
    const sent = async () => (await stage.meter(id)).sent
    return { ...stage, receiver, id, settle, sent }
  }

  test('CloudEvents come in batches, signed as webhooks are', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const { clock, addRows, settle, startSender, receiver, place, sent, counts } = await openWith({ secret })
    const rows = await addRows(250, clock.now(), { cost_nanousd: 1_500_000_001, tier: null })
    await settle()
    startSender()
    await expect.poll(sent).toBe(250)
    expect(receiver.received.map(each => eventsIn([each]).length)).toEqual([100, 100, 50])
    const events = byId(eventsIn(receiver.received))
    expect(events.size).toBe(250)
    expect(events.get(rows[0]?.request_id ?? '')).toEqual({
      specversion: '1.0',
      id: rows[0]?.request_id,
      source: `/tenants/${place.tenantId}`,
      type: 'sallyport.usage',
      subject: 'user-1',
      time: '2026-05-01T00:00:00.000Z',
      datacontenttype: 'application/json',
      data: {
        value: '1.500000001',
        cost_usd: '1.500000001',
        prompt_tokens: 1,
        completion_tokens: 2,
        total_tokens: 3,
        project_id: place.projectId,
        tier: null,
        model: 'openai/gpt-4o-mini',
        provider: 'openai',
        endpoint: 'embeddings',
      },
    })
    for (const received of receiver.received) {
      const { headers, timestamp, signatures } = received
      expect(headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8')
      expect(headers.authorization).toBeUndefined()
      expect(timestamp).toBe(clock.now() / 1000)
      expect(signatures).toEqual([signatureOf(secret, received)])
    }
    expect(new Set(receiver.received.map(each => each.id)).size).toBe(3)
    await expect.poll(() => counts).toEqual({ sent: 250, retried: 0, rejected: 0, dropped: 0 })
  })

  test.each(['cloudevents', 'stripe'] as const)('an event that cannot be written stops no other: %s', async format => {
    const { sql, clock, addRows, settle, startSender, receiver, sent, counts } = await openWith({ format })
    const rows = await addRows(3, clock.now())
    await settle()
    const [broken, ...others] = rows.map(row => row.request_id)
    // No date is so late.
    await sql
      .updateTable('meter_events')
      .set({ created_at: 9e15 })
      .where('request_id', '=', broken ?? '')
      .execute()
    startSender()
    await expect.poll(sent).toBe(2)
    const bodies = receiver.received.map(({ body }) => body).join()
    expect(others.every(id => bodies.includes(id))).toBe(true)
    expect(bodies).not.toContain(broken)
    await expect.poll(() => counts).toMatchObject({ sent: 2, rejected: 1 })
  })

  test('any other secret is a bearer token, and subjects are replaced by their customers', async () => {
    const { sql, clock, id, place, addRows, settle, startSender, receiver, sent } = await openWith()
    const customers = new Map([['user-2', 'customer-2']])
    await transact(sql, trx => putCustomers(trx, { tenantId: place.tenantId, meterId: id }, customers))
    await addRows(1, clock.now(), { user_id: 'user-2' })
    await addRows(1, clock.now(), { user_id: 'not mapped' })
    await settle()
    startSender()
    await expect.poll(sent).toBe(2)
    const subjects = eventsIn(receiver.received).map(({ subject }) => subject)
    expect(subjects.sort()).toEqual(['customer-2', 'not mapped'])
    const [{ headers }] = receiver.received as [Received]
    expect(headers.authorization).toBe(`Bearer ${bearer}`)
    expect([headers['webhook-id'], headers['webhook-signature']]).toEqual([undefined, undefined])
  })

  test('answers of the cache are sent only where requests are counted', async () => {
    const free = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_nanousd: 0 }
    for (const value of ['cost_usd', 'total_tokens', 'requests'] as const) {
      const { clock, id, addRows, events, settle, startSender, receiver } = await openWith({ value, subject: 'tier' })
      const [full] = await addRows(1, clock.now(), { tier: 'gold' })
      const [cached] = await addRows(1, clock.now() + 1, free)
      await settle()
      startSender()
      await expect.poll(() => events(id)).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
      const found = eventsIn(receiver.received).map(event => [event.id, event.data.value, event.subject])
      const first = [full?.request_id, { cost_usd: '0.0000125', total_tokens: '3', requests: '1' }[value], 'gold']
      expect(found).toEqual(value === 'requests' ? [first, [cached?.request_id, '1', 'gold']] : [first])
    }
  })

  test('Stripe gets whole numbers, one request at a time for each customer, and its word on repeats is a success', async () => {
    const stage = await openWith({ format: 'stripe', secret: 'sk_test_0123456789abcdef', subject: 'uid' })
    const { clock, addRows, settle, startSender, receiver, events, id, sent } = stage
    const busy = new Map<string, number>()
    let most = 0
    receiver.respond(async (response, each) => {
      const customer = form(each)['payload[stripe_customer_id]'] ?? ''
      busy.set(customer, (busy.get(customer) ?? 0) + 1)
      most = Math.max(most, busy.get(customer) ?? 0)
      await new Promise(resolve => setTimeout(resolve, 2))
      busy.set(customer, (busy.get(customer) ?? 0) - 1)
      if (customer !== 'known') return void response.writeHead(200).end('{}')
      const message = `An event already exists with identifier ${form(each)['identifier']}.`
      response.writeHead(400).end(JSON.stringify({ error: { type: 'invalid_request_error', message } }))
    })
    const rows = [
      ...(await addRows(20, clock.now(), { user_id: 'cus_1' })),
      ...(await addRows(20, clock.now(), { user_id: 'cus_2' })),
      ...(await addRows(1, clock.now(), { user_id: 'known' })),
    ]
    await settle()
    startSender()
    await expect.poll(sent).toBe(41)
    expect(most).toBe(1)
    expect(new Set(receiver.received.map(each => form(each)['identifier']))).toEqual(
      new Set(rows.map(row => row.request_id)),
    )
    const [first] = receiver.received as [Received]
    expect(first.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(first.headers.authorization).toBe('Bearer sk_test_0123456789abcdef')
    expect(form(first)).toEqual({
      event_name: 'sallyport.usage',
      'payload[stripe_customer_id]': expect.any(String),
      'payload[value]': '12500',
      identifier: expect.any(String),
      timestamp: '1777593600',
    })
    expect((await events(id)).every(({ state }) => state === 'sent')).toBe(true)
  })

  test('a receiver that is down for a day gets everything, in whole batches, after attempts with growing pauses', async () => {
    const { clock, id, addRows, settle, startSender, receiver, meter, sent, counts } = await openWith()
    await receiver.stop()
    const rows = await addRows(1_000, clock.now())
    await settle()
    startSender()
    const [start, pauses] = [clock.now(), [] as number[]]
    for (let failures = 1; clock.now() < start + dayMs; failures++) {
      await expect
        .poll(() => meter(id))
        .toMatchObject({ failures, last_error: 'connect', last_status: null, claim: null })
      const { retry_at } = await meter(id)
      pauses.push((retry_at - clock.now()) / 1000)
      clock.set(retry_at)
    }
    expect(pauses.slice(0, 7)).toEqual([5, 30, 120, 600, 1800, 3600, 3600])
    await expect.poll(() => counts).toMatchObject({ sent: 0, retried: pauses.length * 100 })
    rows.push(...(await addRows(300, clock.now() - 5_000)))
    await receiver.start()
    await settle()
    clock.advance(60 * minute)
    await expect.poll(sent).toBe(1_300)
    expect(byId(eventsIn(receiver.received)).size).toBe(1_300)
    expect(receiver.received.length).toBeLessThan(16)
    expect(await meter(id)).toMatchObject({ failures: 0, dropped: 0, last_error: 'connect' })
  })

  test('an event that is rejected is sent again alone, and stops no other', async () => {
    const { clock, id, addRows, settle, startSender, receiver, events, meter, counts } = await openWith()
    const rows = await addRows(100, clock.now())
    const wrong = rows[40]?.request_id ?? ''
    receiver.respond((response, { body }) => void response.writeHead(body.includes(wrong) ? 422 : 204).end())
    await settle()
    startSender()
    await expect.poll(async () => (await events(id)).filter(({ state }) => state === 'rejected').length).toBe(100)
    await addRows(50, clock.now())
    await settle()
    await expect.poll(async () => (await meter(id)).sent).toBe(50)
    const waits = [5_000, 30_000, 2 * minute, 10 * minute]
    for (const [at, wait] of waits.entries()) {
      clock.advance(wait)
      const left = [100, 10, 1, 1][at] === 100 ? 10 : 1
      await expect
        .poll(async () =>
          (await events(id)).filter(({ state, attempts }) => state === 'rejected' && attempts === at + 2),
        )
        .toHaveLength(left)
    }
    expect(await events(id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ request_id: wrong, state: 'rejected', attempts: 5 })]),
    )
    expect(await meter(id)).toMatchObject({ sent: 149, failures: 0, last_status: 422, last_error: null })
    await expect.poll(() => counts).toEqual({ sent: 149, retried: 0, rejected: 100 + 10 + 1 + 1 + 1, dropped: 0 })
    receiver.respond(answer(204))
    clock.advance(30 * minute)
    await expect.poll(async () => (await meter(id)).sent).toBe(150)
    expect(byId(eventsIn(receiver.received)).size).toBe(150)
  })

  test('a receiver that does not know us, slows us down or redirects is tried again with everything', async () => {
    const { clock, id, addRows, settle, startSender, receiver, meter, events, sent } = await openWith()
    await addRows(120, clock.now())
    await settle()
    startSender()
    const statuses = [401, 404, 429, 503, 307]
    receiver.respond(answer(401))
    for (const [at, status] of statuses.entries()) {
      await expect.poll(() => meter(id)).toMatchObject({ failures: at + 1, last_status: status, claim: null })
      receiver.respond(answer(statuses[at + 1] ?? 200, { location: 'http://127.0.0.1:9/' }))
      clock.set((await meter(id)).retry_at)
    }
    await expect.poll(sent).toBe(120)
    expect((await events(id)).every(({ attempts }) => attempts === 0)).toBe(true)
  })

  test('two replicas share the meters, and a dead one is replaced when its claim expires', async () => {
    const { sql, clock, id, addRows, settle, startSender, receiver, sent, meter } = await openWith()
    await addRows(500, clock.now())
    await settle()
    // A replica that died in the middle of a batch.
    await sql
      .updateTable('meters')
      .set({ claim: 'dead', claimed_until: clock.now() + 60_000 })
      .execute()
    startSender()
    startSender({ isSecond: true })
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(receiver.received).toEqual([])
    clock.advance(60_000)
    await expect.poll(sent).toBe(500)
    expect(eventsIn(receiver.received)).toHaveLength(500)
    await expect.poll(() => meter(id)).toMatchObject({ claim: null })
  })

  test('nothing is sent any more for a deleted meter, and its batch in flight writes nothing', async () => {
    const { sql, clock, id, place, addRows, settle, startSender, receiver, events, meter } = await openWith()
    await addRows(300, clock.now())
    await settle()
    const arrived = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    receiver.respond(async response => {
      arrived.resolve()
      await end.promise
      response.writeHead(204).end()
    })
    const sender = startSender()
    await arrived.promise
    await transact(sql, trx => markMeterDeleted(trx, place.tenantId, clock.now()))
    end.resolve()
    await sender.stop()
    expect(receiver.received).toHaveLength(1)
    expect((await events(id)).every(({ state }) => state === 'waiting')).toBe(true)
    expect((await meter(id)).sent).toBe(0)
  })

  test('a row that is erased before its event was sent is counted as dropped', async () => {
    const { sql, clock, id, addRows, settle, startSender, receiver, meter, events, counts } = await openWith()
    const rows = await addRows(5, clock.now())
    await settle()
    await sql
      .deleteFrom('usage_records')
      .where('request_id', '=', rows[2]?.request_id ?? '')
      .execute()
    startSender()
    await expect.poll(() => meter(id)).toMatchObject({ sent: 4, dropped: 1 })
    expect(eventsIn(receiver.received)).toHaveLength(4)
    expect(await events(id)).toHaveLength(4)
    expect(counts.dropped).toBe(1)
  })

  test('an end user who was erased is no subject any more, and their customer is forgotten', async () => {
    const { sql, clock, id, place, addRows, settle, startSender, receiver, sent } = await openWith()
    const ref = { tenantId: place.tenantId, meterId: id }
    const user = { projectId: place.projectId, userId: 'user-1' }
    const customers = new Map([
      ['user-1', 'cus_1'],
      ['user-2', 'cus_2'],
    ])
    await transact(sql, trx => putCustomers(trx, ref, customers))
    await addRows(1, clock.now())
    await settle()
    await requestErasure(sql, user, clock.now())
    await sql.updateTable('usage_records').set({ user_id: 'erased' }).where('user_id', '=', 'user-1').execute()
    await forgetCustomer(sql, user)
    expect(await findCustomers(sql, ref, ['user-1', 'user-2'])).toEqual(new Map([['user-2', 'cus_2']]))
    startSender()
    await expect.poll(sent).toBe(1)
    expect(eventsIn(receiver.received)).toMatchObject([{ subject: 'erased', data: { value: '0.0000125' } }])
    expect(receiver.received[0]?.body).not.toContain('user-1')
  })

  test('a secret that the key does not open holds the events back, and never reaches a log', async () => {
    const { clock, id, addRows, settle, startSender, receiver, meter, lines, sql, sent, secretBox } = await openWith()
    await addRows(1, clock.now())
    await settle()
    await sql
      .updateTable('meters')
      .set({ url: receiver.url('/edited') })
      .execute()
    startSender()
    await expect.poll(() => meter(id)).toMatchObject({ failures: 1, last_error: 'secret_unreadable' })
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'meter secret cannot be decrypted, set the meter again' }),
    )
    expect(receiver.received).toEqual([])
    await sql
      .updateTable('meters')
      .set({ url: receiver.url('/events') })
      .execute()
    clock.advance(5_000)
    await expect.poll(sent).toBe(1)
    expect(JSON.stringify(lines)).not.toContain(bearer)
    expect(secretBox.prefixes.length).toBe(1)
  })
})
