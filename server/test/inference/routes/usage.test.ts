// Tests the usage reports: their contents, who may read them, and their errors, in OpenAI's format with the invalid
// field. Also tests that a flushed store does not reset a day's budget.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachBackend } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { openStage, openStageOfTest, type Stage, type TestProject } from '../inference-stage.ts'

describeEachBackend('usage', (_start, backend) => {
  let stage: Stage
  let project: TestProject
  let bob: string
  let service: string
  beforeAll(async () => {
    stage = await openStage(backend)
    stage.script(({ body }) => say('openai', { text: ['ok'] }, JSON.parse(body).stream === true))
    project = await stage.makeProject()
    bob = await project.mint({ user_id: 'bob' })
    service = await project.mint({ user_id: 'office', role: 'admin' })
    for (const token of [bob, undefined, undefined]) await project.complete({}, token === undefined ? {} : { token })
    await project.complete({ model: 'gpt-4o' })
  })
  afterAll(() => stage.stop())

  const usage = async (query = '', token?: string) =>
    (await project.ask('GET', `/v1/billing/usage${query}`, token === undefined ? {} : { token })).body
  const today = new Date().toISOString().slice(0, 10)

  test('a user sees itself, a service all or the one it names', async () => {
    expect(await usage()).toMatchObject({
      data: [
        {
          uid: null,
          day: expect.any(String),
          model: null,
          endpoint: null,
          requests: 3,
          prompt_tokens: 33,
          completion_tokens: 21,
          total_tokens: 54,
        },
      ],
      totals: { requests: 3, total_tokens: 54, cost_usd: expect.any(Number) },
      next_cursor: null,
    })
    expect(await usage('?uid=alice')).toMatchObject({ totals: { requests: 3 } })
    expect(await usage('', service)).toMatchObject({ data: [{ uid: null }], totals: { requests: 4 } })
    expect(await usage('?uid=bob', service)).toMatchObject({
      data: [{ uid: null, model: null }],
      totals: { requests: 1 },
    })
    // A user id may contain a question mark.
    expect(await usage('?uid=bob?', service)).toMatchObject({ data: [], totals: { requests: 0 } })
    expect(await usage('?group_by=uid', service)).toMatchObject({
      data: [
        { uid: 'alice', day: null, model: null, requests: 3 },
        { uid: 'bob', day: null, model: null, requests: 1 },
      ],
    })
    expect(await usage('?group_by=model')).toMatchObject({
      data: [
        { model: 'openai/gpt-4o', uid: null, day: null, requests: 1 },
        { model: 'openai/gpt-4o-mini', uid: null, day: null, requests: 2 },
      ],
    })
    expect(await usage('?group_by=endpoint')).toMatchObject({
      data: [{ endpoint: 'chat_completions', uid: null, requests: 3, total_tokens: 54 }],
      next_cursor: null,
    })
    expect(await usage('?group_by=model&limit=1')).toMatchObject({
      data: [{}],
      totals: { requests: 3 },
      next_cursor: expect.any(String),
    })
    expect(await usage(`?from=${today}&to=${today}`)).toMatchObject({ totals: { requests: 3 } })
    expect(await usage('?to=2020-01-01')).toMatchObject({ data: [], totals: { requests: 0, cost_usd: 0 } })
    const cost = (await usage()) as { totals: { cost_usd: number } }
    expect(cost.totals.cost_usd).toBeGreaterThan(0)
  })

  test('a page goes on under the grouping that it began with, and under no other', async () => {
    const groupings = ['day', 'model', 'uid', 'endpoint']
    const fromDashboard = async (query: string) =>
      await stage.harness.call('GET', `/auth/v1/projects/${project.id}/usage${query}`, {
        session: stage.harness.owner.session,
      })
    for (const begun of ['model', 'uid']) {
      const path = `?group_by=${begun}&limit=1`
      const { data, next_cursor } = (await usage(path, service)) as { data: object[]; next_cursor: string }
      const rest = (await usage(`${path}&cursor=${next_cursor}`, service)) as { data: object[]; next_cursor: null }
      expect(await usage(`?group_by=${begun}`, service)).toMatchObject({ data: [...data, ...rest.data] })
      expect(rest).toMatchObject({ data: [{}], next_cursor: null })
      for (const other of groupings.filter(each => each !== begun)) {
        const query = `?group_by=${other}&cursor=${next_cursor}`
        expect(await project.ask('GET', `/v1/billing/usage${query}`, { token: service }), query).toMatchObject({
          status: 400,
          body: { error: { param: 'cursor', message: 'cursor is not valid' } },
        })
        expect(await fromDashboard(query), query).toMatchObject({ status: 400, body: { error: 'cursor is not valid' } })
      }
    }
  })

  test('what cannot be asked for is refused with its field', async () => {
    for (const [path, param] of [
      ['/v1/billing/usage?group_by=year', 'group_by'],
      ['/v1/billing/usage?from=2026-02-30', 'from'],
      ['/v1/billing/usage?to=yesterday', 'to'],
      ['/v1/billing/usage?limit=0', 'limit'],
      ['/v1/billing/usage?cursor=x', 'cursor'],
      ['/v1/threads?limit=201', 'limit'],
      ['/v1/threads?limit=1&limit=2', 'limit'],
      ['/v1/threads?cursor=%00', 'cursor'],
      ['/v1/threads/t/messages?cursor=x', 'cursor'],
      ['/v1/threads?uid=', 'uid'],
      ['/v1/threads?uid=%00', 'uid'],
      [`/v1/threads?uid=${'x'.repeat(511)}`, 'uid'],
      ['/v1/billing/usage?uid=alice&uid=bob', 'uid'],
    ]) {
      expect(await project.ask('GET', path ?? ''), path).toMatchObject({
        status: 400,
        body: { error: { type: 'invalid_request_error', param, message: expect.any(String) } },
      })
    }
    for (const path of ['/v1/billing/usage?uid=bob', '/v1/threads?uid=bob', '/v1/threads/t?uid=bob']) {
      expect(await project.ask('GET', path), path).toMatchObject({
        status: 403,
        body: { error: { type: 'permission_error' } },
      })
    }
    for (const id of ['%2e', 'ä', 'a%20b', 'x'.repeat(200)]) {
      expect(
        (await project.ask('GET', `/v1/threads/${encodeURI(id).replaceAll('%25', '%')}`)).status,
        id,
      ).toBeGreaterThanOrEqual(400)
      expect((await project.ask('GET', `/v1/threads/${encodeURI(id).replaceAll('%25', '%')}`)).status, id).toBeLessThan(
        500,
      )
    }
  })

  test('the dashboard has each answer in its sums as soon as it is over', async () => {
    const own = await stage.makeProject()
    stage.script(say('openai', { text: ['ok'] }, false))
    for (let count = 1; count <= 5; count++) {
      expect((await own.complete()).status).toBe(200)
      const { session } = stage.harness.owner
      const seen = await stage.harness.call('GET', `/auth/v1/projects/${own.id}/usage`, { session })
      expect(seen.body).toMatchObject({ totals: { requests: count } })
    }
  })

  test('the dashboard sees the same', async () => {
    const seen = await stage.harness.call('GET', `/auth/v1/projects/${project.id}/usage?group_by=uid`, {
      session: stage.harness.owner.session,
    })
    expect(seen.body).toEqual(await usage('?group_by=uid', service))
  })
})

test('a flushed store has the day\u2019s tokens again within a cycle of the worker', async () => {
  const stage = await openStageOfTest('postgres', { SYNC_INTERVAL: '1' })
  const project = await stage.makeProject({ settings: { tokens_per_day: 1_000_000 } })
  stage.script(say('openai', { text: ['ok'] }, false))
  for (let round = 0; round < 5; round++) await project.complete()
  const remaining = async () => Number((await project.ask('GET', '/v1/models')).headers['x-ratelimit-remaining-tokens'])
  const before = await remaining()
  expect(before).toBeLessThan(1_000_000 - 50)
  const redis = createClient({ url: stage.harness.redis?.url ?? '' })
  await redis.connect()
  await redis.flushAll()
  await expect.poll(remaining, { interval: 200 }).toBe(before)
  // A provider key that is missing in the store still exists. After this pause, cached keys must be read again.
  await sleep(1_200)
  await redis.flushAll()
  redis.destroy()
  expect((await project.complete()).status).toBe(200)
})
