// What the data plane's document says is true of the product: real requests of every operation, and of each error that
// can be provoked without breaking a server, on the embedded and the distributed topology.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi-types.ts'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { breakOff, errorResponse, say } from '../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../support/simulated/scripted-upstream.ts'
import { type Conformance, createConformance } from './conformance.ts'
import { readEventStream } from './validator.ts'

const completion = 'createChatCompletion'
const readings: [string, string][] = [
  ['listModels', '/v1/models'],
  ['listThreads', '/v1/threads?limit=1'],
  ['getThread', '/v1/threads/talk'],
  ['listThreadMessages', '/v1/threads/talk/messages'],
  ['getUsage', '/v1/billing/usage?group_by=model'],
]

describe.each(['sqlite', 'postgres'] as const)('on %s', backend => {
  let stage: Stage
  let project: TestProject
  let conformance: Conformance
  let document: OpenApiDocument
  beforeAll(async () => {
    stage = await openStage(backend, { BODY_LIMIT_MB: '1' })
    document = (await stage.harness.call('GET', '/openapi.json')).body as OpenApiDocument
    conformance = createConformance(document)
    stage.script(answerNormally)
    project = await stage.makeProject()
  })
  afterAll(() => stage?.stop())
  const answerNormally = ({ body }: { body: string }) =>
    say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true)

  async function withProvider(answer: UpstreamAnswer, run: () => Promise<void>): Promise<void> {
    stage.script(answer)
    try {
      await run()
    } finally {
      stage.script(answerNormally)
    }
  }

  test('the document is served as the management API’s is, without a session', async () => {
    const { baseUrl } = stage.harness.product
    const read = async (method: string, path: string) => {
      const response = await fetch(baseUrl + path, { method })
      const ofOneRequest = ['date', 'x-request-id', 'content-length', 'connection', 'keep-alive']
      const headers = [...response.headers].filter(([name]) => !ofOneRequest.includes(name))
      return {
        status: response.status,
        headers,
        length: response.headers.get('content-length'),
        text: await response.text(),
      }
    }
    const [got, head] = [await read('GET', '/openapi.json'), await read('HEAD', '/openapi.json')]
    const management = await read('GET', '/auth/v1/openapi.json')
    expect([got.status, head.status, head.text]).toEqual([200, 200, ''])
    expect(got.headers).toEqual(management.headers)
    expect(head.headers).toEqual(management.headers)
    expect(head.length).toBe(got.length)
    expect(document.servers[1]?.url).toBe(`http://localhost:${stage.harness.product.port}/p/{slug}`)
    expect((await project.ask('GET', '/openapi.json')).status).toBe(404)
  })

  test('completions', async () => {
    const plain = await project.complete({}, { headers: { 'x-thread-id': 'talk' } })
    expect(plain.status).toBe(200)
    conformance.expectDocumented(completion, plain)
    const tool = { id: 'c1', name: 'look', pieces: ['{"a"', ':1}'] }
    await withProvider(say('openai', { calls: [tool] }, false), async () => {
      conformance.expectDocumented(completion, await project.complete())
    })
    for (const options of [undefined, { include_usage: true }]) {
      const stream = await project.complete({ stream: true, stream_options: options })
      expect(readEventStream(stream.text).events.at(-1)).toBe('[DONE]')
      conformance.expectDocumented(completion, stream)
    }
    await withProvider(say('openai', { calls: [tool] }, true), async () => {
      conformance.expectDocumented(completion, await project.complete({ stream: true }))
    })
  })

  test('completions that are rendered, not passed on', async () => {
    const own = await stage.makeProject({ settings: { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'MASK' } } })
    const messages = [{ role: 'user', content: 'I am ann@example.com' }]
    for (const stream of [false, true]) {
      const answer = await own.complete({ messages, stream, stream_options: { include_usage: true } })
      expect(answer.status).toBe(200)
      conformance.expectDocumented(completion, answer)
    }
  })

  test('a stream that fails', async () => {
    const own = await stage.makeProject()
    await withProvider(breakOff('openai', { text: ['one', 'two'] }, 3), async () => {
      const broken = await own.complete({ stream: true })
      expect(readEventStream(broken.text).events.at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } })
      conformance.expectDocumented(completion, broken)
    })
  })

  test.each(readings)('%s', async (operationId, path) => {
    expect((await project.complete({}, { headers: { 'x-thread-id': 'talk' } })).status).toBe(200)
    const answer = await project.ask('GET', path)
    expect(answer.status).toBe(200)
    conformance.expectDocumented(operationId, answer)
  })

  test('deleteThread', async () => {
    expect((await project.complete({}, { headers: { 'x-thread-id': 'gone' } })).status).toBe(200)
    const deleted = await project.ask('DELETE', '/v1/threads/gone')
    expect(deleted.status).toBe(204)
    conformance.expectDocumented('deleteThread', deleted)
    conformance.expectDocumented('deleteThread', await project.ask('DELETE', '/v1/threads/gone'), 'thread_not_found')
  })

  test('mints, and their errors', async () => {
    const { api_key: apiKey } = await stage.harness.makeApiKey(project.id)
    const mint = (body: unknown, token = apiKey) => project.ask('POST', '/v1/auth/mint', { token, body })
    const minted = await mint({ user_id: 'ann', session_id: 'talk' })
    expect(minted.status).toBe(200)
    conformance.expectDocumented('mintTokenOnProjectHost', minted)
    const errors = [
      { answer: await mint({ user_id: 'ann' }, 'x'), code: 'invalid_key_shape' },
      { answer: await mint({ user_id: 'ann' }, `service_sk_live_${'0'.repeat(32)}`), code: 'invalid_key' },
      { answer: await mint('{'), code: 'invalid_json' },
    ]
    for (const { answer, code } of errors) conformance.expectDocumented('mintTokenOnProjectHost', answer, code)
    conformance.expectDocumented('mintTokenOnProjectHost', await mint({}))
  })

  test('errors of credentials, hosts and paths', async () => {
    const other = await stage.makeProject({ tenantId: project.tenantId, model: null })
    const { api_key: apiKey } = await stage.harness.makeApiKey(project.id)
    const foreign = await other.mint()
    for (const [operationId, method, path] of [
      [completion, 'POST', '/v1/chat/completions'],
      ...readings.map(([id, path]) => [id, 'GET', path] as const),
    ] as const) {
      const body = method === 'POST' ? { messages: [] } : undefined
      const expectError = async (options: object, status: number, code: string) => {
        const answer = await project.ask(method, path, { body, ...options })
        expect([operationId, answer.status]).toEqual([operationId, status])
        conformance.expectDocumented(operationId, answer, code)
      }
      await expectError({ headers: { authorization: 'Basic eDp5' } }, 401, 'bearer_required')
      await expectError({ token: apiKey }, 401, 'api_key_as_token')
      await expectError({ token: 'no.token.here' }, 401, 'invalid_token')
      await expectError({ token: foreign }, 401, 'wrong_project_token')
      await expectError({ headers: { host: 'no-host-0000.localhost' } }, 404, 'unknown_host')
    }
    conformance.expectDocumented(completion, await project.ask('GET', '/v1/nothing'), 'not_found')
    conformance.expectDocumented(completion, await project.ask('PUT', '/v1/chat/completions'), 'method_not_allowed')
    conformance.expectDocumented('getThread', await project.ask('GET', '/v1/threads/a%2Fb'), 'malformed_target')
  })

  test('errors of bodies, headers and queries', async () => {
    const expectError = async (
      sent: Promise<Awaited<ReturnType<TestProject['complete']>>>,
      status: number,
      code: string,
      id = completion,
    ) => {
      const answer = await sent
      expect([code, answer.status]).toEqual([code, status])
      conformance.expectDocumented(id, answer, code)
    }
    const post = (body: unknown, headers = {}) => project.ask('POST', '/v1/chat/completions', { body, headers })
    await expectError(post('{'), 400, 'invalid_json')
    await expectError(post({ messages: [] }), 400, 'invalid_request')
    await expectError(project.complete({ temperature: 3 }), 400, 'invalid_request')
    await expectError(project.complete({}, { headers: { 'x-session-id': 'a b' } }), 400, 'invalid_request')
    await expectError(post('x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
    await expectError(post(`"${'x'.repeat(1_048_576)}"`), 413, 'payload_too_large')
    await expectError(project.ask('GET', '/v1/threads?limit=0'), 400, 'validation_failed', 'listThreads')
    await expectError(project.ask('GET', '/v1/billing/usage?from=today'), 400, 'validation_failed', 'getUsage')
    await expectError(project.ask('GET', '/v1/billing/usage?uid=bob'), 403, 'not_own_user', 'getUsage')
    await expectError(project.ask('GET', '/v1/threads?uid='), 400, 'invalid_request', 'listThreads')
    await expectError(project.ask('GET', '/v1/threads/none'), 404, 'thread_not_found', 'getThread')
  })

  test('errors of limits, settings and guardrails', async () => {
    const expectError = async (settings: object, body: object, status: number, code: string) => {
      const own = await stage.makeProject({ tenantId: project.tenantId, settings: { ...settings } })
      const answer = await own.complete({ ...body })
      expect([code, answer.status]).toEqual([code, status])
      conformance.expectDocumented(completion, answer, code)
    }
    const limited = await stage.makeProject({ tenantId: project.tenantId, settings: { rpm_limit: 1 } })
    const first = await limited.complete()
    const over = await limited.complete()
    expect([first.status, over.status, Number(over.headers['retry-after']) > 0]).toEqual([200, 429, true])
    conformance.expectDocumented(completion, over, 'rate_limited')
    conformance.expectDocumented('listModels', await limited.ask('GET', '/v1/models'), 'rate_limited')
    const tools = [{ type: 'function', function: { name: 'f' } }]
    await expectError({ client_tools: 'reject' }, { tools }, 403, 'client_tools_rejected')
    const messages = [{ role: 'system', content: 'Be kind' }]
    await expectError({ client_system_messages: 'reject' }, { messages }, 403, 'client_system_message_rejected')
    const pii = { pii_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'BLOCK' } }
    await expectError(pii, { messages: [{ role: 'user', content: 'ann@example.com' }] }, 403, 'pii_blocked')
    const words = { sentinel_mode: 'enforce', sentinel_blocklist: ['xyzzy'] }
    await expectError(words, { messages: [{ role: 'user', content: 'say xyzzy' }] }, 403, 'content_blocked')
    const none = await stage.makeProject({ model: null })
    conformance.expectDocumented(completion, await none.complete(), 'model_not_configured')
  })

  test('errors of kill switches, blocked users and revoked tokens', async () => {
    const own = await stage.makeProject({ tenantId: project.tenantId })
    const { call, owner, adminSecret } = stage.harness
    const { session } = owner
    const users = `/auth/v1/projects/${own.id}/users/alice`
    const expectBoth = async (status: number, code: string) => {
      await expect.poll(async () => (await own.ask('GET', '/v1/models')).status).toBe(status)
      conformance.expectDocumented('listModels', await own.ask('GET', '/v1/models'), code)
      conformance.expectDocumented(completion, await own.complete(), code)
    }
    await expectBothAnswered(own)
    await call('PUT', `${users}/block`, { session, body: {} })
    await expectBoth(403, 'user_blocked')
    await call('DELETE', `${users}/block`, { session })
    await expect.poll(async () => (await own.ask('GET', '/v1/models')).status).toBe(200)
    await call('POST', `${users}/revoke-tokens`, { session })
    await expectBoth(401, 'token_revoked')
    const path = `/v1/admin/killswitch/project/${project.id}`
    await call('POST', path, { adminSecret, body: { enabled: true } })
    try {
      await expect.poll(async () => (await project.ask('GET', '/v1/models')).status).toBe(403)
      conformance.expectDocumented(completion, await project.complete(), 'service_disabled')
      conformance.expectDocumented('getUsage', await project.ask('GET', '/v1/billing/usage'), 'service_disabled')
    } finally {
      await call('POST', path, { adminSecret, body: { enabled: false } })
    }
    await expect.poll(async () => (await project.ask('GET', '/v1/models')).status).toBe(200)
  })

  async function expectBothAnswered(own: TestProject): Promise<void> {
    expect([(await own.ask('GET', '/v1/models')).status, (await own.complete()).status]).toEqual([200, 200])
  }

  test.each([
    [401, 'Incorrect key', 502, 'provider_auth_error'],
    [402, 'Pay first', 402, 'quota_exceeded'],
    [404, 'No such model', 404, 'model_not_found'],
    [400, 'temperature is wrong', 400, 'provider_invalid_request'],
    [500, 'Oops', 502, 'provider_unavailable'],
  ])('the provider’s %i %s', async (status, message, expected, code) => {
    const own = await stage.makeProject()
    await withProvider(errorResponse('openai', status, message), async () => {
      for (const stream of [false, true]) {
        const answer = await own.complete({ stream })
        expect(answer.status).toBe(expected)
        conformance.expectDocumented(completion, answer, code)
      }
    })
  })

  test('the provider’s 429', async () => {
    await withProvider(errorResponse('openai', 429, 'Slow down', { 'retry-after': '30' }), async () => {
      const answer = await project.complete()
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '30'])
      conformance.expectDocumented(completion, answer, 'provider_rate_limited')
    })
  })
})
