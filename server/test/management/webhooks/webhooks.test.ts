// Webhooks and events of a tenant over the wire, on both topologies: what each action announces, who gets which types,
// which addresses are allowed, that a secret is shown once, rotation, tests, and the log of deliveries.
import { createHmac, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import type { ScriptedUpstream, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

interface Created {
  id: string
  url: string
  secret: string
}
interface Delivery {
  id: string
  type: string
  status: string
  attempts: number
  last_status: number | null
  created_at: string
}
interface Listed<Row> {
  data: Row[]
  next_cursor: string | null
}
interface TenantEvent {
  id: string
  type: string
  project_id: string | null
  data: Record<string, unknown>
  created_at: string
  api_key: { name: string; hint: string | null } | null
}

/** By the text of the convention. */
function signaturesBy(secrets: readonly string[], { headers, body }: UpstreamRequest): string {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return secrets
    .map(secret => Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .map(key => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ')
}

function expectSigned(requests: UpstreamRequest[], secret: string, personal: string[]): void {
  for (const request of requests) {
    expect(request.headers['webhook-signature']).toBe(signaturesBy([secret], request))
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(600)
    for (const value of personal) {
      expect(request.body).not.toContain(value)
    }
  }
}

describeEachBackend('webhooks', start => {
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

  /** A path of its own for each tenant: deliveries of earlier tests may still arrive. */
  const hookOf = (tenantId: string) => `/hooks/${tenantId}`
  const requestsOf = (tenantId: string) => receiver.requests.filter(request => request.path === hookOf(tenantId))
  const session = () => plane.owner.session
  const path = (tenantId: string, rest = '') => `/auth/v1/tenants/${tenantId}/webhooks${rest}`
  const call = (method: string, to: string, body?: unknown, headers?: Record<string, string>) =>
    plane.call(method, to, { session: session(), ...(body === undefined ? {} : { body }), ...(headers && { headers }) })
  const create = async (tenantId: string, body: Record<string, unknown> = {}) =>
    expectOk<Created>(await call('POST', path(tenantId), { url: receiver.url + hookOf(tenantId), ...body }), 201)
  const deliveries = async (tenantId: string, id: string, query = '') =>
    expectOk<Listed<Delivery>>(await call('GET', path(tenantId, `/${id}/deliveries${query}`)))
  const events = async (tenantId: string, query = '') =>
    expectOk<Listed<TenantEvent>>(await call('GET', `/auth/v1/tenants/${tenantId}/events${query}`))

  test('each action is an event of the tenant and a delivery, without a name or an address of a person', async () => {
    const tenant = await plane.makeTenant()
    const { id, secret } = await create(tenant.id)
    const { id: projectId, slug } = await plane.makeProject(tenant.id)
    const onProject = (method: string, rest: string, body?: unknown) =>
      call(method, `/auth/v1/projects/${projectId}${rest}`, body)
    const key = await plane.makeApiKey(projectId)
    const rotated = expectOk<{ id: string }>(await onProject('POST', `/api-keys/${key.id}/rotate`))
    expectOk(await onProject('POST', `/api-keys/${rotated.id}/revoke`))
    expectOk(await onProject('PUT', '/settings', { rpm_limit: 7 }))
    expectOk(await onProject('POST', '/settings/deploy'))
    const invited = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    const known = await plane.makePerson()
    await plane.join(tenant.id, known, 'member')
    expectOk(await call('DELETE', `/auth/v1/tenants/${tenant.id}/members/${known.id}`), 204)
    expectOk(await onProject('POST', '/suspend'))
    expectOk(await onProject('POST', '/suspend'))
    expectOk(await onProject('POST', '/reactivate'))
    expectOk(await onProject('POST', '/suspend'))
    expectOk(await onProject('DELETE', '', { confirm: slug }), 204)
    const expected: [type: string, project: string | null, data: Record<string, unknown>][] = [
      ['project_created', projectId, { slug }],
      ['api_key_created', projectId, { api_key_id: key.id, role: 'user' }],
      ['api_key_rotated', projectId, { api_key_id: rotated.id, replaced_api_key_id: key.id, role: 'user' }],
      ['api_key_revoked', projectId, { api_key_id: rotated.id, role: 'user' }],
      ['settings_deployed', projectId, { deployment: 1 }],
      ['member_joined', null, { user_id: invited.id, role: 'viewer' }],
      ['member_joined', null, { user_id: known.id, role: 'member' }],
      ['member_removed', null, { user_id: known.id }],
      ['project_suspended', projectId, { slug }],
      ['project_reactivated', projectId, { slug }],
      ['project_suspended', projectId, { slug }],
      ['project_deleted', null, { project_id: projectId, slug }],
    ]
    await expect.poll(() => requestsOf(tenant.id).length).toBe(expected.length)
    const bodies = requestsOf(tenant.id).map(request => JSON.parse(request.body) as TenantEvent & { timestamp: string })
    const inOrder = bodies.sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(inOrder.map(({ type, project_id, data }) => [type, project_id, data])).toEqual(expected)
    expectSigned(requestsOf(tenant.id), secret, [known.email, invited.email, plane.owner.email, tenant.name])
    await expect
      .poll(async () => (await deliveries(tenant.id, id)).data.map(({ status }) => status))
      .toEqual(expected.map(() => 'delivered'))
    // The list of events: the erasure of the project may have begun.
    const listed = (await events(tenant.id, '?limit=3')).data
    expect(listed[0]).toEqual({
      id: inOrder.at(-1)?.id,
      type: 'project_deleted',
      project_id: null,
      data: { project_id: projectId, slug },
      created_at: inOrder.at(-1)?.timestamp,
      api_key: null,
    })
    const joined = (await events(tenant.id, '?type=member_joined')).data
    expect(joined.map(({ data }) => data['user_id'])).toEqual([known.id, invited.id])
  })

  test('the events of a tenant are listed in pages, those of the guardrails among them', async () => {
    const tenant = await plane.makeTenant({ plan: 'pro' })
    const other = await plane.makeTenant({ plan: 'pro' })
    const projectIds: string[] = []
    for (let count = 0; count < 3; count++) projectIds.push((await plane.makeProject(tenant.id)).id)
    await plane.makeProject(other.id)
    const guardrailEvent = async (type: string, id: string) =>
      plane.query(
        `insert into guardrail_events (tenant_id, id, project_id, type, direction, mode, action_taken, entity_types,
          entity_count, request_id, timestamp, happened_at, user_hash) values (?, ?, ?, ?, 'input', 'enforce', 'blocked',
          '["PERSON"]', 2, ?, '1790000000.1', 1790000000100, 'hash-of-the-user') returning id`,
        [tenant.id, id, projectIds[0] ?? '', type, randomUUID()],
      )
    await guardrailEvent('pii_block', '00000000-0000-7000-8000-000000000001')
    await guardrailEvent('pii_detection', 'ffffffff-ffff-7000-8000-000000000001')
    const all = (await events(tenant.id)).data
    expect(all.map(({ type }) => type)).toEqual(['pii_detection', ...Array(3).fill('project_created'), 'pii_block'])
    expect(all[0]).toEqual({
      id: 'ffffffff-ffff-7000-8000-000000000001',
      type: 'pii_detection',
      project_id: projectIds[0],
      created_at: new Date(1_790_000_000_100).toISOString(),
      api_key: null,
      data: {
        direction: 'input',
        mode: 'enforce',
        action_taken: 'blocked',
        entity_types: ['PERSON'],
        entity_count: '2',
        request_id: expect.any(String),
      },
    })
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Listed<TenantEvent> = await events(tenant.id, `?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.data.length).toBeLessThanOrEqual(2)
      paged.push(...page.data.map(event => event.id))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all.map(event => event.id))
    expect((await events(tenant.id, '?type=pii_block')).data.map(({ type }) => type)).toEqual(['pii_block'])
    expect((await events(tenant.id, '?type=project_created')).data).toHaveLength(3)
    const unknownType = await call('GET', `/auth/v1/tenants/${tenant.id}/events?type=nothing`)
    expect([unknownType.status, unknownType.text]).toEqual([
      400,
      expect.stringContaining('type must be one of: project_'),
    ])
  })

  test('the list of events names the API keys, also revoked ones; what webhooks get does not', async () => {
    const tenant = await plane.makeTenant()
    const { id: projectId } = await plane.makeProject(tenant.id)
    const keys = `/auth/v1/projects/${projectId}/api-keys`
    const key = expectOk<{ id: string; api_key: string }>(await call('POST', keys, { name: 'Backend' }), 201)
    expectOk(await call('POST', `${keys}/${key.id}/revoke`))
    const shown = (await events(tenant.id)).data.map(({ type, api_key, data }) => [type, api_key, Object.keys(data)])
    const named = { name: 'Backend', hint: key.api_key.slice(-4) }
    expect(shown).toEqual([
      ['api_key_revoked', named, ['api_key_id', 'role']],
      ['api_key_created', named, ['api_key_id', 'role']],
      ['project_created', null, ['slug']],
    ])
  })

  test('a webhook gets the types that it names, and its secret is shown once', async () => {
    const tenant = await plane.makeTenant()
    const created = await create(tenant.id, { types: ['api_key_created', 'api_key_created'] })
    expect(created).toEqual({
      id: expect.any(String),
      project_id: null,
      url: receiver.url + hookOf(tenant.id),
      types: ['api_key_created'],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.stringMatching(/Z$/),
      previous_secret_until: null,
    })
    const { secret, ...shown } = created
    expect(expectOk(await call('GET', path(tenant.id)))).toEqual([shown])
    const rows = await plane.query('select * from webhooks')
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length, -4))
    const project = await plane.makeProject(tenant.id)
    const key = await plane.makeApiKey(project.id)
    await expect.poll(() => requestsOf(tenant.id).length).toBe(1)
    expect(JSON.parse(requestsOf(tenant.id)[0]?.body ?? '')).toMatchObject({ data: { api_key_id: key.id } })
    expect((await deliveries(tenant.id, created.id)).data.map(({ type }) => type)).toEqual(['api_key_created'])
  })

  test.each([
    'http://93.184.216.34/hook',
    'https://127.0.0.1/hook',
    'https://10.0.0.1/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/hook',
    'https://localhost/hook',
    'https://metadata.google.internal/hook',
    'https://93.184.216.34:22/hook',
    'https://user:password@93.184.216.34/hook',
    'ftp://93.184.216.34/hook',
    'hook',
    '',
  ])('the address %j is rejected', async url => {
    const tenant = await plane.makeTenant()
    const refused = { error: 'The address is not allowed', code: 'INVALID_BASE_URL' }
    expectRefusal(await call('POST', path(tenant.id), { url }), 400, refused)
    expect(expectOk(await call('GET', path(tenant.id)))).toEqual([])
  })

  test('rejects other fields that are wrong, an eleventh webhook, and unknown ids', async () => {
    const tenant = await plane.makeTenant()
    const url = receiver.url + hookOf(tenant.id)
    expectRefusal(await call('POST', path(tenant.id), {}), 400, 'url is required')
    expectRefusal(await call('POST', path(tenant.id), { url: 7 }), 400, 'url must be a string')
    for (const types of ['project_created', [], ['nothing'], ['webhook_test'], [7]]) {
      const { status, text } = await call('POST', path(tenant.id), { url, types })
      expect([status, text]).toEqual([400, expect.stringContaining('types must be an array of event types: project_')])
    }
    const made = await Promise.all(Array.from({ length: 12 }, () => call('POST', path(tenant.id), { url })))
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 409, 409])
    expectRefusal(await call('POST', path(tenant.id), { url }), 409, 'Maximum of 10 webhooks per tenant')
    const others = await plane.makeTenant()
    const foreign = await create(others.id)
    for (const id of [unknownId, foreign.id]) {
      expectRefusal(await call('DELETE', path(tenant.id, `/${id}`)), 404, 'Webhook not found')
      expectRefusal(await call('POST', path(tenant.id, `/${id}/rotate`)), 404, 'Webhook not found')
      expectRefusal(await call('POST', path(tenant.id, `/${id}/test`)), 404, 'Webhook not found')
      expectRefusal(await call('GET', path(tenant.id, `/${id}/deliveries`)), 404, 'Webhook not found')
    }
    expect(expectOk(await call('GET', path(others.id)))).toHaveLength(1)
  })

  test('a replayed Idempotency-Key creates no second webhook and does not show the secret again', async () => {
    const tenant = await plane.makeTenant()
    const headers = { 'idempotency-key': randomUUID() }
    const body = { url: receiver.url + hookOf(tenant.id) }
    expectOk(await call('POST', path(tenant.id), body, headers), 201)
    const words = 'The answer to this Idempotency-Key held a secret and is not replayed'
    expectRefusal(await call('POST', path(tenant.id), body, headers), 409, words)
    expect(expectOk(await call('GET', path(tenant.id)))).toHaveLength(1)
  })

  test('a rotated secret signs first, and the previous one too for 24 hours', async () => {
    const tenant = await plane.makeTenant()
    const first = await create(tenant.id)
    const rotate = async () =>
      expectOk<Created & { previous_secret_until: string }>(await call('POST', path(tenant.id, `/${first.id}/rotate`)))
    const second = await rotate()
    expect(second.secret).not.toBe(first.secret)
    const hours = (Date.parse(second.previous_secret_until) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23)
    expect(hours).toBeLessThanOrEqual(24)
    const next = async (count: number) => {
      expectOk(await call('POST', path(tenant.id, `/${first.id}/test`)), 202)
      await expect.poll(() => requestsOf(tenant.id).length).toBe(count)
      return requestsOf(tenant.id)[count - 1] as UpstreamRequest
    }
    const both = await next(1)
    expect(both.headers['webhook-signature']).toBe(signaturesBy([second.secret, first.secret], both))
    const third = await rotate()
    const newer = await next(2)
    expect(newer.headers['webhook-signature']).toBe(signaturesBy([third.secret, second.secret], newer))
    await plane.query('update webhooks set previous_until = ? where id = ? returning id', [Date.now() - 1, first.id])
    const alone = await next(3)
    expect(alone.headers['webhook-signature']).toBe(signaturesBy([third.secret], alone))
    expect(expectOk(await call('GET', path(tenant.id)))).toMatchObject([{ previous_secret_until: null }])
  })

  test('older secrets than the previous one are not stored any longer', async () => {
    const tenant = await plane.makeTenant()
    const { id } = await create(tenant.id)
    const lengths: number[] = []
    for (let count = 0; count < 3; count++) {
      expectOk(await call('POST', path(tenant.id, `/${id}/rotate`)))
      const rows = await plane.query<{ ciphertext: string }>('select ciphertext from webhooks where id = ?', [id])
      lengths.push(...rows.map(({ ciphertext }) => ciphertext.length))
    }
    expect(lengths).toEqual([lengths[0], lengths[0], lengths[0]])
  })

  test('a test is delivered whatever types the webhook names, is no event, and is limited to 10 a minute', async () => {
    const tenant = await plane.makeTenant()
    const { id } = await create(tenant.id, { types: ['project_deleted'] })
    const queued = expectOk<Delivery>(await call('POST', path(tenant.id, `/${id}/test`)), 202)
    expect(queued).toEqual({
      id: expect.any(String),
      type: 'webhook_test',
      status: 'pending',
      attempts: 0,
      last_status: null,
      created_at: expect.stringMatching(/Z$/),
    })
    await expect.poll(() => requestsOf(tenant.id).length).toBe(1)
    expect(requestsOf(tenant.id)[0]?.headers['webhook-id']).toBe(queued.id)
    expect(JSON.parse(requestsOf(tenant.id)[0]?.body ?? '')).toMatchObject({ type: 'webhook_test', data: {} })
    await expect
      .poll(async () => (await deliveries(tenant.id, id)).data)
      .toEqual([{ ...queued, status: 'delivered', attempts: 1, last_status: 204 }])
    expect((await events(tenant.id)).data).toEqual([])
    const more = await Promise.all(Array.from({ length: 12 }, () => call('POST', path(tenant.id, `/${id}/test`))))
    expect(more.map(({ status }) => status).sort()).toEqual([...Array(9).fill(202), 429, 429, 429])
    const refused = more.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('deliveries are listed newest first, in pages; a deleted webhook takes them along', async () => {
    const tenant = await plane.makeTenant()
    const { id } = await create(tenant.id)
    receiver.on('*', { status: 500, body: 'not logged' })
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      ids.unshift(expectOk<Delivery>(await call('POST', path(tenant.id, `/${id}/test`)), 202).id)
    }
    const first = await deliveries(tenant.id, id, '?limit=3')
    const rest = await deliveries(tenant.id, id, `?limit=3&cursor=${first.next_cursor}`)
    expect([...first.data, ...rest.data].map(row => row.id)).toEqual(ids)
    expect(rest.next_cursor).toBeNull()
    await expect
      .poll(async () => (await deliveries(tenant.id, id)).data.every(row => row.last_status === 500))
      .toBe(true)
    expectOk(await call('DELETE', path(tenant.id, `/${id}`)), 204)
    expect(await plane.query('select id from webhook_deliveries where webhook_id = ?', [id])).toEqual([])
    expectRefusal(await call('GET', path(tenant.id, `/${id}/deliveries`)), 404, 'Webhook not found')
  })

  test('a deleted tenant has no webhooks any more, and all of it is erased', async () => {
    const tenant = await plane.makeTenant()
    const { id } = await create(tenant.id)
    expectOk(await call('POST', path(tenant.id, `/${id}/test`)), 202)
    expectOk(await call('DELETE', `/auth/v1/tenants/${tenant.id}`, { confirm: tenant.name }), 204)
    expect(await plane.query('select id from webhooks where tenant_id = ?', [tenant.id])).toEqual([])
  })
})
