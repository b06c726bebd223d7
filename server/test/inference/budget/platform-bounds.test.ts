// Tests the operator's bounds of what the platform's provider key pays for: for each tenant and for all tenants together,
// in tokens and in money, on both topologies.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import { startProduct } from '../../support/start-product.ts'
import { openStage, platformKey, type Stage, tenantKey } from '../inference-stage.ts'
import { answerBody, answerUsd, shortRequest } from './budget-stage.ts'

const tokensOfAnswer = 11_000
const env = {
  JWT_ISSUER: 'http://gate.example.com',
  PLATFORM_OPENAI_API_KEY: platformKey,
  PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  // Two answers, and what the estimate of a third needs.
  PLATFORM_TENANT_TOKENS_PER_DAY: String(2 * tokensOfAnswer + 2_000),
  // Four answers.
  PLATFORM_USD_PER_DAY: (4 * answerUsd - 0.0001).toFixed(6),
}

const refusalOf = (message: string) => ({
  error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
})
const usedUp = refusalOf("The platform's budget of the day is used up")

const secondsOfDay = () => 86_400 - ((Date.now() / 1000) % 86_400)

describe.each(['sqlite', 'postgres'] as const)("the bounds of the platform's key on %s", backend => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(backend, env, { own: true })
  })
  afterAll(() => stage.stop())

  const makeProject = (tenantId?: string) =>
    stage.makeProject({ model: null, hasKey: false, ...(tenantId !== undefined && { tenantId }) })
  const manage = async (method: string, path: string, body: unknown) => {
    const { status } = await stage.harness.call(method, `/auth/v1/${path}`, {
      session: stage.harness.owner.session,
      body,
    })
    expect(status).toBeLessThan(300)
  }
  const setOwnKey = (tenantId: string, provider: string, key: string) =>
    manage('PUT', `tenants/${tenantId}/providers/${provider}`, { api_key: key })

  test('requests that run at once reserve within the bound, and a failed one gives back', async () => {
    const project = await makeProject()
    stage.script({ status: 500, body: { error: { message: 'broken' } } })
    expect((await project.complete(shortRequest)).status).toBe(502)
    let [answering, refusing] = [0, 0]
    const released = Promise.withResolvers<void>()
    const body = JSON.stringify(answerBody({ prompt: 10, completion: 10 }))
    stage.script({
      // Only while none has been answered do all of them run at once: an answer gives back most of its reservation.
      async write(response) {
        answering++
        await released.promise
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      },
    })
    const running = Array.from({ length: 30 }, async () => {
      const answer = await project.complete(shortRequest)
      if (answer.status !== 200) refusing++
      return answer
    })
    await expect.poll(() => answering + refusing).toBe(30)
    released.resolve()
    const answers = await Promise.all(running)
    const admitted = answers.filter(({ status }) => status === 200).length
    const most = Number(env.PLATFORM_USD_PER_DAY) / 0.0006
    // On a busy machine Redis may answer too late. The process then counts by itself, without what runs already.
    const wasCutOff = stage.harness.product.stderr().includes('store is unreachable')
    expect(admitted).toBeGreaterThan(0)
    expect(admitted).toBeLessThanOrEqual(wasCutOff ? 2 * most : most)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.body).toEqual(
      refusalOf("Running requests have reserved what is left of the platform's budget of the day"),
    )
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(5)
  })

  test('a tenant uses up its tokens in all its projects together, then all tenants the dollars', async () => {
    stage.script({ body: answerBody() })
    const first = await makeProject()
    const second = await makeProject(first.tenantId)
    expect((await first.complete(shortRequest)).status).toBe(200)
    expect((await second.complete({ ...shortRequest, stream: true })).status).toBe(200)
    // The third answer exceeds what its estimate had left.
    expect((await second.complete(shortRequest)).status).toBe(200)
    const refused = await first.complete(shortRequest)
    expect([refused.status, refused.body]).toEqual([429, usedUp])
    expect(Math.abs(Number(refused.headers['retry-after']) - secondsOfDay())).toBeLessThan(120)
    expect(refused.headers['x-should-retry']).toBe('false')

    // What a tenant pays its own provider is not what the operator pays.
    const cheap = await makeProject()
    await manage('PUT', `tenants/${cheap.tenantId}/prices`, { model: 'openai/gpt-4o-mini', input: 0, output: 0 })
    expect((await cheap.complete(shortRequest)).status).toBe(200)
    const other = await cheap.complete(shortRequest)
    expect([other.status, other.body]).toEqual([429, usedUp])
    expect((await (await makeProject()).complete(shortRequest)).body).toEqual(usedUp)
    const metrics = await (await fetch(`${stage.harness.baseUrl}/metrics`)).text()
    expect(metrics).toMatch(/^sallyport_budget_refusals_total\{level="platform",reason="spent"[^}]*\} [1-9]/m)
  })

  test("a tenant's own key is not bounded, nor is another target of the routes", async () => {
    const project = await makeProject()
    expect((await project.complete(shortRequest)).status).toBe(429)
    stage.upstream.on('POST /v1/messages', say('anthropic', { text: ['own'] }, false))
    stage.upstream.on('GET /v1/models', { body: { data: [], object: 'list' } })
    await setOwnKey(project.tenantId, 'anthropic', 'sk-ant-0123456789abcdef0123')
    const targets = [{ model: 'openai/gpt-4o-mini' }, { model: 'anthropic/claude-sonnet-4-5' }]
    await manage('PUT', `projects/${project.id}/settings`, { routes: { targets, strategy: 'fallback' } })
    await manage('POST', `projects/${project.id}/settings/deploy`, undefined)
    await expect
      .poll(async () => (await project.complete(shortRequest)).headers['x-sallyport-model'])
      .toBe('anthropic/claude-sonnet-4-5')
    const own = await makeProject()
    await setOwnKey(own.tenantId, 'openai', tenantKey)
    await expect.poll(async () => (await own.complete(shortRequest)).status).toBe(200)
  })

  test('what was paid is in the database, and counts after a restart', async () => {
    const read = () =>
      stage.harness.query('select sum(tokens) as tokens, sum(cost_nanousd) as cost from platform_days', [])
    await expect.poll(async () => Number((await read())[0]?.['tokens'])).toBeGreaterThan(4 * tokensOfAnswer)
    const cost = Number((await read())[0]?.['cost']) / 1e9
    expect(cost).toBeGreaterThan(4 * answerUsd - 1e-9)
    expect(cost).toBeLessThan(4 * answerUsd + 0.0006)
    const project = await makeProject()
    expect((await project.complete(shortRequest)).status).toBe(429)
    if (backend === 'sqlite') await stage.harness.product.stop()
    // On PostgreSQL a prefix of its own gives the other process an empty store.
    const other = await startProduct({ env: { ...stage.harness.env, REDIS_PREFIX: 'emptied:' } })
    try {
      const refused = await project.complete(shortRequest, { port: other.port })
      expect([refused.status, refused.body]).toEqual([429, usedUp])
    } finally {
      await other.stop()
    }
  })
})
