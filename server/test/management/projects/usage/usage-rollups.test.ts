// The rollups of usage over the wire, on both topologies: closed and open days in one list, pages, bounds, and who may
// read them.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../../requests.ts'

interface Rollup {
  day: string
  model: string
  requests: number
  closed_at: string | null
}
interface Page {
  data: Rollup[]
  next_cursor: string | null
}

const models = ['anthropic/claude', 'openai/gpt-4o']

describeEachBackend('the rollups of usage', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let projectId: string
  const today = new Date().toISOString().slice(0, 10)

  const path = (id: string, query = '') => `/auth/v1/projects/${id}/usage/rollups${query}`
  const list = async (query = '', session = plane.owner.session) =>
    expectOk<Page>(await plane.call('GET', path(projectId, query), { session }))

  beforeAll(async () => {
    plane = await start()
    tenant = await plane.makeTenant({ plan: 'pro' })
    projectId = (await plane.makeProject(tenant.id)).id
    // Past the worker, which closes the days of a real installation.
    for (const day of ['2026-05-01', '2026-05-02']) {
      await plane.query('insert into usage_closings values (?, 1790000000000) returning day', [day])
      for (const model of models) {
        // The second row is usage that was written after its day was closed.
        for (const usageDay of [day, '2026-04-30']) {
          await plane.query('insert into usage_rollups values (?, ?, ?, ?, 1, 10, 5, 15, 500000000) returning day', [
            ...[projectId, day, model, usageDay],
          ])
        }
      }
    }
    for (const day of ['2026-05-02', '2026-05-03', today]) {
      for (const user of ['alice', 'bob']) {
        await plane.query(
          `insert into usage_days (project_id, day, user_id, model, requests, prompt_tokens, completion_tokens,
            total_tokens, cost_nanousd) values (?, ?, ?, ?, 7, 70, 35, 105, 1) returning day`,
          [projectId, day, user, models[1] ?? ''],
        )
      }
    }
  })

  test('closed days are as they were closed, open ones as they are now', async () => {
    const { data, next_cursor } = await list()
    expect(next_cursor).toBeNull()
    const closedAt = new Date(1_790_000_000_000).toISOString()
    expect(data.map(row => [row.day, row.model, row.requests, row.closed_at])).toEqual([
      ...['2026-05-01', '2026-05-02'].flatMap(day => models.map(model => [day, model, 2, closedAt])),
      ['2026-05-03', models[1], 14, null],
      [today, models[1], 14, null],
    ])
    expect(data[0]).toEqual({
      day: '2026-05-01',
      model: models[0],
      requests: 2,
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 30,
      cost_usd: 1,
      closed_at: closedAt,
    })
  })

  test('in pages of any size, and between days', async () => {
    const { data: all } = await list()
    for (const limit of [1, 2, 3, 4, 5]) {
      const paged: Rollup[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page = await list(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        paged.push(...page.data)
        cursor = page.next_cursor
      }
      expect(paged).toEqual(all)
    }
    const days = async (query: string) => (await list(query)).data.map(row => row.day)
    expect(await days('?from=2026-05-02&to=2026-05-03')).toEqual(['2026-05-02', '2026-05-02', '2026-05-03'])
    expect(await days('?to=2026-05-01')).toEqual(['2026-05-01', '2026-05-01'])
    expect(await days('?from=2026-05-04')).toEqual([today])
    expect(await days('?from=2027-12-01')).toEqual([])
  })

  test('refuses bad days, cursors of other lists and strangers; a viewer may read them', async () => {
    const session = plane.owner.session
    for (const [query, words] of [
      ['?from=2026-02-30', 'from must be a date (YYYY-MM-DD)'],
      ['?to=today', 'to must be a date (YYYY-MM-DD)'],
      ['?cursor=x', 'cursor is not valid'],
      ['?limit=0', 'limit must be an integer 1-200'],
    ] as const) {
      expectRefusal(await plane.call('GET', path(projectId, query), { session }), 400, words)
    }
    expect((await plane.call('GET', path(randomUUID()), { session })).status).toBe(404)
    const stranger = await plane.makePerson()
    expect((await plane.call('GET', path(projectId), { session: stranger.session })).status).toBe(403)
    const viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
    expect((await list('', viewer.session)).data).toHaveLength(6)
  })
})
