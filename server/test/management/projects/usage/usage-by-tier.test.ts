// The usage of a project by tier, over the wire: sums of the days asked for, in pages, null for end users without a tier.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'

describeEachBackend('usage by tier', start => {
  let plane: ManagementHarness
  let projectId: string
  let otherId: string
  beforeAll(async () => {
    plane = await start()
    const tenant = await plane.makeTenant({ plan: 'pro' })
    projectId = (await plane.makeProject(tenant.id)).id
    otherId = (await plane.makeProject(tenant.id)).id
    const rows = [
      [projectId, '2026-05-01', 'gold', 2],
      [projectId, '2026-05-02', 'gold', 3],
      [projectId, '2026-05-02', '', 5],
      [projectId, '2026-05-03', 'silver', 7],
      [otherId, '2026-05-02', 'gold', 11],
    ]
    for (const [id = '', day = '', tier = '', count = 0] of rows) {
      await plane.query('insert into usage_tiers values (?, ?, ?, ?, 20, 3, 23, 500000000)', [id, day, tier, count])
    }
  })

  const list = (query = '', id = projectId) =>
    plane.call('GET', `/auth/v1/projects/${id}/usage/tiers${query}`, { session: plane.owner.session })
  const tokens = (times: number) => ({
    prompt_tokens: 20 * times,
    completion_tokens: 3 * times,
    total_tokens: 23 * times,
    cost_usd: 0.5 * times,
  })

  test('sums up the days of each tier', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        { tier: null, requests: 5, ...tokens(1) },
        { tier: 'gold', requests: 5, ...tokens(2) },
        { tier: 'silver', requests: 7, ...tokens(1) },
      ],
      next_cursor: null,
    })
    expect((await list('', otherId)).body).toEqual({
      data: [{ tier: 'gold', requests: 11, ...tokens(1) }],
      next_cursor: null,
    })
  })

  test('counts the days asked for, first and last included', async () => {
    const { body } = await list('?from=2026-05-02&to=2026-05-02')
    expect(body).toMatchObject({ data: [{ tier: null }, { tier: 'gold', requests: 3 }] })
    const refused = await list('?from=2026-02-30')
    expect([refused.status, refused.body]).toMatchObject([400, { error: 'from must be a date (YYYY-MM-DD)' }])
  })

  test('is read in pages; a cursor of another project is refused', async () => {
    const names: (string | null)[] = []
    let cursor: string | null = null
    do {
      const query: string = `?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`
      const page = (await list(query)).body as { data: { tier: string | null }[]; next_cursor: string | null }
      names.push(...page.data.map(({ tier }) => tier))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(names).toEqual([null, 'gold', 'silver'])
    const first = (await list('?limit=1')).body as { next_cursor: string }
    expect((await list(`?cursor=${first.next_cursor}`, otherId)).status).toBe(400)
  })
})
