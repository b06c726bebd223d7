// The playground against a scripted provider: what it refuses and in which words, what it counts, that the draft and
// nothing else answers, and what ends an answer under way.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { processesOfProduct, startProduct } from '../../support/start-product.ts'
import { chunksOf, completions, hello, openaiKey, type Stage } from './playground-answers.ts'

let upstream: ScriptedUpstream
function scriptUpstream(): void {
  upstream.reset()
  upstream.on('GET /v1/models', { body: { object: 'list', data: [] } })
  upstream.on(completions, say('openai', { text: ['Hel', 'lo'] }, true))
}

beforeAll(async () => {
  upstream = await startUpstream()
  scriptUpstream()
})
afterAll(() => upstream.close())
beforeEach(scriptUpstream)

describeEachBackend('the playground', (start, backend) => {
  let plane: ManagementHarness
  /** For tests that neither use up an hour nor stop the project. */
  let stage: Stage
  /** A provider that is there until it goes. */
  let leaving: ScriptedUpstream
  beforeAll(async () => {
    leaving = await startUpstream()
    leaving.on('GET /v1/models', { body: { data: [] } })
    const env = { OPENAI_BASE_URL: upstream.url, ANTHROPIC_BASE_URL: leaving.url, SYNC_INTERVAL: '1' }
    plane = await start({ env, own: true })
    stage = await makeStage()
  })

  const manage = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await plane.call(method, path, { session: plane.owner.session, body })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer
  }

  async function makeStage({ draft = 'openai/gpt-4o-mini' as string | null, hasKey = true } = {}): Promise<Stage> {
    const tenantId = (await plane.makeTenant({ plan: 'pro' })).id
    if (hasKey) await plane.giveProvider(tenantId, 'openai', { api_key: openaiKey })
    const project = await plane.makeProject(tenantId)
    const settings = `/auth/v1/projects/${project.id}/settings`
    if (draft !== null) await manage('PUT', `${settings}/model/draft`, { provider_model: draft })
    return { tenantId, project, path: `/auth/v1/projects/${project.id}/playground` }
  }

  const ask = ({ path }: Stage, options: { user?: string; body?: unknown; headers?: Record<string, string> } = {}) =>
    plane.call('POST', path, {
      session: plane.owner.session,
      body: options.body ?? hello,
      headers: { ...(options.user === undefined ? {} : { 'x-user-id': options.user }), ...options.headers },
    })

  /** The answer as it comes; `text` grows until `isOver`. */
  async function begin(
    { path }: Stage,
    { baseUrl, session } = { baseUrl: plane.baseUrl, session: plane.owner.session },
  ) {
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello),
      signal: controller.signal,
    })
    const state = { response, text: '', isOver: false, abort: () => controller.abort() }
    const read = async () => {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) state.text += piece
    }
    void read()
      .catch(() => undefined)
      .finally(() => {
        state.isOver = true
      })
    return state
  }

  const setSwitch = async (scope: string, enabled: boolean) => {
    const path = `/v1/admin/killswitch/${scope}`
    const answer = await plane.call('POST', path, { adminSecret: plane.adminSecret, body: { enabled } })
    expect(answer.status, answer.text).toBe(200)
  }

  test('sends images, tools and parameters as a client of the gateway does', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]
    const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
    const body = { messages: [{ role: 'user', content }], tools: [tool], temperature: 0.5, max_tokens: 20 }
    const answer = await ask(stage, { body })
    expect(answer.status, answer.text).toBe(200)
    const sent = JSON.parse(upstream.requests.findLast(({ method }) => method === 'POST')?.body ?? '')
    expect(sent.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'What is this?' }, content[1]] })
    expect(sent).toMatchObject({ tools: [{ function: { name: 'look' } }], temperature: 0.5 })
  })

  test('streams the answer as OpenAI chunks, with who may read it and a request id', async () => {
    const answer = await ask(stage, { headers: { origin: plane.baseUrl } })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const chunks = chunksOf(answer.text)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello')
    expect(chunks.every(chunk => chunk.object === 'chat.completion.chunk')).toBe(true)
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test.each([
    ['no body', undefined, 'messages must be a non-empty array'],
    ['no messages', {}, 'messages must be a non-empty array'],
    ['empty messages', { messages: [] }, 'messages must be a non-empty array'],
    ['messages that are none', { messages: 'Hello' }, 'messages must be a non-empty array'],
    ['null messages', { messages: null }, 'messages must be a non-empty array'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages must have a role and content'],
    ['a message without a role', { messages: [{ content: 'x' }] }, 'messages must have a role and content'],
    ['parts', { messages: [{ role: 'user', content: [] }] }, 'messages must have a role and content'],
    ['a part without a type', { messages: [{ role: 'user', content: [{}] }] }, 'messages must have a role and content'],
    ['a text as message', { messages: ['x'] }, 'messages must have a role and content'],
    ['a list', [], 'Request body must be a JSON object'],
  ])('refuses %s', async (_name, body, error) => {
    const answer = await plane.call('POST', stage.path, { session: plane.owner.session, body })
    expect(answer).toMatchObject({ status: 400, body: { error } })
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('refuses a role that no provider knows, in words', async () => {
    const answer = await ask(stage, { body: { messages: [{ role: 'wizard', content: 'x' }] } })
    expect(answer.status).toBe(400)
    expect((answer.body as { error: string }).error).toMatch(/role/)
  })

  test('refuses whoever may not write here', async () => {
    const viewer = await plane.makePerson({ tenantId: stage.tenantId, role: 'viewer' })
    const stranger = await plane.makePerson()
    for (const { session } of [viewer, stranger]) {
      const answer = await plane.call('POST', stage.path, { session, body: hello })
      expect(answer).toMatchObject({ status: 403, body: { error: 'Forbidden' } })
    }
    expect(await plane.call('POST', stage.path, { body: hello })).toMatchObject({
      status: 401,
      body: { error: 'Bearer token required' },
    })
    const nowhere = { ...stage, path: '/auth/v1/projects/0c5ec2a0-9f1c-4a77-a3de-7c1f0f3a0b11/playground' }
    expect((await ask(nowhere)).status).toBe(404)
  })

  test('refuses without a draft, and without the key of its provider', async () => {
    expect(await ask(await makeStage({ draft: null }))).toMatchObject({
      status: 404,
      body: { error: 'No draft model' },
    })
    const keyless = await ask(await makeStage({ hasKey: false }))
    expect(keyless).toMatchObject({ status: 422, body: { code: 'PROVIDER_NOT_CONFIGURED' } })
    expect((keyless.body as { error: string }).error).toContain('OpenAI')
  })

  test('the draft answers, whatever the body names, and nothing of it is live', async () => {
    const here = await makeStage()
    const settings = `/auth/v1/projects/${here.project.id}/settings`
    await manage('PUT', settings, { system_prompt: 'Deployed words', memory_enabled: true })
    await manage('POST', `${settings}/deploy`)
    await manage('PUT', settings, { system_prompt: 'Drafted words' })
    await manage('PUT', `${settings}/model/draft`, { provider_model: 'openai/gpt-4.1-mini' })
    upstream.requests.length = 0
    const body = { ...hello, model: 'gpt-4o', stream: false, temperature: 0.5 }
    const answer = await ask(here, { body, headers: { 'x-session-id': 's', 'x-thread-id': 't' } })
    expect(answer.status, answer.text).toBe(200)
    const tried = sentTo(upstream)
    expect(tried).toMatchObject({ model: 'gpt-4.1-mini', stream: true, temperature: 0.5 })
    expect(tried.messages).toEqual([{ role: 'system', content: 'Drafted words' }, ...hello.messages])

    upstream.on(completions, say('openai', { text: ['Live'] }, false))
    const { api_key: apiKey } = await plane.makeApiKey(here.project.id)
    const minted = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'user-1' } })
    const token = (minted.body as { access_token: string }).access_token
    const live = await plane.call('POST', `/p/${here.project.slug}/v1/chat/completions`, { apiKey: token, body: hello })
    expect(live.status, live.text).toBe(200)
    expect(sentTo(upstream)).toMatchObject({
      model: 'gpt-4o-mini',
      messages: [{ role: 'system', content: 'Deployed words' }, ...hello.messages],
    })
    const threads = await plane.call('GET', `/p/${here.project.slug}/v1/threads`, { apiKey: token })
    expect(threads.body).toMatchObject({ data: [] })
  })

  test('what is deployed answers instead if the request says so, and nothing else of the draft', async () => {
    const here = await makeStage()
    const deployed = { ...here, path: `${here.path}?use=deployed` }
    expect(await ask(deployed)).toMatchObject({
      status: 422,
      body: { error: 'No model is configured for this project', code: 'model_not_configured' },
    })
    const settings = `/auth/v1/projects/${here.project.id}/settings`
    await manage('PUT', settings, { system_prompt: 'Deployed words' })
    await manage('POST', `${settings}/deploy`)
    await manage('PUT', settings, { system_prompt: 'Drafted words' })
    upstream.requests.length = 0
    // Without a draft model: the deploy has taken it.
    const answer = await ask(deployed, { body: { ...hello, model: 'gpt-4o' } })
    expect(answer.status, answer.text).toBe(200)
    expect(sentTo(upstream)).toMatchObject({
      model: 'gpt-4o-mini',
      messages: [{ role: 'system', content: 'Deployed words' }, ...hello.messages],
    })
    await manage('DELETE', `/auth/v1/tenants/${here.tenantId}/providers/openai`)
    await expect
      .poll(async () => await ask(deployed))
      .toMatchObject({
        status: 422,
        body: { error: 'The provider key for OpenAI must be configured', code: 'PROVIDER_NOT_CONFIGURED' },
      })
    const unknown = await ask({ ...here, path: `${here.path}?use=both` })
    expect(unknown).toMatchObject({ status: 400, body: { error: 'use must be one of: draft, deployed' } })
  })

  test('has nothing left to look after once its answers have ended', async () => {
    expect((await ask(stage, { user: 'brief' })).status).toBe(200)
    await sleep(2_000)
    expect(plane.product.stderr()).not.toContain('playground calls in flight could not be checked')
  })

  test('its usage is shown under a user of its own, and counts toward no day of the project', async () => {
    const here = await makeStage()
    expect((await ask(here, { user: 'ada' })).status).toBe(200)
    const usage = () => manage('GET', `/auth/v1/projects/${here.project.id}/usage?group_by=uid`)
    await expect
      .poll(async () => (await usage()).body)
      .toMatchObject({ data: [{ uid: 'svc:playground:ada', requests: 1, total_tokens: 18 }] })
    if (plane.redis === null) return
    // Two cycles restore the day from the rows.
    await sleep(2_500)
    const { api_key: apiKey } = await plane.makeApiKey(here.project.id)
    const minted = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'user-1' } })
    upstream.on(completions, say('openai', { text: ['Live'] }, false))
    await manage('PUT', `/auth/v1/projects/${here.project.id}/settings/model`, { provider_model: 'openai/gpt-4o-mini' })
    const live = await plane.call('POST', `/p/${here.project.slug}/v1/chat/completions`, {
      apiKey: (minted.body as { access_token: string }).access_token,
      body: { ...hello, max_tokens: 100 },
    })
    const remaining = Number(live.headers.get('x-ratelimit-remaining-tokens'))
    const reserved = 1_000_000 - remaining
    expect(reserved).toBeGreaterThanOrEqual(100)
    expect(reserved).toBeLessThan(115)
  })

  test('the dashboard of another origin may read the stream, and no other', async () => {
    const preflight = await plane.call('OPTIONS', stage.path, {
      headers: {
        origin: plane.baseUrl.replace('127.0.0.1', 'localhost'),
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type, x-user-id',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-user-id')
    const origin = plane.baseUrl.replace('127.0.0.1', 'localhost')
    const read = await ask(stage, { headers: { origin } })
    expect(read.headers.get('access-control-allow-origin')).toBe(origin)
    expect(read.headers.get('access-control-expose-headers')).toContain('x-request-id')
    const foreign = await ask(stage, { headers: { origin: 'https://evil.example' } })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('the document tells of the stream, the header and every refusal', async () => {
    const document = (await plane.call('GET', '/auth/v1/openapi.json')).body as OpenApi
    const operation = document.paths['/auth/v1/projects/{projectId}/playground']?.post
    expect(operation?.responses['200']?.content).toHaveProperty(['text/event-stream'])
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['400', '401', '402', '403', '404', '409', '422', '429', '502']),
    )
    expect(operation?.parameters?.map(({ name }) => name)).toContain('X-User-Id')
  })

  if (backend === 'postgres') {
    test('goes on while the store is away, counted here', async () => {
      const here = await makeStage()
      await plane.redis?.kill()
      onTestFinished(async () => {
        await plane.redis?.restart()
      })
      const statuses: number[] = []
      for (let round = 0; round < 52; round++) statuses.push((await ask(here, { user: 'three' })).status)
      expect(statuses.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 200))
      // Without the store, each process of the product counts for itself.
      if (processesOfProduct === 1) expect(statuses.slice(50)).toEqual([429, 429])
      const target = `project/${here.project.id}`
      await setSwitch(target, true)
      expect((await ask(here, { user: 'four' })).status).toBe(403)
      await setSwitch(target, false)
    })

    test('a copy that answers no end users has a playground of its own', async () => {
      const here = await makeStage()
      const product = await startProduct({ env: { ...plane.env, ROLE: 'api', OPENAI_BASE_URL: upstream.url } })
      onTestFinished(() => product.kill())
      const answer = await begin(here, { baseUrl: product.baseUrl, session: plane.owner.session })
      await expect.poll(() => answer.isOver).toBe(true)
      expect(answer.response.status, answer.text).toBe(200)
      expect(answer.text).toContain('[DONE]')
    })
  }
})

interface OpenApi {
  paths: Record<
    string,
    { post?: { responses: Record<string, { content?: object }>; parameters?: { name: string }[] } } | undefined
  >
}

function sentTo({ requests }: ScriptedUpstream): { messages: unknown[]; model: string } {
  return JSON.parse(requests.filter(({ method }) => method === 'POST').at(-1)?.body ?? '{}')
}
