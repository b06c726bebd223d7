// The rules of routes over the HTTP contract, in one process and with PostgreSQL and Redis: which target answers, which
// failures the next one heals, what is reported, and that a project without routes is as before.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorResponse, openaiEvents, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import { eventsOfRequest } from '../guard/guard-stage.ts'
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

const sse = { 'content-type': 'text/event-stream' }
const troubles: Record<string, Trouble> = {
  ...Object.fromEntries([400, 413, 422, 500, 503].map(code => [`${code}`, () => errorResponse('openai', code, 'no')])),
  silent: () => undefined,
  'soon-429': () => errorResponse('openai', 429, 'no', { 'retry-after': '1' }),
  'late-429': () => errorResponse('openai', 429, 'no', { 'retry-after': '30' }),
  'breaks-off': response => {
    const [role, first] = openaiEvents({ text: ['partly'] })
    response.writeHead(200, sse).write(`${role}${first}`, () => response.socket?.destroy())
    return undefined
  },
  echo(_response, isStream, body) {
    const { messages } = JSON.parse(body) as { messages: { content: string }[] }
    return say('openai', { text: [messages.at(-1)?.content ?? ''] }, isStream)
  },
}

const contentOf = ({ body }: Answer) =>
  (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content
const targetsOf = (...ids: string[]) => ids.map(model => ({ model }))

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let routes: RouteStage
  let plain: TestProject

  beforeAll(async () => {
    routes = await openRouteStage(backend, troubles, { UPSTREAM_IDLE_TIMEOUT: '5' })
    plain = await routes.makeProject(inOrder())
  })
  afterAll(async () => await routes.stop())

  const put = async (project: TestProject, path: string, body?: object) => {
    const { call, owner } = routes.stage.harness
    const method = path.endsWith('deploy') ? 'POST' : 'PUT'
    return await call(method, `/auth/v1/projects/${project.id}${path}`, { session: owner.session, body })
  }
  const timesAsked = (tag: string) => names.map(name => routes.providers[name].asked.filter(one => one === tag).length)

  test('the first target answers, and the headers name it; without routes only the model is named', async () => {
    const answer = await plain.complete(saying('tag=first'))
    expect([answer.status, contentOf(answer), ...routeOf(answer)]).toEqual([200, 'from openai', models.openai, '1'])
    const without = await routes.makeProject({})
    expect((await put(without, '/settings/model', { provider_model: models.openai })).status).toBe(200)
    const usual = await without.complete()
    expect([usual.status, ...routeOf(usual)]).toEqual([200, models.openai, undefined])
  })

  test('a draft changes nothing before its deploy, and a tier has routes of its own', async () => {
    const own = await routes.makeProject(inOrder(['openai']))
    const { call, owner } = routes.stage.harness
    expect((await put(own, '/settings', inOrder(['anthropic']))).status).toBe(200)
    const tier = { name: 'gold', overrides: inOrder(['mistral']) }
    const made = await call('POST', `/auth/v1/projects/${own.id}/tiers`, { session: owner.session, body: tier })
    expect(made.status).toBe(201)
    expect(contentOf(await own.complete())).toBe('from openai')
    expect((await put(own, '/settings/deploy')).status).toBe(200)
    await expect.poll(async () => contentOf(await own.complete())).toBe('from anthropic')
    const token = await own.mint({ tier: 'gold' })
    expect(contentOf(await own.complete({}, { token }))).toBe('from mistral')
  })

  test('a request may name the target to begin with, if it is allowed', async () => {
    const own = await routes.makeProject({ ...inOrder(), allowed_models: [models.mistral] })
    const named = async (project: TestProject, model: string) => contentOf(await project.complete({ model }))
    expect(await named(plain, models.mistral)).toBe('from mistral')
    expect(await named(plain, 'claude-sonnet-4-5')).toBe('from anthropic')
    expect(await named(plain, 'openai/gpt-4o')).toBe('from openai')
    expect(await named(own, 'mistral-large-latest')).toBe('from mistral')
    expect(await named(own, models.anthropic)).toBe('from openai')
    const failed = await plain.complete({ ...saying('tag=named mistral!500'), model: models.mistral })
    expect([contentOf(failed), ...routeOf(failed)]).toEqual(['from openai', models.openai, '2'])
    const list = async (project: TestProject) =>
      ((await project.ask('GET', '/v1/models')).body as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(await list(plain)).toEqual(Object.values(models))
    expect(await list(own)).toEqual([models.mistral])
    expect((await plain.ask('GET', '/v1/models/claude-sonnet-4-5')).body).toMatchObject({ id: models.anthropic })
  })

  test.each([400, 413, 422])('a %i is the fault of the request: no other target is asked', async code => {
    const answer = await plain.complete(saying(`tag=fault-${code} openai!${code}`))
    expect(answer).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } })
    expect(routeOf(answer)).toEqual([models.openai, '1'])
    expect(timesAsked(`fault-${code}`)).toEqual([1, 0, 0])
  })

  test('what the client has seen is never repeated: a stream that breaks off ends with an error', async () => {
    const before = await plain.usage()
    const stream = await plain.open(saying('tag=begun openai!breaks-off'))
    await stream.ended
    expect(stream.status).toBe(200)
    expect(routeOf(stream)).toEqual([models.openai, '1'])
    const events = eventsOf(stream.text())
    expect(textOf(events)).toBe('partly')
    expect(events.at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } })
    expect(timesAsked('begun')).toEqual([1, 0, 0])
    expect((await plain.usage()).requests).toBe(before.requests + 1)
  })

  test.each<[retry: object | undefined, trouble: string, calls: number]>([
    [undefined, '503', 1],
    [undefined, 'soon-429', 1],
    [{ attempts: 0 }, '503', 1],
    [{ attempts: 2, on: ['5xx'] }, '503', 3],
    [{ attempts: 3, on: ['5xx', '429'] }, 'soon-429', 4],
    [{ attempts: 3, on: ['429'] }, 'late-429', 1],
    [{ attempts: 3, on: ['connect', 'timeout', '429'] }, '500', 1],
    [{ attempts: 1, on: ['timeout'] }, 'silent', 2],
    [{ attempts: 1 }, '500', 2],
  ])('retry %o after %s: the target is called %i times', async (retry, trouble, calls) => {
    const targets = [{ model: models.openai, timeout_ms: 1_000 }, { model: models.anthropic }]
    const own = await routes.makeProject(inOrder(names, { targets, ...(retry === undefined ? {} : { retry }) }))
    const tag = `retry-${trouble}-${calls}-${JSON.stringify(retry)?.length ?? 0}`
    const answer = await own.complete(saying(`tag=${tag} openai!${trouble}`))
    expect([contentOf(answer), ...routeOf(answer)]).toEqual(['from anthropic', models.anthropic, String(calls + 1)])
    expect(timesAsked(tag)).toEqual([calls, 1, 0])
    expect(await own.usage()).toMatchObject({ requests: 1, total_tokens: wholeUsage.total_tokens })
  })

  test('a target that nobody listens at is retried once, and with `attempts: 0` not at all', async () => {
    const own = await routes.makeProject(inOrder())
    const never = await routes.makeProject(inOrder(names, { retry: { attempts: 0, on: [] } }))
    await routes.providers.openai.shut('refused')
    const answers = [await own.complete(), await never.complete()]
    await routes.providers.openai.open()
    expect(answers.map(contentOf)).toEqual(['from anthropic', 'from anthropic'])
    expect(answers.map(answer => routeOf(answer)[1])).toEqual(['3', '2'])
  })

  test('targets without a key are skipped, and so are those that do not serve the endpoint', async () => {
    const own = await routes.makeProject(
      {
        routes: { targets: targetsOf('openai/text-embedding-3-small', ...Object.values(models)), strategy: 'fallback' },
      },
      { keysOf: ['mistral'] },
    )
    const answer = await own.complete()
    expect([contentOf(answer), ...routeOf(answer)]).toEqual(['from mistral', models.mistral, '1'])
    expect((await own.complete(saying('tag=last mistral!500'))).status).toBe(502)
    const none = await routes.makeProject(inOrder(), { keysOf: [] })
    expect(await none.complete()).toMatchObject({ status: 422, body: { error: { code: 'provider_not_configured' } } })
    const unfit = await routes.makeProject({
      routes: { targets: targetsOf('openai/text-embedding-3-small'), strategy: 'fallback' },
    })
    const refused = await unfit.complete()
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'model_not_supported', param: 'model' } } })
  })

  test('weighted: one target within a conversation, each its share over all, and a fallback as well', async () => {
    const targets = [
      { model: models.openai, weight: 1 },
      { model: models.anthropic, weight: 1 },
      { model: models.mistral, weight: 2 },
    ]
    const own = await routes.makeProject({ routes: { targets, strategy: 'weighted' } })
    const said = async (headers: Record<string, string>, text = 'Hi', options = {}) =>
      contentOf(await own.complete(saying(text), { headers, ...options }))
    for (const header of ['x-session-id', 'x-thread-id']) {
      const firsts = new Set<string | undefined>()
      for (let conversation = 0; conversation < 12; conversation++) {
        const headers = { [header]: `${header}-${conversation}` }
        const answers = [await said(headers), await said(headers), await said(headers)]
        expect(new Set(answers).size, answers.join()).toBe(1)
        firsts.add(answers[0])
      }
      expect(firsts.size).toBeGreaterThan(1)
    }
    const answers = await Promise.all(Array.from({ length: 80 }, () => said({})))
    expect(new Set(answers).size).toBe(3)
    const failed = await Promise.all(Array.from({ length: 20 }, () => said({}, 'openai!500 mistral!503')))
    expect([...new Set(failed)]).toEqual(['from anthropic'])
  })

  test('a prompt is guarded once, and the target that answers gets it masked', async () => {
    const guarded = { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK' } }
    const own = await routes.makeProject({ ...inOrder(['openai', 'mistral']), ...guarded })
    const text = 'tag=masked openai!500 mistral!echo to ada@example.com'
    const answer = await own.complete(saying(text))
    expect([contentOf(answer), ...routeOf(answer)]).toEqual([text, models.mistral, '2'])
    const bodies = names.flatMap(name => routes.providers[name].bodies).filter(body => body.includes('tag=masked'))
    expect(bodies).toHaveLength(2)
    for (const body of bodies) expect(body).toMatch(/<EMAIL_ADDRESS_[0-9a-f]{12}>/)
    expect(bodies.join()).not.toContain('ada@')
    expect(await eventsOfRequest(routes.stage, own, answer, 1)).toMatchObject([{ action_taken: 'masked' }])
  })

  test('messages, responses and counts of tokens fall back, too, streamed and whole', async () => {
    const tag = (name: string) => `tag=${name} openai!500`
    const messages = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: tag('messages') }] }
    const whole = await plain.ask('POST', '/v1/messages', { body: messages })
    expect(whole).toMatchObject({ status: 200, body: { content: [{ type: 'text', text: 'from anthropic' }] } })
    expect(routeOf(whole)).toEqual([models.anthropic, '2'])
    const stream = await plain.ask('POST', '/v1/messages', { body: { ...messages, stream: true } })
    expect(stream.text).toContain('message_stop')
    expect(routeOf(stream)).toEqual([models.anthropic, '2'])
    const input = { model: 'any', input: tag('responses'), store: false }
    const response = await plain.ask('POST', '/v1/responses', { body: input })
    expect(response).toMatchObject({ status: 200, body: { output: [{ content: [{ text: 'from anthropic' }] }] } })
    expect(routeOf(response)).toEqual([models.anthropic, '2'])
    const events = await plain.ask('POST', '/v1/responses', { body: { ...input, stream: true } })
    expect(events.text).toContain('response.completed')
    expect(routeOf(events)).toEqual([models.anthropic, '2'])
    const { max_tokens: _, ...counted } = messages
    const count = (content: string) =>
      plain.ask('POST', '/v1/messages/count_tokens', {
        body: { ...counted, model: 'claude-sonnet-4-5', messages: [{ role: 'user', content }] },
      })
    expect(await count('tag=count')).toMatchObject({ status: 200, body: { input_tokens: 5 } })
    const estimated = await count('tag=count-2 anthropic!503')
    expect([estimated.status, estimated.headers['x-sallyport-estimate']]).toEqual([200, 'true'])
    expect(routeOf(estimated)).toEqual([models.openai, '1'])
  })

  test('vectors come from the model that is named, or the same one of another provider', async () => {
    const [small, same] = ['openai/text-embedding-3-small', 'openrouter/openai/text-embedding-3-small']
    const { stage } = routes
    const own = await routes.makeProject({
      routes: { targets: targetsOf(small, 'mistral/mistral-embed', same), strategy: 'fallback' },
    })
    stage.upstream.on('GET /v1/key', { body: { data: { label: 'key' } } })
    stage.upstream.on('POST /v1/embeddings', {
      body: { data: [{ index: 0, embedding: [3, 4] }], model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 } },
    })
    const path = `/auth/v1/tenants/${own.tenantId}/providers/openrouter`
    const { session } = stage.harness.owner
    const body = { api_key: 'sk-or-v1-0123456789abcdef' }
    expect((await stage.harness.call('PUT', path, { session, body })).status).toBe(200)
    const embed = (input: string, model?: string) => own.ask('POST', '/v1/embeddings', { body: { input, model } })
    const usual = await embed('tag=vector', small)
    expect(usual).toMatchObject({ status: 200, body: { data: [{ embedding: [1, 2] }] } })
    await expect.poll(async () => routeOf(await embed('tag=vector openai!500', small))).toEqual([same, '2'])
    expect(timesAsked('vector')[2]).toBe(0)
    for (const model of [undefined, 'openai/text-embedding-3-large']) {
      expect(await embed('a', model)).toMatchObject({
        status: 400,
        body: { error: { code: 'model_not_supported', message: expect.stringContaining(`${small}, mistral/`) } },
      })
    }
  })
})
