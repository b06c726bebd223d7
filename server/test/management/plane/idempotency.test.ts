// Idempotency-Key on the POSTs that create: the same answer once, for one caller and path, for a day.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { type InProcess, startInProcess } from '../../support/management-in-process.ts'

const hourMs = 60 * 60 * 1000

describeEachBackend('Idempotency-Key', start => {
  let plane: ManagementHarness
  let count = 0
  beforeAll(async () => {
    plane = await start()
  })

  const newKey = () => `key ${++count}`
  const post = (path: string, key: string, body: unknown, session = plane.owner.session) =>
    plane.call('POST', path, { session, body, headers: { 'idempotency-key': key } })
  const projectsOf = async (tenantId: string) =>
    (await plane.query('select id from projects where tenant_id = ?', [tenantId])).length

  test('answers the same again and creates once', async () => {
    const [tenant, key] = [await plane.makeTenant(), newKey()]
    const path = `/auth/v1/tenants/${tenant.id}/projects`
    const first = await post(path, key, { name: 'P' })
    expect(first.status).toBe(201)
    const again = await post(path, key, { name: ' P ', unread: 1 })
    expect([again.status, again.body]).toEqual([201, first.body])
    const alias = await post(`/v1/tenants/${tenant.id}/projects`, key, { name: 'P' })
    expect([alias.status, alias.body]).toEqual([201, first.body])
    expect(await projectsOf(tenant.id)).toBe(1)
  })

  test('refuses another body', async () => {
    const key = newKey()
    expect((await post('/auth/v1/tenants', key, { name: 'A' })).status).toBe(201)
    const answer = await post('/auth/v1/tenants', key, { name: 'B' })
    expect([answer.status, answer.body]).toEqual([422, { error: 'This Idempotency-Key was used with another body' }])
  })

  describe('compares bodies by value', () => {
    const first =
      '{"name":"gold","sort_order":1,"overrides":{"rpm_limit":5,"pii_entities":{"PERSON":"MASK","US_SSN":"BLOCK"},"sentinel_blocklist":["a","b"]}}'
    test.each([
      [
        'members in another order, at every depth',
        '{"overrides":{"sentinel_blocklist":["a","b"],"pii_entities":{"US_SSN":"BLOCK","PERSON":"MASK"},"rpm_limit":5},"sort_order":1,"name":"gold"}',
        201,
      ],
      [
        'another way to write the same',
        first.replace('"sort_order":1', ' "sort_order" : 1.0 ').replace('gold', '\\u0067old'),
        201,
      ],
      ['a list in another order', first.replace('["a","b"]', '["b","a"]'), 422],
      ['another value below', first.replace('MASK', 'REDACT'), 422],
      [
        'values that changed places',
        first.replace('"PERSON":"MASK","US_SSN":"BLOCK"', '"PERSON":"BLOCK","US_SSN":"MASK"'),
        422,
      ],
    ])('%s', async (_case, body, status) => {
      const [{ id }, key] = [await plane.makeProject((await plane.makeTenant()).id), newKey()]
      const path = `/auth/v1/projects/${id}/tiers`
      const made = await post(path, key, first)
      expect(made.status).toBe(201)
      const again = await post(path, key, body)
      expect(again.status).toBe(status)
      if (status === 201) expect(again.body).toEqual(made.body)
      expect(await plane.query('select id from tiers where project_id = ?', [id])).toHaveLength(1)
    })
  })

  test('belongs to its caller and its path', async () => {
    const [key, person] = [newKey(), await plane.makePerson()]
    const ids = [
      await post('/auth/v1/tenants', key, { name: 'A' }),
      await post('/auth/v1/tenants', key, { name: 'A' }, person.session),
    ].map(answer => (answer.body as { id: string }).id)
    expect(new Set(ids).size).toBe(2)
    const [first, second] = [await plane.makeTenant(), await plane.makeTenant()]
    for (const tenant of [first, second]) {
      expect((await post(`/auth/v1/tenants/${tenant.id}/projects`, key, { name: 'P' })).status).toBe(201)
    }
    expect([await projectsOf(first.id), await projectsOf(second.id)]).toEqual([1, 1])
  })

  test('lets one of twenty at once create', async () => {
    const [tenant, key] = [await plane.makeTenant(), newKey()]
    const path = `/auth/v1/tenants/${tenant.id}/projects`
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, key, { name: 'P' })))
    expect(await projectsOf(tenant.id)).toBe(1)
    const created = answers.filter(answer => answer.status === 201)
    expect(new Set(created.map(answer => answer.text)).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      const error = 'A request with this Idempotency-Key is still running'
      expect([answer.status, answer.body]).toEqual([409, { error, retryable: true }])
    }
  })

  test('never replays a plaintext key', async () => {
    const [project, key] = [await plane.makeProject((await plane.makeTenant()).id), newKey()]
    const path = `/auth/v1/projects/${project.id}/api-keys`
    const first = await post(path, key, {})
    expect(first.status).toBe(201)
    const again = await post(path, key, {})
    const error = 'The answer to this Idempotency-Key held a secret and is not replayed'
    expect([again.status, again.body]).toEqual([409, { error }])
    expect((await post(path, key, { name: 'other' })).status).toBe(422)
    const { api_key } = first.body as { api_key: string }
    expect(JSON.stringify(await plane.query('select * from idempotency_keys'))).not.toContain(api_key.slice(-32))
    expect(await plane.query('select id from api_keys where project_id = ?', [project.id])).toHaveLength(1)
  })

  test('never replays an invitation link', async () => {
    const tenant = await plane.makeTenant()
    const path = `/auth/v1/tenants/${tenant.id}/members`
    const linkKey = newKey()
    const link = { email: `linked-${count}@example.com`, role: 'member' }
    expect((await post(path, linkKey, link)).status).toBe(201)
    expect((await post(path, linkKey, link)).status).toBe(409)
    expect(JSON.stringify(await plane.query('select body from idempotency_keys'))).not.toContain('invite#token=')
  })

  test('is free again after a refusal', async () => {
    const [tenant, key, person] = [await plane.makeTenant(), newKey(), await plane.makePerson()]
    const path = `/auth/v1/tenants/${tenant.id}/members`
    await plane.join(tenant.id, person, 'viewer')
    const taken = await post(path, key, { email: person.email, role: 'viewer' })
    expect(taken.body).toEqual({ error: 'Already a member of this tenant' })
    expect((await post(path, key, { email: `other-${count}@example.com`, role: 'viewer' })).status).toBe(201)
  })

  test.each([
    ['an empty key', ''],
    ['a key of 256 characters', 'k'.repeat(256)],
  ])('refuses %s', async (_case, key) => {
    const answer = await post('/auth/v1/tenants', key, { name: 'A' })
    expect([answer.status, answer.body]).toEqual([400, { error: 'Idempotency-Key must be 1 to 255 characters' }])
  })

  test('means nothing to routes that create nothing', async () => {
    const project = await plane.makeProject((await plane.makeTenant()).id)
    const path = `/auth/v1/projects/${project.id}/suspend`
    expect((await post(path, 'k'.repeat(300), undefined)).status).toBe(200)
  })
})

describe('the clock of Idempotency-Key', () => {
  let plane: InProcess
  beforeAll(async () => {
    plane = await startInProcess()
  })
  afterAll(() => plane.stop())

  const create = async (token: string, key: string) =>
    await plane.call('POST', '/auth/v1/tenants', { token, key, body: { name: 'T' } })

  test('remembers for a day and no longer', async () => {
    const first = await create(await plane.signIn(), 'day')
    plane.clock.advance(24 * hourMs - 1)
    expect((await create(await plane.signIn(), 'day')).body).toEqual(first.body)
    plane.clock.advance(1)
    const next = await create(await plane.signIn(), 'day')
    expect(next.status).toBe(201)
    expect(next.body['id']).not.toBe(first.body['id'])
  })

  test('gives up a request that died with its process', async () => {
    const token = await plane.signIn()
    const first = await create(token, 'died')
    const unfinished = { status: null, body: null }
    await plane.management.sql.updateTable('idempotency_keys').set(unfinished).where('key', '=', 'died').execute()
    plane.clock.advance(110_000)
    expect((await create(token, 'died')).status).toBe(409)
    plane.clock.advance(10_000)
    const next = await create(token, 'died')
    expect(next.status).toBe(201)
    expect(next.body['id']).not.toBe(first.body['id'])
  })
})
