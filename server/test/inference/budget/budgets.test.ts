// Tests that a budget admits a call only if the whole estimate is left, at each level and on both topologies, that it
// counts what the provider billed, and that its thresholds are reported once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inEveryProcess } from '../../support/every-process.ts'
import { oneConnection, openStage, type Stage, type TestProject } from '../inference-stage.ts'
import { alertsOf, answerBody, answerUsd, putBudgets, shortRequest, usageOf } from './budget-stage.ts'

const month = 'month' as const
/** Less than the estimate of a short request. */
const tooSmall = [{ usd: 0.0005, period: month }]

describe.each(['sqlite', 'postgres'] as const)('budgets on %s', backend => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend)
  })
  afterAll(() => stage.stop())

  const billNormally = () => stage.script({ body: answerBody() })
  const secondsOfMonth = () => {
    const now = new Date()
    return (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1000
  }

  test('the limit that the project sets is reserved if a request has none', async () => {
    billNormally()
    // 0.003 dollars for the longest answer.
    const settings = { max_output_tokens: 5_000, budgets: [{ usd: 0.002, period: month }] }
    const project = await stage.makeProject({ settings })
    expect((await project.complete({})).status).toBe(429)
    expect((await project.complete({ max_tokens: 2_000 })).status).toBe(200)
  })

  test('a project spends until the whole estimate is not left, and its alerts come once', async () => {
    billNormally()
    const usd = 0.005
    const project = await stage.makeProject({ settings: { budgets: [{ usd, period: month }] } })
    const first = await project.complete(shortRequest)
    expect([first.status, first.headers['retry-after']]).toEqual([200, undefined])
    await expect.poll(() => alertsOf(stage, project.tenantId)).toEqual([])
    for (const status of [200, 200, 429, 429]) expect((await project.complete(shortRequest)).status).toBe(status)

    const refused = await project.complete(shortRequest)
    expect(refused.body).toEqual({
      error: {
        message: 'The budget of the month is used up',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
    })
    expect(Math.abs(Number(refused.headers['retry-after']) - secondsOfMonth())).toBeLessThan(120)
    expect(refused.headers['x-should-retry']).toBe('false')
    const [answered, streamed] = await Promise.all([
      project.ask('POST', '/v1/messages', { body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1_000 } }),
      project.complete({ ...shortRequest, stream: true }),
    ])
    expect([answered.status, (answered.body as { type: string }).type, streamed.status]).toEqual([429, 'error', 429])

    // Three answers: 42, 84 and 126 percent.
    expect(await usageOf(stage, project)).toBeCloseTo(3 * answerUsd, 9)
    await expect.poll(async () => (await alertsOf(stage, project.tenantId)).length).toBe(3)
    expect(await alertsOf(stage, project.tenantId)).toMatchObject(
      [50, 80, 100].map(threshold => ({
        project_id: project.id,
        data: { level: 'project', threshold, usd, period: 'month' },
      })),
    )
  })

  test('what was spent before a budget was set counts, and a larger budget admits again', async () => {
    billNormally()
    const project = await stage.makeProject()
    // A process that does not know the budget yet would spend without counting.
    const agent = oneConnection()
    const status = async () => (await project.complete(shortRequest, { agent })).status
    for (let time = 0; time < 3; time += 1) expect(await status()).toBe(200)
    const path = `tenants/${project.tenantId}`
    await putBudgets(stage, path, [{ usd: 3 * answerUsd + 0.0005, period: month }])
    await expect.poll(status).toBe(429)
    // Some more may have been answered until the budget was in force.
    const spent = await usageOf(stage, project)
    expect(spent).toBeGreaterThan(3 * answerUsd - 1e-9)
    await putBudgets(stage, path, [{ usd: spent + 0.001, period: month }])
    await expect.poll(status).toBe(200)
    expect(await status()).toBe(429)
    await putBudgets(stage, path, [])
    await expect.poll(status).toBe(200)
  })

  test('a tenant spends in all projects together, and only its own', async () => {
    billNormally()
    const project = await stage.makeProject()
    const second = await stage.makeProject({ tenantId: project.tenantId })
    const other = await stage.makeProject()
    await putBudgets(stage, `tenants/${project.tenantId}`, [{ usd: 0.0045, period: month }])
    await seen(project, tooSmall, `tenants/${other.tenantId}`, other)
    expect((await project.complete(shortRequest)).status).toBe(200)
    expect((await second.complete(shortRequest)).status).toBe(200)
    expect((await second.complete(shortRequest)).status).toBe(429)
    expect((await project.complete(shortRequest)).status).toBe(429)
    // What is left is too little for a request: the budget is used up.
    await expect.poll(async () => (await alertsOf(stage, project.tenantId)).length).toBe(3)
    expect(await alertsOf(stage, project.tenantId)).toMatchObject(
      [50, 80, 100].map(threshold => ({ project_id: null, data: { level: 'tenant', threshold } })),
    )
  })

  /** Budgets are read in the order of their changes: once `of` is refused, all earlier ones are in force. */
  async function seen(_earlier: TestProject, budgets: unknown, path: string, of: TestProject): Promise<void> {
    await putBudgets(stage, path, budgets)
    await expect.poll(() => inEveryProcess(429, async () => (await of.complete(shortRequest)).status)).toBe(429)
  }

  test("a tier's budget is each end user's, beside the project's", async () => {
    billNormally()
    const project = await stage.makeProject({
      settings: { budgets: [{ usd: 0.007, period: month }] },
      tiers: [{ name: 'gold', overrides: { budgets: [{ usd: 0.0045, period: month }] } }],
    })
    const ask = async (user: string, tier?: string) => {
      const token = await project.mint({ user_id: user, ...(tier && { tier }) })
      return (await project.complete(shortRequest, { token })).status
    }
    expect([await ask('alice', 'gold'), await ask('alice', 'gold'), await ask('alice', 'gold')]).toEqual([
      200, 200, 429,
    ])
    expect(await ask('bob', 'gold')).toBe(200)
    // The project has 0.0007 dollars left, which is enough for one more.
    expect([await ask('carol'), await ask('carol'), await ask('bob', 'gold')]).toEqual([200, 429, 429])
    await expect.poll(async () => (await alertsOf(stage, project.tenantId)).length).toBe(6)
    const alerts = (await alertsOf(stage, project.tenantId)).map(({ data }) => `${data.level} ${data.threshold}`)
    expect(alerts.sort()).toEqual(['project 100', 'project 50', 'project 80', 'tier 100', 'tier 50', 'tier 80'])
  })

  test('an end user has budgets of its own, by the uid as a path has it', async () => {
    billNormally()
    const project = await stage.makeProject()
    const user = 'team/ä b'
    const path = `projects/${project.id}/users/~${Buffer.from(user).toString('base64url')}`
    await putBudgets(stage, path, tooSmall)
    const token = await project.mint({ user_id: user })
    await expect.poll(async () => (await project.complete(shortRequest, { token })).status).toBe(429)
    expect((await project.complete(shortRequest)).status).toBe(200)
    const { session } = stage.harness.owner
    const read = await stage.harness.call('GET', `/auth/v1/${path}/budgets`, { session })
    expect(read.body).toMatchObject({ budgets: tooSmall })
  })

  test('a model without a price is rejected only while a budget is in force', async () => {
    billNormally()
    const project = await stage.makeProject()
    const unpriced = { ...shortRequest, model: 'openai/gpt-6.1-sol' }
    expect((await project.complete(unpriced)).status).toBe(200)
    await putBudgets(stage, `tenants/${project.tenantId}`, [{ usd: 100, period: 'day' }])
    await expect.poll(() => inEveryProcess(422, async () => (await project.complete(unpriced)).status)).toBe(422)
    expect((await project.complete(unpriced)).body).toMatchObject({
      error: { code: 'model_not_priced', param: 'model' },
    })
    expect((await project.complete(shortRequest)).status).toBe(200)
  })

  test('a failed call gives back what it reserved, and a running one holds it', async () => {
    const project = await stage.makeProject({ settings: { budgets: [{ usd: 0.001, period: 'day' }] } })
    stage.script({ status: 500, body: { error: { message: 'broken' } } })
    // To another process a failed call may give back a moment after its response.
    const agent = oneConnection()
    for (let time = 0; time < 3; time += 1) {
      expect((await project.complete(shortRequest, { agent })).status).toBe(502)
    }
    const [asked, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    stage.script({
      async write(response) {
        asked.resolve()
        await answering.promise
        const body = answerBody({ prompt: 10, completion: 10 })
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      },
    })
    const running = project.complete(shortRequest, { agent })
    await asked.promise
    const refused = await project.complete(shortRequest)
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ error: { code: 'insufficient_quota' } })
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(5)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    answering.resolve()
    expect((await running).status).toBe(200)
    stage.script({ body: answerBody({ prompt: 10, completion: 10 }) })
    await expect.poll(async () => (await project.complete(shortRequest)).status).toBe(200)
  })

  test('a count of tokens costs nothing, and needs no budget', async () => {
    const project = await stage.makeProject({ settings: { budgets: tooSmall } })
    const body = { messages: [{ role: 'user', content: 'Hi' }] }
    expect((await project.ask('POST', '/v1/messages/count_tokens', { body })).status).toBe(200)
  })
})
