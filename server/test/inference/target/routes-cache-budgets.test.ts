// Tests routes, the cache and budgets together on both topologies: whoever answers after however many attempts, an answer
// is booked once and at its own price, a cached one is booked never, and none that has begun is repeated.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorResponse, openaiEvents } from '../../support/simulated/provider-answers.ts'
import { answerBody, usageOf } from '../budget/budget-stage.ts'
import { type Answer, eventsOf, type TestProject, textOf } from '../inference-stage.ts'
import {
  inOrder,
  models,
  names,
  openRouteStage,
  type RouteStage,
  routeOf,
  saying,
  type Trouble,
} from './route-stage.ts'

/** What both providers bill for an answer that is not small. */
const billed = { prompt: 10_000, completion: 1_000 }
const costOf = {
  openai: (billed.prompt * 150 + billed.completion * 600) / 1e9,
  anthropic: (billed.prompt * 3_000 + billed.completion * 15_000) / 1e9,
}
/** Above the estimate of one request by the dearest target, and below that of two. */
const oneEstimate = 0.02
const maxTokens = { max_tokens: 1_000 }

let flakyCalls = 0
const troubles: Record<string, Trouble> = {
  '500': () => errorResponse('openai', 500, 'no'),
  bills: () => ({ body: answerBody(billed) }),
  'bills-as-claude': () => ({
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: billed.prompt, output_tokens: billed.completion },
    },
  }),
  'every-other': () => (++flakyCalls % 2 === 1 ? errorResponse('openai', 500, 'no') : { body: answerBody(billed) }),
  'breaks-off': response => {
    const [role, first] = openaiEvents({ text: ['partly'] })
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`${role}${first}`, () => response.socket?.destroy())
    return undefined
  },
}

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let routes: RouteStage
  beforeAll(async () => {
    routes = await openRouteStage(backend, troubles)
  })
  afterAll(async () => await routes.stop())

  const makeProject = (usd: number, rules: Record<string, unknown> = {}) =>
    routes.makeProject({
      ...inOrder(['openai', 'anthropic'], rules),
      cache: { ttl_seconds: 3600 },
      budgets: [{ usd, period: 'month' }],
    })
  const ask = (project: TestProject, text: string, more: object = {}) =>
    project.complete({ ...saying(text), ...maxTokens, ...more })
  const seen = (answer: Answer) => [answer.status, answer.headers['x-sallyport-cache'], ...routeOf(answer)]
  const spentBy = (project: TestProject) => usageOf(routes.stage, project)
  const timesAsked = (tag: string) => names.map(name => routes.providers[name].asked.filter(one => one === tag).length)

  test('a budget needs space for the dearest target, whichever would answer', async () => {
    // Between the estimates of the two targets.
    const usd = 0.005
    const project = await makeProject(usd)
    const refused = await ask(project, 'tag=too-dear')
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'insufficient_quota' } } })
    expect(timesAsked('too-dear')).toEqual([0, 0, 0])
    const cheap = await routes.makeProject({ ...inOrder(['openai']), budgets: [{ usd, period: 'month' }] })
    expect((await ask(cheap, 'tag=cheap')).status).toBe(200)
  })

  test('a target without a price is refused while a budget is in force, also as a fallback', async () => {
    const targets = [{ model: models.openai }, { model: 'openai/gpt-6.1-sol' }]
    const settings = { routes: { targets, strategy: 'fallback' } }
    const project = await routes.makeProject({ ...settings, budgets: [{ usd: 100, period: 'month' }] })
    const refused = await ask(project, 'tag=unpriced')
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'model_not_priced' } } })
    expect(timesAsked('unpriced')).toEqual([0, 0, 0])
    expect((await ask(await routes.makeProject(settings), 'tag=free')).status).toBe(200)
  })

  test('a fallback is booked once, at the price of the target that answered', async () => {
    const project = await makeProject(costOf.anthropic + oneEstimate)
    const statuses: unknown[] = []
    for (let time = 0; time < 3; time++) statuses.push(seen(await ask(project, 'openai!500 anthropic!bills-as-claude')))
    // Booked twice, the first one would refuse the second one; not booked at all, the third one would be answered.
    const answered = [200, undefined, models.anthropic, '2']
    expect(statuses).toEqual([answered, answered, [429, undefined, undefined, undefined]])
    expect(await spentBy(project)).toBeCloseTo(2 * costOf.anthropic, 9)
  })

  test('a retry is booked once', async () => {
    const project = await makeProject(costOf.openai + oneEstimate, { retry: { attempts: 1 } })
    flakyCalls = 0
    expect(seen(await ask(project, 'openai!every-other'))).toEqual([200, undefined, models.openai, '2'])
    expect(seen(await ask(project, 'openai!every-other'))).toEqual([200, undefined, models.openai, '2'])
    expect(await spentBy(project)).toBeCloseTo(2 * costOf.openai, 9)
  })

  test('if all targets fail, the whole estimate is given back, and nothing is cached', async () => {
    const project = await makeProject(oneEstimate)
    const fixed = { temperature: 0 }
    for (let time = 0; time < 3; time++) {
      expect(seen(await ask(project, 'openai!500 anthropic!500', fixed))).toEqual([502, 'miss', models.anthropic, '2'])
    }
    expect(await spentBy(project)).toBe(0)
    expect((await ask(project, 'Hello')).status).toBe(200)
  })

  test('a cached answer costs nothing, is given although the budget is used up, and reserves nothing', async () => {
    const project = await makeProject(oneEstimate)
    const [body, exact] = ['tag=cached openai!bills', { temperature: 0 }]
    expect(seen(await ask(project, body, exact))).toEqual([200, 'miss', models.openai, '1'])
    const spent = await spentBy(project)
    expect(spent).toBeCloseTo(costOf.openai, 9)
    // What is left admits one request at a time: hits at once would refuse each other if they reserved anything.
    const hits = await Promise.all(Array.from({ length: 10 }, () => ask(project, body, exact)))
    expect(hits.map(seen)).toEqual(hits.map(() => [200, 'hit', models.openai, '0']))
    expect((await ask(project, 'openai!500 anthropic!bills-as-claude')).status).toBe(200)
    expect((await ask(project, 'anything')).status).toBe(429)
    const last = [await ask(project, body, exact), await ask(project, body, { ...exact, stream: true })]
    expect(last.map(answer => seen(answer).slice(0, 2))).toEqual([
      [200, 'hit'],
      [200, 'hit'],
    ])
    expect(await spentBy(project)).toBeCloseTo(spent + costOf.anthropic, 9)
    expect(timesAsked('cached')).toEqual([1, 0, 0])
    const { requests, total_tokens } = await project.usage()
    expect([requests, total_tokens]).toEqual([14, 22_000])
  })

  test('an answer that broke off is not repeated, by no target and not from the cache, and is booked once', async () => {
    const project = await makeProject(oneEstimate)
    const body = { ...saying('tag=begun openai!breaks-off'), ...maxTokens, temperature: 0 }
    for (const times of [1, 2]) {
      const stream = await project.open(body)
      await stream.ended
      expect([stream.status, stream.headers['x-sallyport-cache'], ...routeOf(stream)]).toEqual([
        200,
        'miss',
        models.openai,
        '1',
      ])
      expect(textOf(eventsOf(stream.text()))).toBe('partly')
      expect(timesAsked('begun')).toEqual([times, 0, 0])
      await expect.poll(async () => (await project.usage()).requests).toBe(times)
    }
    const rows = await routes.stage.harness.query<{ cost_nanousd: number | string }>(
      'select cost_nanousd from usage_records where project_id = ?',
      [project.id],
    )
    expect(rows.map(({ cost_nanousd }) => Number(cost_nanousd) > 0)).toEqual([true, true])
    expect(await spentBy(project)).toBeLessThan(0.0001)
    // The estimates have been given back: there is space for one that is as large.
    await expect.poll(async () => (await ask(project, 'openai!500 Hello')).status).toBe(200)
  })
})
