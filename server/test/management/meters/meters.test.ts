// The routes of a tenant's meter over the wire, on both topologies: settings and their errors, secrets, subjects, who
// may do what, what the audit says, and a request that ends as an event.
import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import type { ScriptedUpstream } from '../../support/simulated/scripted-upstream.ts'
import { expectOk, expectRefusal, unknownId, type Words } from '../requests.ts'

const notAllowed = { error: 'The address is not allowed', code: 'INVALID_BASE_URL' }

interface Meter {
  url: string
  signs: boolean
  secret?: string
  sent: number
  waiting: number
  lag_seconds: number
  last_error: { status: number | null; reason: string | null } | null
}

describeEachBackend('meters', start => {
  let plane: ManagementHarness
  let receiver: ScriptedUpstream
  beforeAll(async () => {
    plane = await start()
    receiver = plane.upstream
  })
  beforeEach(() => {
    receiver.reset()
    receiver.on('*', { status: 204, body: '' })
  })

  const pathOf = (tenantId: string, rest = '') => `/auth/v1/tenants/${tenantId}/meter${rest}`
  const call = (method: string, path: string, body?: unknown, session = plane.owner.session) =>
    plane.call(method, path, { session, ...(body === undefined ? {} : { body }) })
  const receiverOf = (tenantId: string) => `/meters/${tenantId}`
  const requestsOf = (tenantId: string) => receiver.requests.filter(({ path }) => path === receiverOf(tenantId))
  const bodyOf = (tenantId: string, more: object = {}) => ({
    format: 'cloudevents',
    url: receiver.url + receiverOf(tenantId),
    value: 'cost_usd',
    subject: 'uid',
    ...more,
  })

  test('a meter is made, shown without its secret, changed and deleted', async () => {
    const { id } = await plane.makeTenant()
    expectRefusal(await call('GET', pathOf(id)), 404, 'The tenant has no meter')
    expectRefusal(await call('DELETE', pathOf(id)), 404, 'The tenant has no meter')
    expectRefusal(await call('POST', pathOf(id, '/test')), 404, 'The tenant has no meter')
    expectRefusal(await call('GET', pathOf(id, '/subjects')), 404, 'The tenant has no meter')
    expectRefusal(await call('PUT', pathOf(id, '/subjects'), { a: 'b' }), 404, 'The tenant has no meter')
    const { secret = '', ...made } = expectOk<Meter>(await call('PUT', pathOf(id), bodyOf(id)))
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made).toMatchObject({
      format: 'cloudevents',
      url: receiver.url + receiverOf(id),
      event_name: 'sallyport.usage',
      value: 'cost_usd',
      subject: 'uid',
      signs: true,
      sent: 0,
      waiting: 0,
      rejected: 0,
      dropped: 0,
      lag_seconds: 0,
      last_sent_at: null,
      last_error: null,
      retry_at: null,
    })
    const shown = await call('GET', pathOf(id))
    expect(expectOk(shown)).toEqual(made)
    expect(shown.text).not.toContain(secret)
    // The stored secret stays with its address, and goes nowhere else.
    const changed = expectOk<Meter>(await call('PUT', pathOf(id), bodyOf(id, { value: 'requests' })))
    expect(changed).toMatchObject({ value: 'requests' })
    expect(changed.secret).toBeUndefined()
    const moved = expectOk<Meter>(await call('PUT', pathOf(id), bodyOf(id, { url: `${receiver.url}/elsewhere` })))
    expect(moved.secret).toMatch(/^whsec_/)
    expect(moved.secret).not.toBe(secret)
    const given = await call('PUT', pathOf(id), bodyOf(id, { secret: 'om_0123456789abcdef' }))
    expect(expectOk<Meter>(given)).toMatchObject({ signs: false })
    expect(given.text).not.toContain('om_0123456789abcdef')
    expect((await call('DELETE', pathOf(id))).status).toBe(204)
    expectRefusal(await call('GET', pathOf(id)), 404, 'The tenant has no meter')
    expect(expectOk<Meter>(await call('PUT', pathOf(id), bodyOf(id))).secret).toMatch(/^whsec_/)
  })

  test('errors begin with the field', async () => {
    const { id } = await plane.makeTenant()
    const refuse = async (more: object, message: Words) =>
      expectRefusal(await call('PUT', pathOf(id), bodyOf(id, more)), 400, message)
    await refuse({ format: undefined }, 'format is required')
    await refuse({ format: 'csv' }, 'format must be one of: cloudevents, stripe')
    await refuse({ value: undefined }, 'value is required')
    await refuse({ value: 'euros' }, 'value must be one of: cost_usd, total_tokens, requests')
    await refuse({ subject: 'model' }, 'subject must be one of: uid, tier, project')
    await refuse({ url: undefined }, 'url is required')
    await refuse({ url: 7 }, 'url must be a string')
    await refuse({ url: 'http://10.0.0.1/' }, notAllowed)
    await refuse({ url: 'https://metadata.google.internal/' }, notAllowed)
    await refuse({ secret: 'short' }, 'secret must be 16 to 512 visible ASCII characters')
    await refuse({ secret: 'with white space in it' }, 'secret must be 16 to 512 visible ASCII characters')
    await refuse({ secret: 'whsec_not-base64-at-all' }, 'secret must be whsec_ and 24 to 64 bytes in base64')
    await refuse(
      { secret: `whsec_${Buffer.alloc(16).toString('base64')}` },
      'secret must be whsec_ and 24 to 64 bytes in base64',
    )
    const nameWords = 'event_name must be 1 to 100 letters, digits, underscores, dots, colons or hyphens'
    await refuse({ event_name: '' }, nameWords)
    await refuse({ event_name: 'a b' }, nameWords)
    await refuse({ format: 'stripe' }, 'event_name is required')
    await refuse({ format: 'stripe', event_name: 'usage' }, 'secret is required')
    expectRefusal(await call('GET', pathOf(id)), 404, 'The tenant has no meter')
    // Without an address Stripe's own is taken, whose name does not resolve here.
    const stripe = { format: 'stripe', secret: 'sk_test_0123456789abcdef', event_name: 'usage', url: receiver.url }
    await refuse({ ...stripe, url: undefined }, notAllowed)
    const made = expectOk<Meter>(await call('PUT', pathOf(id), { ...bodyOf(id), ...stripe, subject: 'tier' }))
    expect(made).toMatchObject({ event_name: 'usage', subject: 'tier', signs: false })
    // The key of one account does not go to another address.
    await refuse({ ...stripe, secret: undefined, url: `${receiver.url}/other` }, 'secret is required')
    const kept = await call('PUT', pathOf(id), { ...bodyOf(id), ...stripe, secret: undefined })
    expect(expectOk<Meter>(kept)).toMatchObject({ subject: 'uid' })
  })

  test('subjects are set, removed and listed in pages', async () => {
    const { id } = await plane.makeTenant()
    expectOk(await call('PUT', pathOf(id), bodyOf(id)))
    const put = (body: unknown) => call('PUT', pathOf(id, '/subjects'), body)
    const list = async (query = '') =>
      expectOk<{ data: { subject: string; customer: string }[]; next_cursor: string | null }>(
        await call('GET', pathOf(id, `/subjects${query}`)),
      )
    expect((await put({ 'user-2': 'cus_2', 'user-1': 'cus_1', 'user-3': 'cus_3' })).status).toBe(204)
    expect((await put({ 'user-2': 'cus_two', 'user-1': null, unknown: null })).status).toBe(204)
    const two = { subject: 'user-2', customer: 'cus_two' }
    const three = { subject: 'user-3', customer: 'cus_3' }
    expect(await list()).toEqual({ data: [two, three], next_cursor: null })
    const first = await list('?limit=1')
    expect(first.data).toEqual([two])
    expect(await list(`?limit=1&cursor=${first.next_cursor}`)).toEqual({ data: [three], next_cursor: null })
    const words = 'body must be an object of 1 to 1000 customers by subject'
    for (const body of [{}, Object.fromEntries(Array.from({ length: 1001 }, (_none, at) => [`u${at}`, 'c']))]) {
      expectRefusal(await put(body), 400, words)
    }
    expectRefusal(
      await put({ 'user-9': '' }),
      400,
      'user-9 must be null or 1 to 255 characters, none of them a control',
    )
    expectRefusal(await put({ 'user-9': 7 }), 400, 'user-9 must be null or 1 to 255 characters, none of them a control')
    expectRefusal(await put({ 'a\nb': 'c' }), 400, 'subjects must have 1 to 255 characters, none of them a control')
    expect((await put(JSON.parse('{"__proto__": "cus_4"}'))).status).toBe(204)
    expect((await list()).data).toContainEqual({ subject: '__proto__', customer: 'cus_4' })
  })

  test('members change it, viewers read, and nobody else', async () => {
    const { id } = await plane.makeTenant()
    expectOk(await call('PUT', pathOf(id), bodyOf(id)))
    const [member, viewer, stranger] = [
      await plane.makePerson({ tenantId: id, role: 'member' }),
      await plane.makePerson({ tenantId: id, role: 'viewer' }),
      await plane.makePerson(),
    ]
    expectOk(await call('PUT', pathOf(id), bodyOf(id), member.session))
    expectOk(await call('GET', pathOf(id), undefined, viewer.session))
    expectOk(await call('GET', pathOf(id, '/subjects'), undefined, viewer.session))
    const writes = [
      ['PUT', '', bodyOf(id)],
      ['PUT', '/subjects', { a: 'b' }],
      ['POST', '/test', undefined],
      ['DELETE', '', undefined],
    ] as const
    for (const [method, rest, body] of writes) {
      expect((await call(method, pathOf(id, rest), body, viewer.session)).status).toBe(403)
      expectRefusal(await call(method, pathOf(id, rest), body, stranger.session), 403, 'Forbidden')
      expect((await call(method, pathOf(unknownId, rest), body)).status).toBe(404)
    }
    for (const rest of ['', '/subjects']) {
      expectRefusal(await call('GET', pathOf(id, rest), undefined, stranger.session), 403, 'Forbidden')
    }
  })

  test('the audit says what changed, without the secret and the customers', async () => {
    const { id } = await plane.makeTenant()
    const secret = 'om_very_secret_0123456789'
    expectOk(await call('PUT', pathOf(id), bodyOf(id, { secret })))
    expectOk(await call('PUT', pathOf(id), bodyOf(id, { secret: `${secret}0`, value: 'requests' })))
    await call('PUT', pathOf(id, '/subjects'), { 'user-1': 'cus_1', 'user-2': null })
    await call('DELETE', pathOf(id))
    const listed = await call('GET', `/auth/v1/tenants/${id}/audit`)
    const { data } = expectOk<{ data: { action: string; before: object | null; after: object | null }[] }>(listed)
    const acts = data.filter(({ action }) => action.startsWith('meter')).reverse()
    expect(acts.map(({ action }) => action)).toEqual(['meter.put', 'meter.put', 'meter_subjects.put', 'meter.delete'])
    expect(acts[1]).toMatchObject({
      before: { value: 'cost_usd' },
      after: { value: 'requests', secret: { changed: true } },
    })
    expect(acts[2]).toMatchObject({ after: { set: 1, removed: 1 } })
    for (const text of [secret, 'cus_1', 'user-1']) expect(listed.text).not.toContain(text)
  })

  test('a test says what became of it, and counts nothing', async () => {
    const { id } = await plane.makeTenant()
    const { secret = '' } = expectOk<Meter>(await call('PUT', pathOf(id), bodyOf(id)))
    const attempt = async () => expectOk(await call('POST', pathOf(id, '/test')))
    expect(await attempt()).toEqual({ delivered: true, status: null, reason: null })
    const [request] = requestsOf(id)
    expect(JSON.parse(request?.body ?? '')).toMatchObject([
      { specversion: '1.0', type: 'sallyport.meter_test', subject: 'test', data: { value: '0' } },
    ])
    const signed = `${request?.headers['webhook-id']}.${request?.headers['webhook-timestamp']}.${request?.body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    expect(request?.headers['webhook-signature']).toBe(signature)
    receiver.on('*', { status: 500, body: 'private words' })
    expect(await attempt()).toEqual({ delivered: false, status: 500, reason: null })
    receiver.on('*', { status: 400, body: '{"error":{"code":"resource_missing","message":"No such customer"}}' })
    expect(await attempt()).toEqual({ delivered: false, status: 400, reason: 'resource_missing' })
    for (let more = 0; more < 7; more++) await attempt()
    expectRefusal(await call('POST', pathOf(id, '/test')), 429, {
      error: 'Too many test events. Try again in a minute.',
      code: 'RATE_LIMITED',
    })
    expect(expectOk<Meter>(await call('GET', pathOf(id)))).toMatchObject({ sent: 0, waiting: 0, last_error: null })
  })

  test('a deleted tenant leaves nothing of its meter', async () => {
    const tenant = await plane.makeTenant()
    expectOk(await call('PUT', pathOf(tenant.id), bodyOf(tenant.id)))
    await call('PUT', pathOf(tenant.id, '/subjects'), { 'user-1': 'cus_1' })
    expect((await call('DELETE', `/auth/v1/tenants/${tenant.id}`, { confirm: tenant.name })).status).toBeLessThan(300)
    for (const table of ['meters', 'meter_subjects']) {
      await expect.poll(() => plane.query(`select * from ${table} where tenant_id = ?`, [tenant.id])).toEqual([])
    }
  })
})
