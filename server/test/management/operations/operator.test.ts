// What the operator sees of all tenants, and who is refused.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

interface Page<Row> {
  data: Row[]
  next_cursor: string | null
}

interface Tenant {
  id: string
  name: string
}

interface Usage extends Page<Record<string, unknown>> {
  totals: Record<string, number>
}

describeEachBackend('the operator', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start({ own: true })
  })
  const ask = (path: string, adminSecret = plane.adminSecret) => plane.call('GET', path, { adminSecret })
  const list = async (query = '') => expectOk<Page<Tenant>>(await ask(`/v1/admin/tenants${query}`))
  const usage = async (query = '') => expectOk<Usage>(await ask(`/v1/admin/usage${query}`))
  const rename = (id: string, name: string) =>
    plane.call('PATCH', `/auth/v1/tenants/${id}`, { session: plane.owner.session, body: { name } })

  describe('the health of the installation', () => {
    interface Health {
      version: string
      database: { kind: string; ping_ms: number | null }
      store: { kind: string; ping_ms: number | null }
      queues: { queue: string; waiting: number; due_since: string | null }[]
    }
    const health = async () => expectOk<Health>(await ask('/v1/admin/health'))

    test('has the version, the state of both stores, and the queues', async () => {
      const { version, database, store, queues } = await health()
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(['sqlite process', 'postgresql redis']).toContain(`${database.kind} ${store.kind}`)
      expect([database.ping_ms, store.ping_ms]).toEqual([expect.any(Number), expect.any(Number)])
      expect(queues.map(({ queue }) => queue)).toEqual(['webhook_deliveries', 'meter_events', 'host_names'])
    })

    test('counts what waits, and says since when it is due', async () => {
      const { id: tenantId } = await plane.makeTenant()
      const [id, due] = [randomUUID(), Date.now() - 60_000]
      // Claimed for years, so that no worker sends anything.
      await plane.query(
        `insert into webhooks (id, tenant_id, project_id, url, types, ciphertext, previous_until, created_at, due_at,
          is_slow, claim, claimed_until) values (?, ?, null, 'https://receiver.invalid', null, '', null, ?, ?, 0, null, ?)`,
        [id, tenantId, due, due, due * 2],
      )
      await plane.query(
        `insert into webhook_deliveries (tenant_id, webhook_id, id, type, body, status, attempts, last_status,
          next_attempt_at, created_at) values (?, ?, ?, 'api_key_created', '{}', 'pending', 0, null, ?, ?)`,
        [tenantId, id, randomUUID(), due, due],
      )
      const { queues } = await health()
      expect(queues[0]).toEqual({ queue: 'webhook_deliveries', waiting: 1, due_since: new Date(due).toISOString() })
    })
  })

  describe('tenants', () => {
    test('are listed with their owners, newest first', async () => {
      const { id } = await plane.makeTenant({ plan: 'pro' })
      await plane.makeProject(id)
      const suspended = await plane.makeProject(id)
      await plane.call('POST', `/auth/v1/projects/${suspended.id}/suspend`, { session: plane.owner.session })
      await plane.makePerson({ tenantId: id, role: 'viewer' })
      const { data } = await list()
      expect(data.find(tenant => tenant.id === id)).toEqual({
        id,
        name: expect.any(String),
        plan: 'pro',
        created_at: expect.stringMatching(/Z$/),
        active_projects: 1,
        members: 2,
        owners: [{ id: plane.owner.id, email: plane.owner.email }],
      })
      const times = data.map(tenant => (tenant as unknown as { created_at: string }).created_at)
      expect(times).toEqual([...times].sort().reverse())
    })

    test('are found by an id, a part of a name or of a member’s email, taken as it is', async () => {
      const [percent, under] = [await plane.makeTenant(), await plane.makeTenant()]
      await rename(percent.id, '100% Übersee')
      await rename(under.id, 'snake_case')
      const person = await plane.makePerson({ tenantId: under.id, role: 'member' })
      const found = async (q: string) => (await list(`?q=${encodeURIComponent(q)}`)).data.map(({ id }) => id)
      expect(await found('0% Ü')).toEqual([percent.id])
      expect(await found('SNAKE_C')).toEqual([under.id])
      await rename((await plane.makeTenant()).id, 'snakeXcase and 1000 Übersee')
      expect(await found('snake_case')).toEqual([under.id])
      expect(await found(under.id)).toEqual([under.id])
      expect(await found(person.email.slice(0, 15).toUpperCase())).toContain(under.id)
      expect(await found('nobody-has-this')).toEqual([])
    })

    test('come in pages without gaps or repetitions', async () => {
      for (let count = 0; count < 5; count++) await rename((await plane.makeTenant()).id, `Paged ${count}`)
      const seen: string[] = []
      for (let query = '?q=paged&limit=2'; ; ) {
        const { data, next_cursor } = await list(query)
        seen.push(...data.map(({ name }) => name))
        if (next_cursor === null) break
        query = `?q=paged&limit=2&cursor=${next_cursor}`
      }
      expect(seen.sort()).toEqual(['Paged 0', 'Paged 1', 'Paged 2', 'Paged 3', 'Paged 4'])
      const { next_cursor } = await list('?q=paged&limit=2')
      expectRefusal(await ask(`/v1/admin/tenants?q=other&cursor=${next_cursor}`), 400, 'cursor is not valid')
    })

    test('that were deleted are not listed', async () => {
      const { id, name } = await plane.makeTenant()
      const body = { confirm: name }
      await plane.call('DELETE', `/auth/v1/tenants/${id}`, { session: plane.owner.session, body })
      expect((await list(`?q=${id}`)).data).toEqual([])
    })

    test.each([
      ['?limit=0', 'limit must be an integer 1-200'],
      ['?cursor=x', 'cursor is not valid'],
      [`?q=${'x'.repeat(256)}`, 'q must be at most 255 characters'],
      ['?q=a&q=b', 'q must be a string'],
    ])('refuses %.20s', async (query, words) => {
      expectRefusal(await ask(`/v1/admin/tenants${query}`), 400, words)
    })
  })

  describe('projects', () => {
    interface Project extends Tenant {
      slug: string
      tenant_id: string
    }
    const listProjects = async (query: string) => expectOk<Page<Project>>(await ask(`/v1/admin/projects${query}`))
    const found = async (q: string) =>
      (await listProjects(`?q=${encodeURIComponent(q)}`)).data.map(project => project.id)

    test('are found by what a log or a request shows: id, tenant, host, a part of the name or slug', async () => {
      const tenant = await plane.makeTenant({ plan: 'pro' })
      const [first, second] = [await plane.makeProject(tenant.id), await plane.makeProject(tenant.id)]
      const session = plane.owner.session
      await plane.call('PATCH', `/auth/v1/projects/${first.id}`, { session, body: { name: '100% Über_sicht' } })
      await plane.call('POST', `/auth/v1/projects/${first.id}/suspend`, { session })
      const { data } = await listProjects(`?q=${first.id}`)
      expect(data).toEqual([
        {
          id: first.id,
          slug: first.slug,
          name: '100% Über_sicht',
          status: 'suspended',
          tenant_id: tenant.id,
          tenant_name: tenant.name,
          created_at: expect.stringMatching(/Z$/),
        },
      ])
      expect(await found(tenant.id.toUpperCase())).toEqual(expect.arrayContaining([first.id, second.id]))
      expect(await found(tenant.id)).toHaveLength(2)
      expect(await found(second.fqdn_prod)).toEqual([second.id])
      expect(await found(second.slug.slice(0, -1))).toEqual([second.id])
      expect(await found('0% ÜBER_')).toEqual([first.id])
      expect(await found('%ber%')).toEqual([])
    })

    test('come in pages without gaps or repetitions, newest first, without the deleted ones', async () => {
      const tenant = await plane.makeTenant({ plan: 'pro' })
      const gone = await plane.makeProject(tenant.id)
      const made: string[] = []
      for (let count = 0; count < 4; count++) made.push((await plane.makeProject(tenant.id)).id)
      const session = plane.owner.session
      await plane.call('POST', `/auth/v1/projects/${gone.id}/suspend`, { session })
      const deletion = { session, body: { confirm: gone.slug } }
      expectOk(await plane.call('DELETE', `/auth/v1/projects/${gone.id}`, deletion), 204)
      const seen: Project[] = []
      for (let query = `?q=${tenant.id}&limit=3`; ; ) {
        const { data, next_cursor } = await listProjects(query)
        seen.push(...data)
        if (next_cursor === null) break
        query = `?q=${tenant.id}&limit=3&cursor=${next_cursor}`
      }
      expect(seen.map(({ id }) => id).sort()).toEqual(made.sort())
      const times = seen.map(project => (project as unknown as { created_at: string }).created_at)
      expect(times).toEqual([...times].sort().reverse())
    })

    test('are refused with a query that is not one', async () => {
      expectRefusal(await ask('/v1/admin/projects?limit=0'), 400, 'limit must be an integer 1-200')
    })
  })

  describe('usage', () => {
    let tenants: string[]
    beforeAll(async () => {
      await plane.query('delete from usage_days returning day')
      await plane.query('delete from usage_endpoints returning day')
      // Rows that arrive after their project was erased are in no report.
      for (const [table, endpoint] of [
        ['usage_days', ''],
        ['usage_endpoints', "'embeddings',"],
      ]) {
        await plane.query(`insert into ${table} values ('gone', '2026-05-02', 'u', 'm', ${endpoint} 1, 2, 3, 4, 5)`)
      }
      tenants = []
      for (const [index, days] of [['2026-05-01', '2026-05-02'], ['2026-05-02']].entries()) {
        const tenant = await plane.makeTenant()
        tenants.push(tenant.id)
        const project = await plane.makeProject(tenant.id)
        for (const day of days) {
          await plane.query(
            `insert into usage_days (project_id, day, user_id, model, requests, prompt_tokens, completion_tokens,
              total_tokens, cost_nanousd) values (?, ?, ?, ?, 1, 10, 5, 15, 250000000) returning day`,
            [project.id, day, randomUUID(), index === 0 ? 'openai/gpt-4o' : 'cohere/command-a'],
          )
        }
        if (index === 1) {
          await plane.query(
            `insert into usage_endpoints select project_id, day, user_id, model, 'messages', requests, prompt_tokens,
              completion_tokens, total_tokens, cost_nanousd from usage_days where project_id = ? returning day`,
            [project.id],
          )
        }
      }
    })
    const sums = (requests: number) => ({
      requests,
      prompt_tokens: 10 * requests,
      completion_tokens: 5 * requests,
      total_tokens: 15 * requests,
      cost_usd: requests / 4,
    })

    test('is summed by tenant, day, model or endpoint', async () => {
      const none = { tenant_id: null, day: null, model: null, endpoint: null, price_unknown: false }
      const byTenant = [
        { ...none, tenant_id: tenants[0], ...sums(2) },
        { ...none, tenant_id: tenants[1], ...sums(1) },
      ].sort((a, b) => (String(a.tenant_id) < String(b.tenant_id) ? -1 : 1))
      expect(await usage()).toEqual({ data: byTenant, totals: sums(3), next_cursor: null })
      expect(await usage('?group_by=tenant')).toEqual({ data: byTenant, totals: sums(3), next_cursor: null })
      expect((await usage('?group_by=day')).data).toEqual([
        { ...none, day: '2026-05-02', ...sums(2) },
        { ...none, day: '2026-05-01', ...sums(1) },
      ])
      expect((await usage('?group_by=model')).data).toEqual([
        { ...none, model: 'cohere/command-a', ...sums(1) },
        { ...none, model: 'openai/gpt-4o', ...sums(2) },
      ])
      expect((await usage('?group_by=endpoint')).data).toEqual([
        { ...none, endpoint: 'chat_completions', ...sums(2) },
        { ...none, endpoint: 'messages', ...sums(1) },
      ])
    })

    test('that cost nothing for want of a price is told from usage at a price of 0', async () => {
      const [unpriced, free] = [await plane.makeTenant(), await plane.makeTenant()]
      const day = '2026-06-01'
      for (const { id } of [unpriced, free]) {
        const project = await plane.makeProject(id)
        await plane.query(
          `insert into usage_days (project_id, day, user_id, model, requests, prompt_tokens, completion_tokens,
            total_tokens, cost_nanousd) values (?, ?, 'u', 'openai/of-nobody', 1, 10, 5, 15, 0) returning day`,
          [project.id, day],
        )
      }
      await plane.query(
        `insert into tenant_prices (tenant_id, model, effective_at, prices, updated_at)
          values (?, 'openai/of-nobody', 0, '{"input":0,"output":0}', 0) returning model`,
        [free.id],
      )
      const flags = async (grouping: string, name: string) =>
        (await usage(`?group_by=${grouping}&from=${day}`)).data.map(row => [row[name], row['price_unknown']])
      expect(new Map((await flags('tenant', 'tenant_id')) as [unknown, unknown][])).toEqual(
        new Map([
          [unpriced.id, true],
          [free.id, false],
        ]),
      )
      expect(await flags('model', 'model')).toEqual([['openai/of-nobody', true]])
      expect(await flags('day', 'day')).toEqual([[day, true]])
      expect(await flags('endpoint', 'endpoint')).toEqual([['chat_completions', false]])
      await plane.query('delete from usage_days where day = ? returning day', [day])
    })

    test('is bounded by days and comes in pages', async () => {
      const may = await usage('?group_by=day&from=2026-05-02&to=2026-05-02')
      expect([may.data.length, may.totals]).toEqual([1, sums(2)])
      const first = await usage('?group_by=model&limit=1')
      const second = await usage(`?group_by=model&limit=1&cursor=${first.next_cursor}`)
      expect([first, second].map(({ data }) => data[0]?.['model'])).toEqual(['cohere/command-a', 'openai/gpt-4o'])
      expect([first.totals, second.next_cursor]).toEqual([sums(3), null])
      const [one] = (await usage('?group_by=endpoint&to=2026-05-01')).data
      expect(one).toMatchObject({ endpoint: 'chat_completions', ...sums(1) })
    })

    test.each([
      ['?group_by=uid', 'group_by must be one of: tenant, day, model, endpoint'],
      ['?from=may', 'from must be a date (YYYY-MM-DD)'],
      ['?limit=201', 'limit must be an integer 1-200'],
    ])('refuses %s', async (query, words) => {
      expectRefusal(await ask(`/v1/admin/usage${query}`), 400, words)
    })
  })

  test.each(['/v1/admin/tenants', '/v1/admin/usage', '/v1/admin/health'])('alone sees %s', async path => {
    expectRefusal(await ask(path, 'wrong'), 401, 'Invalid admin secret')
    const { session } = await plane.makePerson()
    expectRefusal(await plane.call('GET', path, { session }), 401, 'Invalid admin secret')
  })
})
