// The playground against a scripted provider: what it refuses and in which words, what it counts, that the draft and
// nothing else answers, and what ends an answer under way.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { errorResponse, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream, type UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { roomFor } from '../../support/slowness.ts'
import { processesOfProduct, startProduct } from '../../support/start-product.ts'

const completions = 'POST /v1/chat/completions'
const hello = { messages: [{ role: 'user', content: 'Hello' }] }
const openaiKey = 'sk-playground-0123456789abcdef'

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

interface Stage {
  tenantId: string
  project: { id: string; slug: string }
  path: string
}

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
    if (hasKey) await manage('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, { api_key: openaiKey })
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

  test('50 an hour for a user of a project, exactly, under 60 at once', async () => {
    const here = await makeStage()
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(here, { user: 'one' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(10)
    for (const { body, headers } of refused) {
      expect(body).toEqual({ error: 'Playground rate limit exceeded (50/hour)' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3_600)
    }
    expect((await ask(here, { user: 'another' })).status).toBe(200)
    expect((await ask(here)).status).toBe(200)
    expect((await ask(stage, { user: 'one' })).status).toBe(200)
  })

  test('500 an hour for a project, over all users', async () => {
    const here = await makeStage()
    const counts = { answered: 0, failed: 0, refused: 0 }
    for (let wave = 0; wave < 11; wave++) {
      const calls = Array.from({ length: 48 }, (_, index) => ask(here, { user: `user-${wave * 48 + index}` }))
      for (const { status, text } of await Promise.all(calls)) {
        // On a busy machine the head of a stream may be sent before the provider is reached, and then it is not.
        const isWhole = status === 200 && text.endsWith('data: [DONE]\n\n')
        counts[isWhole ? 'answered' : status === 429 ? 'refused' : 'failed'] += 1
      }
    }
    expect(counts).toEqual({ answered: 500, failed: counts.failed, refused: 28 - counts.failed })
    const refused = await ask(here, { user: 'late' })
    expect(refused.body).toEqual({ error: 'Playground rate limit exceeded (500/hour for the project)' })
  })

  test('counts what reached the provider, whatever became of it, and nothing else', async () => {
    const here = await makeStage()
    const wrong = { messages: [{ role: 'wizard', content: 'x' }] }
    for (let round = 0; round < 30; round++) expect((await ask(here, { user: 'two', body: wrong })).status).toBe(400)
    upstream.on(completions, errorResponse('openai', 400, 'The provider does not like it'))
    for (let round = 0; round < 48; round++) expect((await ask(here, { user: 'two' })).status).toBe(400)
    upstream.on(completions, { write: () => undefined })
    const silent = await abortSoon(here, 'two')
    expect(silent).toBe('aborted')
    await sleep(300)
    upstream.on(completions, say('openai', { text: ['x'] }, true))
    const last = [await ask(here, { user: 'two' }), await ask(here, { user: 'two' })].map(({ status }) => status)
    expect(last).toEqual([200, 429])
  })

  async function abortSoon({ path }: Stage, user: string): Promise<string> {
    const headers = { authorization: `Bearer ${plane.owner.session}`, 'content-type': 'application/json' }
    const before = upstream.requests.length
    const controller = new AbortController()
    const asked = fetch(`${plane.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'x-user-id': user },
      body: JSON.stringify(hello),
      signal: controller.signal,
    }).then(
      () => 'answered',
      () => 'aborted',
    )
    await expect.poll(() => upstream.requests.length).toBe(before + 1)
    controller.abort()
    return await asked
  }

  test('a provider that cannot be reached costs no tries', async () => {
    const here = await makeStage()
    await manage('PUT', `/auth/v1/tenants/${here.tenantId}/providers/anthropic`, {
      api_key: 'sk-ant-playground-0123456789abcdef',
    })
    await leaving.close()
    const draft = (provider_model: string) =>
      manage('PUT', `/auth/v1/projects/${here.project.id}/settings/model/draft`, { provider_model })
    await draft('anthropic/claude-sonnet-4-5')
    for (let round = 0; round < 10; round++) {
      expect(await ask(here)).toMatchObject({ status: 502, body: { code: 'provider_unavailable' } })
    }
    await draft('openai/gpt-4o-mini')
    const statuses: number[] = []
    for (let round = 0; round < 51; round++) statuses.push((await ask(here)).status)
    expect(statuses).toEqual([...Array.from({ length: 50 }, () => 200), 429])
  })

  test.each<[string, UpstreamAnswer, number, string]>([
    ['refused key', errorResponse('openai', 401, 'no'), 502, 'provider_auth_error'],
    ['broken provider', errorResponse('openai', 500, 'no'), 502, 'provider_unavailable'],
    ['page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 502, 'provider_unavailable'],
    ['cut connection', { hangUp: true }, 502, 'provider_unavailable'],
    ['limit', errorResponse('openai', 429, 'slow down', { 'retry-after': '9' }), 429, 'rate_limit_exceeded'],
    ['unknown model', openaiError(404, 'model_not_found'), 404, 'model_not_found'],
    ['used-up quota', openaiError(429, 'insufficient_quota'), 402, 'quota_exceeded'],
    ['overflow', openaiError(400, 'context_length_exceeded'), 400, 'context_length_exceeded'],
  ])('a %s of the provider comes in the words of the plane', async (_name, script, status, code) => {
    const here = await makeStage()
    upstream.on(completions, script)
    const answer = await ask(here)
    expect(answer).toMatchObject({ status, body: { error: expect.any(String), code } })
    if (code === 'rate_limit_exceeded') expect(answer.headers.get('retry-after')).toBe('9')
  })

  test('a stream that breaks off ends with an error and no [DONE]', async () => {
    upstream.on(completions, {
      headers: { 'content-type': 'text/event-stream' },
      body: openaiEvents({ text: ['Hel', 'lo'] })
        .slice(0, 2)
        .join(''),
    })
    const answer = await ask(stage)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('[DONE]')
    expect(chunksOf(answer.text).at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } })
  })

  test('a client that goes away closes the provider’s connection within a second', async () => {
    const open = holdOpen()
    const answer = await begin(stage)
    await expect.poll(() => answer.text).toContain('first')
    answer.abort()
    const abortedAt = Date.now()
    await open.closed
    expect(Date.now() - abortedAt).toBeLessThan(roomFor(1_000))
  })

  test.each(['global', 'tenant', 'project'] as const)('the %s kill switch refuses and ends what runs', async scope => {
    const here = await makeStage()
    const target = { global: 'global', tenant: `tenant/${here.tenantId}`, project: `project/${here.project.id}` }[scope]
    holdOpen()
    const answer = await begin(here)
    await expect.poll(() => answer.text).toContain('first')
    await setSwitch(target, true)
    onTestFinished(() => setSwitch(target, false))
    const setAt = Date.now()
    await expect.poll(() => answer.isOver, { interval: 20 }).toBe(true)
    expect(Date.now() - setAt).toBeLessThan(roomFor(2_000))
    expect(chunksOf(answer.text).at(-1)).toMatchObject({ error: { code: 'service_disabled' } })
    expect(answer.text).not.toContain('[DONE]')
    expect(await ask(here)).toMatchObject({
      status: 403,
      body: { error: 'Service disabled by kill switch', code: 'service_disabled' },
    })
    // Whatever else there would be to refuse.
    const path = `/auth/v1/projects/${here.project.id}/settings/model/draft`
    const { session } = plane.owner
    const draft = { provider_model: 'openai/gpt-4o' }
    expect((await plane.call('DELETE', path, { session })).status).toBe(204)
    expect((await ask(here)).status).toBe(403)
    expect((await plane.call('PUT', path, { session, body: draft })).status).toBe(200)
    await setSwitch(target, false)
    upstream.on(completions, say('openai', { text: ['x'] }, true))
    expect((await ask(here)).status).toBe(200)
  })

  test('a kill switch that comes before the first word refuses', async () => {
    const here = await makeStage()
    upstream.on(completions, { write: () => undefined })
    const asked = ask(here)
    await expect.poll(() => upstream.requests.some(({ method }) => method === 'POST')).toBe(true)
    const target = `project/${here.project.id}`
    await setSwitch(target, true)
    onTestFinished(() => setSwitch(target, false))
    expect(await asked).toMatchObject({ status: 403, body: { code: 'service_disabled' } })
  })

  test('a suspension ends what runs and refuses what comes', async () => {
    const here = await makeStage()
    const open = holdOpen()
    const answer = await begin(here)
    await expect.poll(() => answer.text).toContain('first')
    await manage('POST', `/auth/v1/projects/${here.project.id}/suspend`)
    const setAt = Date.now()
    await expect.poll(() => answer.isOver, { interval: 20 }).toBe(true)
    expect(Date.now() - setAt).toBeLessThan(roomFor(2_000))
    await open.closed
    expect(chunksOf(answer.text).at(-1)).toMatchObject({ error: { code: 'service_disabled' } })
    expect(await ask(here)).toMatchObject({ status: 409, body: { error: 'Project is suspended' } })
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

  /** A stream that says one word and goes on for as long as anybody listens. */
  function holdOpen(): { closed: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>()
    upstream.on(completions, {
      write(response: ServerResponse) {
        response.once('close', () => resolve())
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(
          openaiEvents({ text: ['first'] })
            .slice(0, 2)
            .join(''),
        )
      },
    })
    return { closed: promise }
  }
})

interface Chunk {
  object?: string
  choices: { delta: { content?: string } }[]
  error?: { code: string }
}

interface OpenApi {
  paths: Record<
    string,
    { post?: { responses: Record<string, { content?: object }>; parameters?: { name: string }[] } } | undefined
  >
}

function chunksOf(text: string): Chunk[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice('data: '.length)))
}

function sentTo({ requests }: ScriptedUpstream): { messages: unknown[]; model: string } {
  return JSON.parse(requests.filter(({ method }) => method === 'POST').at(-1)?.body ?? '{}')
}

function openaiError(status: number, code: string): UpstreamAnswer {
  return {
    status,
    body: { error: { message: 'words of the provider', type: 'invalid_request_error', param: null, code } },
  }
}
