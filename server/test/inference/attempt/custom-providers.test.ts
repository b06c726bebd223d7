// Completions of custom providers: what their server is sent and what the client gets, what an answer costs, whose
// models are visible, and what is left once a provider is deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorResponse, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'

const key = 'gsk-0123456789abcdefghij'

describe.each(['sqlite', 'postgres'] as const)('custom providers on %s', backend => {
  let stage: Stage
  let server: ScriptedUpstream
  beforeAll(async () => {
    server = await startUpstream()
    stage = await openStage(backend, { OUTBOUND_ALLOW: server.host }, { own: true })
  })
  afterAll(async () => {
    await stage.stop()
    await server.close()
  })
  beforeEach(() => {
    server.reset()
    server.on('GET /v1/models', { body: { data: [{ id: 'small' }, { id: 'org/large:8b' }] } })
    server.on('POST /v1/chat/completions', ({ body }) =>
      say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true),
    )
  })

  const manage = (method: string, path: string, body?: unknown) =>
    stage.harness.call(method, path, {
      session: stage.harness.owner.session,
      ...(body === undefined ? {} : { body }),
    })
  const bodyWith = (fields: object) => ({ display_name: 'Local', base_url: `${server.url}/v1`, ...fields })
  const change = async ({ tenantId }: TestProject, fields: object) => {
    const path = `/auth/v1/tenants/${tenantId}/providers/custom/local`
    const { status, text } = await manage('PUT', path, bodyWith(fields))
    if (status !== 200) throw new Error(text)
  }
  const select = (project: TestProject, model: string) =>
    manage('PUT', `/auth/v1/projects/${project.id}/settings/model`, { provider_model: model })
  const models = async (project: TestProject) => {
    const { body } = await project.ask('GET', '/v1/models')
    return (body as { data: unknown[] }).data
  }
  const lastAsked = () => {
    const { headers, body, path } = server.requests.findLast(({ method }) => method === 'POST') ?? { body: '{}' }
    return { headers, path, body: JSON.parse(body) as Record<string, unknown> }
  }

  /** A project of a new tenant, with the model of the provider `local`. */
  async function makeProject(fields: object = {}, settings: Record<string, unknown> = {}): Promise<TestProject> {
    const provider = { path: 'custom/local', body: bodyWith(fields) }
    return await stage.makeProject({ model: 'custom-local/small', provider, settings })
  }

  test('a completion, with its key and its headers, in what most such servers accept', async () => {
    const project = await makeProject({ api_key: key, headers: { 'X-Team': 'red', 'x-api-version': '2' } })
    const answer = await project.complete({ max_tokens: 10, user: 'someone', top_k: 4 })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ choices: [{ message: { content: 'Hello' } }], usage: wholeUsage })
    const { headers, path, body } = lastAsked()
    expect(path).toBe('/v1/chat/completions')
    expect(headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-team': 'red', 'x-api-version': '2' })
    expect(body).toMatchObject({
      model: 'small',
      max_tokens: 10,
      top_k: 4,
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(body).not.toHaveProperty('max_completion_tokens')
  })

  test('without a key none is sent, and a header may present another kind', async () => {
    const project = await makeProject()
    await project.complete()
    expect(lastAsked().headers).not.toHaveProperty('authorization')
    await change(project, { headers: { Authorization: 'Api-Key abc' } })
    await project.complete()
    expect(lastAsked().headers).toMatchObject({ authorization: 'Api-Key abc' })
  })

  test('vectors, of a model that says so', async () => {
    const named = [{ id: 'small' }, { id: 'vectors', capabilities: { surfaces: ['embeddings'] } }]
    const project = await makeProject({ models: named })
    const data = [{ object: 'embedding', index: 0, embedding: [0.5, -1] }]
    const usage = { prompt_tokens: 2, total_tokens: 2 }
    server.on('POST /v1/embeddings', { body: { object: 'list', data, model: 'vectors', usage } })
    const embed = (model: string) => project.ask('POST', '/v1/embeddings', { body: { model, input: 'Hello' } })
    expect(await embed('custom-local/vectors')).toMatchObject({ status: 200, body: { data, usage } })
    expect(lastAsked().body).toMatchObject({ model: 'vectors', input: ['Hello'] })
    expect(await embed('custom-local/small')).toMatchObject({
      status: 400,
      body: { error: { code: 'model_not_supported', message: expect.stringContaining('custom-local/vectors') } },
    })
  })

  test('a stream, and parallel tool calls', async () => {
    const project = await makeProject()
    const streamed = await project.open()
    await streamed.ended
    expect(textOf(eventsOf(streamed.text()))).toBe('Hello')
    expect(streamed.text()).toContain('data: [DONE]')
    const calls = [
      { id: 'call_1', name: 'look', pieces: ['{"a"', ':1}'] },
      { id: 'call_2', name: 'look', pieces: ['{"a":2}'] },
    ]
    server.on('POST /v1/chat/completions', ({ body }) => say('openai', { calls }, JSON.parse(body).stream === true))
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const { body } = await project.complete({ tools, tool_choice: 'required' })
    expect(body).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { tool_calls: [{ function: { arguments: '{"a":1}' } }, { function: { arguments: '{"a":2}' } }] },
        },
      ],
    })
    expect(lastAsked().body).toMatchObject({ tools, tool_choice: 'required' })
  })

  test.each([
    [401, 502, 'provider_auth_error'],
    [404, 404, 'model_not_found'],
    [429, 429, 'rate_limit_exceeded'],
    [500, 502, 'provider_unavailable'],
  ])('an error %i of its server is %i %s', async (status, shown, code) => {
    const project = await makeProject()
    server.on('POST /v1/chat/completions', errorResponse('openai', status, 'No'))
    const answer = await project.complete()
    expect(answer.status).toBe(shown)
    expect(answer.body).toMatchObject({ error: { code } })
  })

  test('a stream that breaks ends with an error', async () => {
    const project = await makeProject()
    server.on('POST /v1/chat/completions', {
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"He"}}]}\n\n',
    })
    const answer = await project.open()
    await answer.ended
    expect(answer.text()).toContain('provider_unavailable')
    expect(answer.text()).not.toContain('[DONE]')
  })

  test('the given prices are what an answer costs', async () => {
    const project = await makeProject({ models: [{ id: 'small', prices: { input: 100, output: 1_000 } }] })
    await project.complete()
    const { body } = await project.ask('GET', '/v1/billing/usage?group_by=model')
    const { prompt_tokens, completion_tokens } = wholeUsage
    expect(body).toMatchObject({
      data: [{ model: 'custom-local/small', cost_usd: (prompt_tokens * 100 + completion_tokens * 1_000) / 1_000_000 }],
    })
  })

  test('a model without prices costs nothing', async () => {
    const project = await makeProject()
    await project.complete()
    const { body } = await project.ask('GET', '/v1/billing/usage')
    expect(body).toMatchObject({ totals: { total_tokens: wholeUsage.total_tokens, cost_usd: 0 } })
  })

  test('what the model takes shapes the request', async () => {
    const project = await makeProject({
      models: [{ id: 'small', max_output_tokens: 50, capabilities: { temperature: false } }],
    })
    await project.complete({ max_tokens: 100, temperature: 1 })
    expect(lastAsked().body).toMatchObject({ max_tokens: 50 })
    expect(lastAsked().body).not.toHaveProperty('temperature')
  })

  test('its models are listed, and a request may name another, among those that the project allows', async () => {
    const project = await makeProject({}, { provider_model: null })
    const capabilities = { surfaces: ['chat_completions', 'responses', 'messages'] }
    const shown = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'custom-local', capabilities })
    expect(await models(project)).toEqual([shown('custom-local/small'), shown('custom-local/org/large:8b')])
    for (const named of ['org/large:8b', 'custom-local/org/large:8b']) {
      await project.complete({ model: named })
      expect(lastAsked().body['model']).toBe('org/large:8b')
    }
    for (const ignored of ['unknown', 'custom-other/small']) {
      await project.complete({ model: ignored })
      expect(lastAsked().body['model']).toBe('small')
    }
    const own = `/auth/v1/projects/${project.id}/settings`
    expect((await manage('PUT', own, { allowed_models: ['custom-local/small'] })).status).toBe(200)
    expect((await manage('POST', `${own}/deploy`)).status).toBe(200)
    await expect.poll(() => models(project)).toEqual([shown('custom-local/small')])
    await project.complete({ model: 'org/large:8b' })
    expect(lastAsked().body['model']).toBe('small')
  })

  test('another tenant with a provider of the same slug has only its own server, key and models', async () => {
    const one = await makeProject({ api_key: key })
    const elsewhere = await startUpstream()
    const other = await stage.makeProject({ model: null, hasKey: false })
    elsewhere.on('POST /v1/chat/completions', say('openai', { text: ['elsewhere'] }, false))
    // Its address is not allowed, unlike the first one's: the port differs.
    const refused = await manage('PUT', `/auth/v1/tenants/${other.tenantId}/providers/custom/local`, {
      display_name: 'Local',
      base_url: elsewhere.url,
      models: [{ id: 'own' }],
    })
    expect(refused.status).toBe(400)
    await elsewhere.close()
    await stage.harness.giveProvider(other.tenantId, 'custom/local', bodyWith({ models: [{ id: 'own' }] }))
    expect((await select(other, 'custom-local/small')).status).toBe(400)
    expect((await select(other, 'custom-local/own')).status).toBe(200)
    await other.complete({ model: 'small' })
    expect(lastAsked()).toMatchObject({ body: { model: 'own' } })
    expect(lastAsked().headers).not.toHaveProperty('authorization')
    expect(await models(other)).toMatchObject([{ id: 'custom-local/own' }])
    await one.complete({ model: 'own' })
    expect(lastAsked().body['model']).toBe('small')
  })

  test('a catalog entry of the operator under the same slug adds no model', async () => {
    const { adminSecret } = stage.harness
    const list = { data: [{ id: 'planted' }] }
    server.on('GET /planted', { body: list })
    const added = await stage.harness.call('POST', '/auth/v1/admin/providers', {
      adminSecret,
      body: {
        name: 'Planted',
        slug: 'custom-local',
        displayName: 'Planted',
        modelsEndpointUrl: `${server.url}/planted`,
      },
    })
    const { id } = added.body as { id: string }
    const synced = await stage.harness.call('POST', `/auth/v1/admin/providers/${id}/sync-models`, { adminSecret })
    expect(synced).toMatchObject({ status: 200, body: { models: ['custom-local/planted'] } })
    const project = await makeProject()
    expect((await select(project, 'custom-local/planted')).status).toBe(400)
    await project.complete({ model: 'planted' })
    expect(lastAsked().body['model']).toBe('small')
    expect(await models(project)).toHaveLength(2)
    const { body } = await manage('GET', `/auth/v1/tenants/${project.tenantId}/providers/models`)
    expect((body as { models: { modelId: string }[] }).models.map(({ modelId }) => modelId)).toEqual([
      'custom-local/org/large:8b',
      'custom-local/small',
    ])
  })

  test('a changed provider is in force at once; a deleted one has no models, and its key is sent nowhere', async () => {
    const project = await makeProject({ api_key: key })
    await project.complete()
    await change(project, { models: [{ id: 'small' }, { id: 'new' }] })
    await expect
      .poll(async () => {
        await project.complete({ model: 'new' })
        return lastAsked().body['model']
      })
      .toBe('new')
    expect(lastAsked().headers).not.toHaveProperty('authorization')
    const path = `/auth/v1/tenants/${project.tenantId}/providers/custom/local`
    expect((await manage('DELETE', path)).status).toBe(409)
    // As a tenant's deletion of a project's model would race with it: the row goes, and the project still names it.
    expect((await manage('DELETE', `/auth/v1/projects/${project.id}/settings/model`)).status).toBe(204)
    expect((await manage('DELETE', path)).status).toBe(204)
    expect((await select(project, 'custom-local/small')).status).toBe(400)
    await expect.poll(async () => (await project.complete()).status).toBe(422)
    await expect.poll(() => models(project)).toEqual([])
  })

  test('no metric names a tenant\u2019s provider or model', async () => {
    const project = await makeProject({ models: [{ id: 'small' }, { id: 'secret-model' }] })
    await project.complete({ model: 'secret-model' })
    server.on('POST /v1/chat/completions', { status: 500, body: {} })
    await project.complete({ model: 'secret-model' })
    const metrics = async () => await (await fetch(`${stage.harness.baseUrl}/metrics`)).text()
    await expect.poll(metrics).toContain('sallyport_provider_tries_total{provider="custom",outcome="server_error"}')
    expect(await metrics()).toContain('sallyport_provider_tries_total{provider="custom",outcome="complete"}')
    expect(await metrics()).not.toMatch(/custom-local|secret-model/)
  })
})
