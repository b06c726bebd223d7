// A tenant renamed, exported and deleted: every status and message; the export holds every row that is the tenant's,
// nobody else's and no secret; after the deletion nobody has access, and nothing is left.
import { randomUUID } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectTables, tenantTables } from '../../../src/storage/owned/owned-tables.ts'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId, type Words } from '../requests.ts'
import { startTwoTenants, type TenantOf, type TwoTenants } from '../two-tenants.ts'

interface Line {
  type: string
  data: Record<string, unknown>
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

const tenantPath = (id: string, suffix = '') => `/auth/v1/tenants/${id}${suffix}`

/** What only traffic makes. */
async function addTraffic(
  { query }: ManagementHarness,
  { id, projects, webhookId }: TenantOf,
  messages = 3,
): Promise<void> {
  const [project] = projects
  const place = [project.id, 'user-1', 'talk'] as const
  const made = `insert into threads (project_id, user_id, id, title, message_count, created_at, updated_at)
    values (?, ?, ?, 'Hello', 3, 1, 1) returning id`
  await query(made, [...place])
  for (let position = 1; position <= messages; position++) {
    const said = `insert into thread_messages (project_id, user_id, thread_id, position, id, role, body, created_at)
      values (?, ?, ?, ?, ?, 'user', ?, 1) returning id`
    await query(said, [...place, position, randomUUID(), JSON.stringify({ role: 'user', content: `Said ${position}` })])
  }
  await query(
    `insert into stored_responses (project_id, user_id, id, body, messages, message_count, created_at, expires_at)
      values (?, 'user-1', ?, '{"object":"response"}', '[]', 0, 1, 4102444800000) returning id`,
    [project.id, `resp_${randomUUID()}`],
  )
  await addUsage(query, { id, projectId: project.id })
  await addTenantRows(query, { id, projectId: project.id, webhookId })
}

type Query = ManagementHarness['query']

async function addUsage(query: Query, { id, projectId }: { id: string; projectId: string }): Promise<void> {
  await query(
    `insert into usage_records (request_id, tenant_id, project_id, user_id, day, model, provider, prompt_tokens,
      completion_tokens, total_tokens, cached_tokens, reasoning_tokens, cost_nanousd, is_estimated, created_at)
      values (?, ?, ?, 'user-1', '2026-05-01', 'openai/gpt-4o', 'openai', 1, 2, 3, 0, 0, 1500000000, 1, ?) returning day`,
    [randomUUID(), id, projectId, Date.now()],
  )
  await query(
    `insert into usage_days (project_id, day, user_id, model, requests, prompt_tokens, completion_tokens, total_tokens,
      cost_nanousd) values (?, '2026-05-01', 'user-1', 'openai/gpt-4o', 1, 1, 2, 3, 1500000000) returning day`,
    [projectId],
  )
  await query(
    `insert into usage_endpoints values (?, '2026-05-01', 'user-1', 'openai/gpt-4o', 'messages', 1, 1, 2, 3, 9)
      returning day`,
    [projectId],
  )
  await query(
    `insert into usage_rollups values (?, '2026-05-01', 'openai/gpt-4o', '2026-05-01', 1, 1, 2, 3, 1500000000)
      returning day`,
    [projectId],
  )
  await query(`insert into usage_tiers values (?, '2026-05-01', 'gold', 1, 1, 2, 3, 1500000000) returning day`, [
    projectId,
  ])
}

async function addTenantRows(
  query: Query,
  { id, projectId, webhookId }: { id: string; projectId: string; webhookId: string },
): Promise<void> {
  await query(
    `insert into guardrail_events (tenant_id, id, project_id, type, direction, mode, action_taken, entity_types,
      entity_count, request_id, timestamp, happened_at) values (?, ?, ?, 'pii_detection', 'input', 'enforce', 'masked',
      '["PERSON"]', 1, ?, '1790000000.1', 1790000000100) returning id`,
    [id, randomUUID(), projectId, randomUUID()],
  )
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, id, type, body, status, attempts, next_attempt_at,
      created_at) values (?, ?, ?, 'project_created', '{"data":{}}', 'delivered', 1, 1, 1790000000100) returning id`,
    [id, webhookId, randomUUID()],
  )
  await query(
    `insert into tenant_prices (tenant_id, model, effective_at, prices, updated_at) values (?, 'openai/gpt-4o', 0, '{"input":1}', 1)
      returning model`,
    [id],
  )
  await query(`insert into tenant_budgets values (?, '[{"usd":1,"period":"day"}]', 1) returning tenant_id`, [id])
  await query(`insert into end_user_budgets values (?, 'user-1', '[{"usd":1,"period":"day"}]', 1) returning user_id`, [
    projectId,
  ])
  await query(`insert into request_alerts values (?, 'Errors', 0, '{"on":"error_rate"}', null) returning name`, [
    projectId,
  ])
  await query(
    `insert into end_users (project_id, user_id, first_seen_at, last_seen_at) values (?, 'user-1', 1, 1)
      on conflict do nothing returning user_id`,
    [projectId],
  )
  await query(
    `insert into end_user_restrictions (project_id, user_id, blocked_at, block_reason)
      values (?, 'user-1', 1, 'Spam') returning user_id`,
    [projectId],
  )
}

describeEachBackend('a tenant', (start, backend) => {
  let world: TwoTenants
  let plane: ManagementHarness
  beforeAll(async () => {
    world = await startTwoTenants(start)
    plane = world.plane
    await addTraffic(plane, world.a)
    await addTraffic(plane, world.b)
  })
  const owned = () => ({ session: plane.owner.session })

  describe('renamed', () => {
    test('has another name for everybody, and is the same tenant', async () => {
      const { id } = await plane.makeTenant({ plan: 'pro' })
      const { session } = await plane.makePerson({ tenantId: id, role: 'member' })
      const renamed = expectOk(await plane.call('PATCH', tenantPath(id), { session, body: { name: ' Ny AB ' } }))
      expect(renamed).toEqual({
        id,
        name: 'Ny AB',
        plan: 'pro',
        created_at: expect.stringMatching(/Z$/),
        require_second_factor: false,
      })
      expect(expectOk(await plane.call('GET', `/v1/tenants/${id}`, owned()))).toEqual(renamed)
    })

    test.each<[unknown, string]>([
      [{}, 'name is required'],
      [{ name: '  ' }, 'name is required'],
      [{ name: 7 }, 'name must be a string'],
      [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    ])('refuses %j', async (body, words) => {
      const { id } = await plane.makeTenant()
      expectRefusal(await plane.call('PATCH', tenantPath(id), { ...owned(), body }), 400, words)
      const viewer = await plane.makePerson({ tenantId: id, role: 'viewer' })
      const byViewer = await plane.call('PATCH', tenantPath(id), { session: viewer.session, body: { name: 'x' } })
      expectRefusal(byViewer, 403, 'Forbidden')
    })
  })

  describe('exported', () => {
    const exportOf = (id: string, session: string) => plane.call('GET', tenantPath(id, '/export'), { session })

    test('is every row that is its own, and nobody else’s', async () => {
      const { a, b } = world
      const answer = await exportOf(a.id, a.owner.session)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
      const lines = linesOf(answer.text)
      expect(lines[0]).toEqual({
        type: 'tenant',
        data: {
          id: a.id,
          name: a.name,
          plan: 'pro',
          created_at: expect.stringMatching(/Z$/),
          require_second_factor: false,
        },
      })
      const count = (type: string) => lines.filter(line => line.type === type).length
      expect(count('project')).toBe(2)
      const ids = a.projects.map(({ id }) => id)
      for (const { name, owner, record } of [...tenantTables, ...projectTables]) {
        if (record === null) continue
        const wanted = owner === 'tenant_id' ? [a.id] : ids
        const rows = await plane.query<Record<string, unknown>>(`select * from ${name}`)
        const mine = rows.filter(row => wanted.includes(String(row[owner])))
        expect([record, count(record)]).toEqual([record, mine.length])
        expect(mine.length, record).toBeGreaterThan(0)
      }
      for (const foreign of [b.id, b.owner.id, b.owner.email, ...b.projects.map(({ id }) => id)]) {
        expect(answer.text).not.toContain(foreign)
      }
      expect(lines.find(({ type }) => type === 'message')?.data).toMatchObject({
        user_id: 'user-1',
        body: { role: 'user', content: 'Said 1' },
      })
      expect(lines.find(({ type }) => type === 'usage_day')?.data).toMatchObject({ cost_usd: 1.5, day: '2026-05-01' })
      expect(lines.find(({ type }) => type === 'usage_tier')?.data).toMatchObject({ cost_usd: 1.5, tier: 'gold' })
      const members = lines.filter(({ type }) => type === 'member').map(({ data }) => data)
      expect(members).toContainEqual(expect.objectContaining({ email: a.owner.email, role: 'owner' }))
      expect(lines.find(({ type }) => type === 'guardrail_event')?.data).toMatchObject({ entity_types: ['PERSON'] })
      expect(lines.find(({ type }) => type === 'settings')?.data).toMatchObject({ memory_enabled: true })
    })

    test('holds no secret, nor what a secret could be looked up by', async () => {
      const { a } = world
      const { text } = await exportOf(a.id, a.owner.session)
      const secrets = await Promise.all(
        [
          'select digest as a, hash as b from api_keys',
          'select ciphertext as a, ciphertext as b from provider_keys',
          'select token_digest as a, token_digest as b from invitations',
          'select ciphertext as a, ciphertext as b from webhooks',
          'select ciphertext as a, ciphertext as b from sso_connections',
          'select token_digest as a, password_hash as b from sessions join users on users.id = sessions.user_id',
        ].map(query => plane.query<{ a: string; b: string }>(query)),
      )
      const values = secrets.flat().flatMap(({ a: first, b: second }) => [first, second])
      expect(values.length).toBeGreaterThan(20)
      for (const value of [...values, a.projects[0].apiKey, 'sk-good0123456789abcdefghij', plane.adminSecret]) {
        expect(text).not.toContain(value)
      }
    })

    test('only by its owners', async () => {
      const { a, b, member, viewer } = world
      for (const { session } of [member, viewer, b.owner]) {
        expectRefusal(await exportOf(a.id, session), 403, 'Forbidden')
      }
      expectRefusal(await exportOf(unknownId, a.owner.session), 404, {
        error: 'Tenant not found',
        code: 'TENANT_NOT_FOUND',
      })
    })

    test('has more rows than a page of each', async () => {
      const many = await world.makeTenantOf(0)
      await addTraffic(plane, many, 1)
      const insert =
        backend === 'sqlite'
          ? 'with recursive n(i) as (select 2 union all select i + 1 from n where i < 1203)'
          : 'with n(i) as (select generate_series(2, 1203))'
      await plane.query(
        `${insert} insert into thread_messages (project_id, user_id, thread_id, position, id, role, body, created_at)
          select project_id, user_id, thread_id, i, id, role, body, created_at from thread_messages, n
          where project_id = ? and position = 1 returning position`,
        [many.projects[0].id],
      )
      const lines = linesOf((await exportOf(many.id, many.owner.session)).text)
      const positions = lines.filter(({ type }) => type === 'message').map(({ data }) => data['position'])
      expect(positions).toEqual(Array.from({ length: 1203 }, (_, index) => index + 1))
    })

    test('is read as fast as its client reads, not faster', async () => {
      const large = await world.makeTenantOf(0)
      await addTraffic(plane, large, 80)
      const place = 'project_id = ?'
      const body = JSON.stringify({ role: 'user', content: 'x'.repeat(1_000_000) })
      await plane.query(`update thread_messages set body = ? where ${place} returning id`, [body, large.projects[0].id])
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${large.owner.session}` }
        get(plane.baseUrl + tenantPath(large.id, '/export'), { headers }, resolve).on('error', reject)
      })
      response.pause()
      // What is not read by then must not have been read from the database either.
      await sleep(2_000)
      await plane.query(`delete from thread_messages where ${place} and position > 1 returning id`, [
        large.projects[0].id,
      ])
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const count = linesOf(text).filter(({ type }) => type === 'message').length
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThan(60)
    })
  })

  describe('deleted', () => {
    const remove = (id: string, confirm: unknown, session = plane.owner.session) =>
      plane.call('DELETE', tenantPath(id), { session, body: { confirm } })
    const suspendAll = async ({ projects, owner }: TenantOf) => {
      for (const { id } of projects) {
        expectOk(await plane.call('POST', `/auth/v1/projects/${id}/suspend`, { session: owner.session }))
      }
    }

    test.each<[string, (id: string, name: string) => Promise<Answer>, number, Words]>([
      ['under another name', id => remove(id, 'Tenant'), 400, 'confirm must be the name of the tenant'],
      ['under no text', id => remove(id, null), 400, 'confirm must be the name of the tenant'],
      [
        'without a body',
        id => plane.call('DELETE', tenantPath(id), owned()),
        400,
        'confirm must be the name of the tenant',
      ],
    ])('is refused %s', async (_how, call, status, words) => {
      const { id, name } = await plane.makeTenant()
      expectRefusal(await call(id, name), status, words)
      expectOk(await plane.call('GET', tenantPath(id), owned()))
    })

    test('is refused to all but owners, and while a project is active', async () => {
      const { id, name } = await plane.makeTenant()
      for (const role of ['member', 'viewer'] as const) {
        const { session } = await plane.makePerson({ tenantId: id, role })
        expectRefusal(await remove(id, name, session), 403, 'Forbidden')
      }
      const project = await plane.makeProject(id)
      expectRefusal(await remove(id, name), 409, 'Suspend all projects of the tenant first')
      expectOk(await plane.call('POST', `/auth/v1/projects/${project.id}/suspend`, owned()))
      expect((await remove(id, name)).status).toBe(204)
    })

    test('is gone for everybody at once, with its projects; the worker erases the rest', async () => {
      const tenant = await world.makeTenantOf(1)
      await addTraffic(plane, tenant)
      const { session } = tenant.owner
      const only = await plane.makePerson()
      const elsewhere = await plane.makePerson({ tenantId: (await plane.makeTenant()).id, role: 'member' })
      for (const person of [only, elsewhere]) await plane.join(tenant.id, person, 'member', session)
      await plane.query('delete from memberships where user_id = ? and tenant_id != ? returning user_id', [
        only.id,
        tenant.id,
      ])
      await suspendAll(tenant)
      const removed = await remove(tenant.id, tenant.name, session)
      expect([removed.status, removed.text]).toEqual([204, ''])
      const gone = { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' }
      expectRefusal(await plane.call('GET', tenantPath(tenant.id), { session }), 404, gone)
      expectRefusal(await remove(tenant.id, tenant.name, session), 404, gone)
      const [project] = tenant.projects
      expectRefusal(await plane.call('GET', `/auth/v1/projects/${project.id}`, { session }), 404, 'Project not found')
      const plan = { adminSecret: plane.adminSecret, body: { plan: 'pro' } }
      expectRefusal(await plane.call('PUT', `/v1/admin/tenants/${tenant.id}/plan`, plan), 404, gone)
      // People stay; who has no other tenant is signed out, but for who asked.
      const me = expectOk<{ tenants: { id: string }[] }>(
        await plane.call('GET', '/auth/v1/sessions/current', { session }),
      )
      expect(me.tenants.map(({ id }) => id)).not.toContain(tenant.id)
      expect((await plane.call('GET', '/auth/v1/sessions/current', elsewhere)).status).toBe(200)
      expectRefusal(await plane.call('GET', '/auth/v1/sessions/current', only), 401, 'Invalid session')
      expect(await plane.query('select id from provider_keys where tenant_id = ?', [tenant.id])).toEqual([])
      expect(await plane.query('select id from invitations where tenant_id = ?', [tenant.id])).toEqual([])
      const slugs = await plane.query('select slug from retired_slugs where slug in (?, ?)', [
        ...tenant.projects.map(({ slug }) => slug),
      ])
      expect(slugs).toHaveLength(2)
      const tables = [
        'threads',
        'usage_records',
        'usage_days',
        'usage_endpoints',
        'usage_rollups',
        'usage_tiers',
        'settings',
        'api_keys',
      ]
      for (const table of tables) {
        const read = () => plane.query(`select project_id from ${table} where project_id = ?`, [project.id])
        await expect.poll(read).toEqual([])
      }
    })

    test('takes in no project that is made or reactivated at the same moment', async () => {
      for (let round = 0; round < 5; round++) {
        const { id, name } = await plane.makeTenant()
        const project = await plane.makeProject(id)
        await plane.call('POST', `/auth/v1/projects/${project.id}/suspend`, owned())
        const [removed] = await Promise.all([
          remove(id, name),
          plane.call('POST', tenantPath(id, '/projects'), { ...owned(), body: { name: 'Late' } }),
          plane.call('POST', `/auth/v1/projects/${project.id}/reactivate`, owned()),
        ])
        const active = await plane.query("select id from projects where tenant_id = ? and status = 'active'", [id])
        expect([204, 409]).toContain(removed.status)
        expect(active.length > 0).toBe(removed.status === 409)
      }
    })
  })
})
