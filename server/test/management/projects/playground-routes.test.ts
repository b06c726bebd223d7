// The playground with routes, the cache and budgets, against a scripted provider: its response names the model that
// answered, how many calls were begun, and whether the answer came from the cache.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { errorResponse, say } from '../../support/simulated/provider-answers.ts'

const [failing, answering] = ['openai/gpt-4o', 'openai/gpt-4o-mini']
const cacheHeader = 'x-sallyport-cache'
const ownHeaders = ['x-sallyport-model', 'x-sallyport-attempts', cacheHeader]

describeEachBackend('the playground with routes', start => {
  let plane: ManagementHarness
  let tenantId: string
  let project: string
  beforeAll(async () => {
    plane = await start()
    plane.upstream.on('GET /v1/models', { body: { object: 'list', data: [] } })
    plane.upstream.on('POST /v1/chat/completions', ({ body }) =>
      JSON.parse(body).model === 'gpt-4o'
        ? errorResponse('openai', 503, 'Down')
        : say('openai', { text: ['Hel', 'lo'] }, true),
    )
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
    project = `/auth/v1/projects/${(await plane.makeProject(tenantId)).id}`
    await manage('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, { api_key: 'sk-playground-0123456789abcdef' })
    await manage('PUT', `${project}/settings/model`, { provider_model: 'openai/gpt-4.1-mini' })
    await manage('PUT', `${project}/settings/model/draft`, { provider_model: answering })
    await manage('PUT', `${project}/settings`, {
      routes: { strategy: 'fallback', targets: [{ model: failing }, { model: answering }], retry: { attempts: 0 } },
      cache: { ttl_seconds: 3600 },
    })
  })

  async function manage(method: string, path: string, body: unknown): Promise<void> {
    const answer = await plane.call(method, path, { session: plane.owner.session, body })
    expect(answer.status, answer.text).toBeLessThan(300)
  }

  const ask = (use: string, content: string, headers: Record<string, string> = {}) => {
    const body = { messages: [{ role: 'user', content }] }
    return plane.call('POST', `${project}/playground?use=${use}`, { session: plane.owner.session, body, headers })
  }
  const loggedIn = async (path: string) => {
    const answer = await plane.call('GET', `${path}/requests`, { session: plane.owner.session })
    const { data } = answer.body as { data: { status: number; error: string | null; playground: boolean }[] }
    return data.map(({ status, error, playground }) => [status, error, playground])
  }
  const headersOf = async (asked: ReturnType<typeof ask>) => {
    const { status, headers } = await asked
    return [status, ...ownHeaders.map(name => headers.get(name))]
  }

  test('the response names the model that answered and counts the calls; what is deployed has no routes', async () => {
    expect(await headersOf(ask('draft', 'Hello'))).toEqual([200, answering, '2', null])
    expect(await headersOf(ask('deployed', 'Hello'))).toEqual([200, 'openai/gpt-4.1-mini', null, null])
  })

  test('the cache answers a repeated message that asks for it, and no other', async () => {
    const use = { [cacheHeader]: 'use' }
    // The cache looks for an answer of the first target only, and keeps one of the target that answered.
    await manage('PUT', `${project}/settings`, { routes: null })
    expect(await headersOf(ask('draft', 'Again?', use))).toEqual([200, answering, null, 'miss'])
    await expect.poll(() => headersOf(ask('draft', 'Again?', use))).toEqual([200, answering, null, 'hit'])
    expect(await headersOf(ask('draft', 'Again?'))).toEqual([200, answering, null, null])
    expect(await headersOf(ask('draft', 'Another one?', use))).toEqual([200, answering, null, 'miss'])
    // Nothing is deployed: neither is the cache.
    expect(await headersOf(ask('deployed', 'Again?', use))).toEqual([200, 'openai/gpt-4.1-mini', null, null])
    const wrong = await ask('draft', 'Again?', { [cacheHeader]: 'perhaps' })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('X-Sallyport-Cache must be use or no')])
  })

  test('a draft without a draft model is tried with the live one, if use names it', async () => {
    const other = `/auth/v1/projects/${(await plane.makeProject(tenantId)).id}`
    await manage('PUT', `${other}/settings/model`, { provider_model: answering })
    await manage('PUT', `${other}/settings`, { system_prompt: 'Drafted words' })
    const body = { messages: [{ role: 'user', content: 'Hello' }] }
    const run = (query: string) =>
      plane.call('POST', `${other}/playground${query}`, { session: plane.owner.session, body })
    const tried = await run('?use=draft')
    expect([tried.status, tried.headers.get('x-sallyport-model')]).toEqual([200, answering])
    const sent = plane.upstream.requests.findLast(({ method }) => method === 'POST')
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      model: 'gpt-4o-mini',
      messages: [{ role: 'system', content: 'Drafted words' }, ...body.messages],
    })
    const refused = await run('')
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('No draft model')])
  })

  test('a run is rejected by a budget as a request is', async () => {
    await manage('PUT', `/auth/v1/tenants/${tenantId}/budgets`, { budgets: [{ usd: 0.000001, period: 'day' }] })
    await expect.poll(async () => (await ask('draft', 'Hello')).status).toBe(429)
    expect((await ask('draft', 'Hello')).text).toContain('The budget of the day is used up')
    await expect.poll(() => loggedIn(project)).toContainEqual([429, 'insufficient_quota', true])
  })

  test('the request log has the status and the error that a failed or refused run got', async () => {
    const owner = (await plane.makeTenant({ plan: 'pro' })).id
    const path = `/auth/v1/projects/${(await plane.makeProject(owner)).id}`
    const run = async () => {
      const body = { messages: [{ role: 'user', content: 'Hello' }] }
      return (await plane.call('POST', `${path}/playground?use=deployed`, { session: plane.owner.session, body }))
        .status
    }
    expect(await run()).toBe(422)
    await expect.poll(() => loggedIn(path)).toEqual([[422, 'model_not_configured', true]])
    await manage('PUT', `/auth/v1/tenants/${owner}/providers/openai`, { api_key: 'sk-playground-0123456789abcdef' })
    await manage('PUT', `${path}/settings/model`, { provider_model: failing })
    expect(await run()).toBe(502)
    await expect.poll(() => loggedIn(path)).toContainEqual([502, 'provider_unavailable', true])
  })

  test('the document describes the header of the cache and the errors of budgets', async () => {
    const { body } = await plane.call('GET', '/auth/v1/openapi.json')
    const { paths } = body as { paths: Record<string, { post: { parameters: { name: string }[]; responses: object } }> }
    const operation = paths['/auth/v1/projects/{projectId}/playground']?.post
    expect(operation?.parameters.map(({ name }) => name)).toContain('X-Sallyport-Cache')
    expect(JSON.stringify(operation?.responses)).toContain('insufficient_quota')
    expect(JSON.stringify(operation?.responses)).toContain('model_not_priced')
  })

  test('a dashboard on another origin may send the header and read those of the response', async () => {
    const origin = plane.baseUrl.replace('127.0.0.1', 'localhost')
    const preflight = { origin, 'access-control-request-method': 'POST' }
    const { headers } = await plane.call('OPTIONS', `${project}/playground`, { headers: preflight })
    expect(headers.get('access-control-allow-headers')?.split(', ')).toContain(cacheHeader)
    const exposed = (await ask('draft', 'Hello', { origin })).headers.get('access-control-expose-headers')
    expect(exposed?.split(', ')).toEqual(['x-request-id', 'retry-after', ...ownHeaders])
  })
})
