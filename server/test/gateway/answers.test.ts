// Tests the headers of admitted requests and of refusals by limits, through the real listener: with the store in the
// process and with Redis.
import { describe, expect, inject, test } from 'vitest'
import { type Answer, openStage, type Stage, type TestProject } from './gateway-stage.ts'

describe.each([
  ['in the process', null],
  ['on Redis', inject('redisUrl')],
])('the gateway with its store %s', (_name, redisUrl) => {
  const open = () => openStage({ redisUrl })
  const withToken = (stage: Stage, project: TestProject) => ({ token: stage.tokenFor(project) })

  test('a host that becomes known answers within a second or so, also by the database alone', async () => {
    const stage = await open()
    const project = await stage.makeProject({}, { isPushed: false })
    const { sql } = stage.database
    const rename = (slug: string) =>
      sql.updateTable('projects').set({ slug }).where('id', '=', project.projectId).execute()
    await rename('other-name-99')
    expect((await stage.call(project, 'GET', '/v1/models')).status).toBe(404)
    await rename(project.slug)
    await expect.poll(async () => (await stage.call(project, 'GET', '/v1/models')).status, { interval: 100 }).toBe(401)
  })

  test('a path on the management host is the same project', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const path = `/p/${project.slug}/v1/models`
    const answer = await stage.call(project, 'GET', path, {
      headers: { host: 'localhost' },
      ...withToken(stage, project),
    })
    expect(answer.status).toBe(200)
  })

  test('an admitted completion: who it is, its limits, and its settings', async () => {
    const stage = await open()
    const tiers = [{ name: 'gold', overrides: { rpm_limit: 30, tokens_per_day: 5_000, memory_window: 7 } }]
    const project = await stage.makeProject({ rpm_limit: 100 }, { tiers })
    const token = stage.tokenFor(project, { tier: 'gold', uid: 'zoë', role: 'admin' })
    const headers = { 'x-session-id': 's-1', 'x-thread-id': 't-1', 'x-tenant-id': 'forged' }
    const answer = await stage.complete(project, { token, headers })
    expect(answer).toMatchObject({
      status: 200,
      json: {
        route: '/v1/chat/completions',
        settings: { memory_window: 7 },
        verified: {
          requestId: answer.headers['x-request-id'],
          tenantId: project.tenantId,
          projectId: project.projectId,
          userId: 'zoë',
          role: 'admin',
          tier: 'gold',
          scopes: [],
          authProvider: 'service',
          sessionId: 's-1',
          threadId: 't-1',
        },
      },
    })
    // The prompt is about 6 tokens, and the answer may have 1,024.
    expect(answer.headers).toMatchObject({
      'x-ratelimit-limit-requests': '30',
      'x-ratelimit-remaining-requests': '29',
      'x-ratelimit-limit-tokens': '5000',
      'x-ratelimit-remaining-tokens': String(5_000 - 1_024 - 6),
    })
    expect(stage.calls[0]?.promptEstimate).toBe(6)
    const next = await stage.complete(project, { token })
    // The reservation has been replaced by the ten tokens that were spent.
    expect(next.headers['x-ratelimit-remaining-tokens']).toBe(String(5_000 - 10 - 1_024 - 6))
  })

  test('an unknown tier means the project, a dropped one lives on', async () => {
    const stage = await open()
    const retired = { name: 'old', overrides: { memory_window: 3 }, retired_at: Date.now() - 3_600_000 }
    const gone = { ...retired, name: 'gone', retired_at: Date.now() - 90_000_000 }
    const project = await stage.makeProject({ memory_window: 9 }, { retired_tiers: [retired, gone] })
    for (const [tier, memory_window] of [
      ['old', 3],
      ['gone', 9],
      ['nobody', 9],
    ] as const) {
      const answer = await stage.complete(project, { token: stage.tokenFor(project, { tier }) })
      expect(answer.json).toMatchObject({ settings: { memory_window } })
    }
  })

  test('GET routes show the tokens of the day and reserve none', async () => {
    const stage = await open()
    const project = await stage.makeProject({ tokens_per_day: 7_000 })
    const { headers } = await stage.call(project, 'GET', '/v1/threads/abc/messages', withToken(stage, project))
    expect(headers['x-ratelimit-remaining-requests']).toBe('59')
    expect(headers).toMatchObject({
      'x-ratelimit-limit-tokens': '7000',
      'x-ratelimit-remaining-tokens': '7000',
      'x-ratelimit-reset-tokens': expect.stringMatching(/^[1-9][0-9]*$/),
    })
    expect(stage.calls[0]).toMatchObject({ route: '/v1/threads/:id/messages', body: null, promptEstimate: null })
  })

  test('a used-up day refuses completions only, until midnight, and says not to retry', async () => {
    const stage = await open()
    const project = await stage.makeProject({ tokens_per_day: 1_000 })
    const day = new Date().toISOString().slice(0, 10)
    await stage.kv.restoreSpend([{ projectId: project.projectId, day, tokens: 1_000, users: {} }])
    const answer = await stage.complete(project)
    expect(answer.status).toBe(429)
    const untilMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400)
    expect(Math.abs(Number(answer.headers['retry-after']) - untilMidnight)).toBeLessThan(5)
    if (untilMidnight > 65) expect(answer.headers['x-should-retry']).toBe('false')
    const models = await stage.call(project, 'GET', '/v1/models', withToken(stage, project))
    expect(models).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining-tokens': '0' } })
  })

  test('a refusal that only open reservations cause is short', async () => {
    const waiting: (() => void)[] = []
    const stage = await openStage({
      redisUrl,
      answer: async call => {
        await new Promise<void>(resolve => waiting.push(resolve))
        call.response.end()
      },
    })
    const project = await stage.makeProject({ tokens_per_day: 1_000 })
    const first = stage.complete(project)
    await expect.poll(() => waiting.length).toBe(1)
    const second = await stage.complete(project)
    expect(second.status).toBe(429)
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(second.headers['retry-after'])).toBeLessThanOrEqual(5)
    expect(second.headers['x-should-retry']).toBeUndefined()
    waiting[0]?.()
    await first
    // A call that is never settled spends nothing.
    await expect.poll(async () => (await stage.complete(project, { token: 'x' })).status).toBe(401)
    expect(await stage.kv.findSpend(project.projectId, new Date().toISOString().slice(0, 10))).toBe(0)
  })

  test('one user over the own limit does not use up the limit of the project', async () => {
    const stage = await open()
    const project = await stage.makeProject({ rpm_limit: 5 }, { tiers: [{ name: 'low', overrides: { rpm_limit: 2 } }] })
    const statuses: number[] = []
    const ask = async (claims: Record<string, unknown>): Promise<Answer> => {
      const answer = await stage.call(project, 'GET', '/v1/models', { token: stage.tokenFor(project, claims) })
      statuses.push(answer.status)
      return answer
    }
    for (let i = 0; i < 5; i++) await ask({ uid: 'a', tier: 'low' })
    for (let i = 0; i < 4; i++) await ask({ uid: 'b' })
    expect(statuses).toEqual([200, 200, 429, 429, 429, 200, 200, 200, 429])
  })
})
