// The usage of a project by endpoint, over the wire: what is of no other endpoint is of chat completions, in reports,
// in pages and in exports.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../../support/management-harness.ts'

const gpt = 'openai/gpt-4o'
const embedder = 'openai/text-embedding-3-small'

describeEachBackend('usage by endpoint', start => {
  let plane: ManagementHarness
  let tenantId: string
  let projectId: string
  beforeAll(async () => {
    plane = await start()
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
    projectId = (await plane.makeProject(tenantId)).id
    // Alice: 5 requests to one model, 2 of them messages and 1 responses; embeddings of hers and of Bob's.
    await sum('usage_days', ['2026-05-01', 'alice', gpt], 5)
    await sum('usage_endpoints', ['2026-05-01', 'alice', gpt, 'messages'], 2)
    await sum('usage_endpoints', ['2026-05-01', 'alice', gpt, 'responses'], 1)
    await sum('usage_days', ['2026-05-01', 'bob', embedder], 4)
    await sum('usage_endpoints', ['2026-05-01', 'bob', embedder, 'embeddings'], 4)
    await sum('usage_days', ['2026-05-02', 'alice', embedder], 3)
    await sum('usage_endpoints', ['2026-05-02', 'alice', embedder, 'embeddings'], 3)
    const other = (await plane.makeProject(tenantId)).id
    await sum('usage_days', ['2026-05-02', 'alice', gpt], 50, other)
    await sum('usage_endpoints', ['2026-05-02', 'alice', gpt, 'messages'], 50, other)
  })

  async function sum(table: string, key: readonly string[], count: number, id = projectId): Promise<void> {
    const holders = key.map(() => '?').join()
    const values = [id, ...key, count, 20 * count, 3 * count, 23 * count, 500_000_000 * count]
    await plane.query(`insert into ${table} values (?, ${holders}, ?, ?, ?, ?, ?)`, values)
  }

  const numbers = (requests: number) => ({
    requests,
    prompt_tokens: 20 * requests,
    completion_tokens: 3 * requests,
    total_tokens: 23 * requests,
    cost_usd: 0.5 * requests,
  })
  const row = (endpoint: string, requests: number) => ({
    uid: null,
    day: null,
    model: null,
    endpoint,
    ...numbers(requests),
  })
  const list = async (query: string) =>
    (await plane.call('GET', `/auth/v1/projects/${projectId}/usage?group_by=endpoint${query}`, session())).body as {
      data: object[]
      totals: object
      next_cursor: string | null
    }
  const session = () => ({ session: plane.owner.session })

  test('sums up each endpoint, narrowed by days and end user', async () => {
    expect(await list('')).toEqual({
      data: [row('chat_completions', 2), row('embeddings', 7), row('messages', 2), row('responses', 1)],
      totals: numbers(12),
      next_cursor: null,
    })
    expect((await list('&to=2026-05-01')).data).toEqual([
      row('chat_completions', 2),
      row('embeddings', 4),
      row('messages', 2),
      row('responses', 1),
    ])
    expect((await list('&uid=bob')).data).toEqual([row('embeddings', 4)])
    expect((await list('&from=2027-01-01')).data).toEqual([])
  })

  test('is read in pages', async () => {
    const names: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      names.push(...page.data.map(each => (each as { endpoint: string }).endpoint))
      cursor = page.next_cursor
    }
    expect(names).toEqual(['chat_completions', 'embeddings', 'messages', 'responses'])
  })

  test('is exported row by row, wherever a page ends', async () => {
    const { id } = await plane.makeProject(tenantId)
    const expected: string[] = []
    // Three rows are read for each day but 2, so that pages of 500 end within a day.
    for (let at = 0; at < 400; at++) {
      const uid = `u${String(at).padStart(3, '0')}`
      const rest = at % 100 === 7 ? 0 : 1
      await sum('usage_days', ['2026-05-01', uid, gpt], 2 + rest, id)
      await sum('usage_endpoints', ['2026-05-01', uid, gpt, 'messages'], 1, id)
      await sum('usage_endpoints', ['2026-05-01', uid, gpt, 'responses'], 1, id)
      for (const endpoint of ['chat_completions', 'messages', 'responses'].slice(1 - rest)) {
        expected.push(`2026-05-01,${uid},${gpt},1,20,3,23,0.5,${endpoint}`)
      }
    }
    const { text } = await plane.call('GET', `/auth/v1/projects/${id}/usage/export`, session())
    expect(text.trimEnd().split('\r\n').slice(1)).toEqual(expected)
  })
})
