// The playground's hourly limits, failures of its providers, and what ends it: clients that leave, kill switches and
// suspensions.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { errorResponse, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream, type UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { roomFor } from '../../support/slowness.ts'
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

describeEachBackend('the playground', start => {
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

  /** A stream that goes on for as long as anybody listens: a client that is gone is noticed when more is written. */
  function holdOpen(): { closed: Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>()
    upstream.on(completions, {
      write(response: ServerResponse) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const [role = '', word = ''] = openaiEvents({ text: ['first'] })
        response.write(role + word)
        const timer = setInterval(() => response.write(word), 100)
        response.once('close', () => {
          clearInterval(timer)
          resolve()
        })
      },
    })
    return { closed: promise }
  }
})

function openaiError(status: number, code: string): UpstreamAnswer {
  return {
    status,
    body: { error: { message: 'words of the provider', type: 'invalid_request_error', param: null, code } },
  }
}
