// Tests every error response of the gateway as a table, through the real listener: with the store in the process and
// with Redis.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeKey, makeToken, ownClaims, ownHeader } from '../crypto/token-kit.ts'
import { sendRaw } from '../http/raw-request.ts'
import { openForSuite } from '../support/runner/when-done.ts'
import { type CallOptions, completion, openStage, type Stage, type TestProject } from './gateway-stage.ts'

const unknownRoute = {
  error: 'not found',
  message:
    'Unknown route. This project serves: POST /v1/chat/completions, POST /v1/responses, POST /v1/messages, ' +
    'POST /v1/messages/count_tokens, POST /v1/embeddings, GET /v1/models, GET /v1/models/:id, GET /v1/threads, ' +
    'GET /v1/threads/:id, DELETE /v1/threads/:id, GET /v1/threads/:id/messages, GET /v1/responses/:id, ' +
    'DELETE /v1/responses/:id, GET /v1/billing/usage, POST /v1/feedback, POST /v1/auth/mint, ' +
    'POST /v1/auth/anonymous, GET /v1/auth/anonymous/challenge',
}

const uuid = /^[0-9a-f-]{36}$/

describe.each([
  ['in the process', null],
  ['on Redis', inject('redisUrl')],
])('the gateway with its store %s', (_name, redisUrl) => {
  const open = () => openStage({ redisUrl })
  const opened = openForSuite(open)

  interface Row {
    name: string
    /** Changes what every project is under. */
    hasOwnStage?: boolean
    method?: string
    path?: string
    call?: (stage: Stage, project: TestProject) => CallOptions
    prepare?: (stage: Stage, project: TestProject) => Promise<unknown>
    status: number
    body: unknown
    headers?: Record<string, string | RegExp | undefined>
  }

  const unauthorized = (message: string) => ({ error: 'unauthorized', message })
  const fault = (message: string, param: string | null) => ({
    error: { message, type: 'invalid_request_error', param, code: null },
  })
  const withToken = (stage: Stage, project: TestProject) => ({ token: stage.tokenFor(project) })
  const withBody = (body: unknown) => (stage: Stage, project: TestProject) => ({ ...withToken(stage, project), body })
  const post = { method: 'POST', path: '/v1/chat/completions' }
  const noRetry = { 'x-should-retry': 'false' }

  const rows: Row[] = [
    { name: 'no credential', status: 401, body: unauthorized('Bearer token required'), headers: noRetry },
    ...['Basic eA==', 'bearer x', 'Bearer', 'Bearer\tx', 'BEARER x'].map(authorization => ({
      name: `the credential ${JSON.stringify(authorization)}`,
      call: () => ({ headers: { authorization } }),
      status: 401,
      body: unauthorized('Bearer token required'),
    })),
    ...['Bearer  x', 'Bearer x, y', 'Bearer x y'].map(authorization => ({
      name: `the credential ${authorization}`,
      call: () => ({ headers: { authorization } }),
      status: 401,
      body: unauthorized('Invalid token'),
    })),
    {
      name: 'an API key',
      call: () => ({ token: `service_sk_live_${'a'.repeat(32)}` }),
      status: 401,
      body: unauthorized('An API key is not accepted here: mint a token with it and send the token'),
    },
    {
      name: 'a dashboard session',
      call: () => ({ token: `sess_${'a'.repeat(43)}` }),
      status: 401,
      body: unauthorized('Invalid token'),
    },
    {
      name: 'the admin secret alone',
      call: () => ({ headers: { 'x-admin-secret': 'a-secret-of-the-admin' } }),
      status: 401,
      body: unauthorized('Bearer token required'),
    },
    {
      name: 'a token in the query, a cookie or another header',
      path: '/v1/models?access_token=x',
      call: (stage, project) => {
        const token = stage.tokenFor(project)
        return { headers: { cookie: `token=${token}`, 'x-forwarded-authorization': `Bearer ${token}` } }
      },
      status: 401,
      body: unauthorized('Bearer token required'),
    },
    {
      name: 'an expired token',
      call: (stage, project) => {
        const exp = Math.floor(Date.now() / 1000)
        return { token: stage.tokenFor(project, { iat: exp - 60, nbf: exp - 60, exp }) }
      },
      status: 401,
      body: unauthorized('Token has expired'),
      headers: noRetry,
    },
    {
      name: 'a token signed by another key',
      call: (_stage, { projectId, tenantId }) => {
        const key = makeKey('k1')
        return { token: makeToken(key, ownHeader(key), ownClaims({ tid: tenantId, pid: projectId })) }
      },
      status: 401,
      body: unauthorized('Invalid token'),
    },
    {
      name: 'a token of another project',
      call: (stage, project) => ({ token: stage.tokenFor({ ...project, projectId: crypto.randomUUID() }) }),
      status: 401,
      body: unauthorized('Token belongs to another project'),
    },
    {
      name: 'a token of another tenant',
      call: (stage, project) => ({ token: stage.tokenFor({ ...project, tenantId: crypto.randomUUID() }) }),
      status: 401,
      body: unauthorized('Token belongs to another project'),
    },
    {
      name: 'a suspended project',
      prepare: (stage, project) => stage.deploy(project, { status: 'suspended' }),
      call: withToken,
      status: 401,
      body: unauthorized('Project is suspended'),
      headers: noRetry,
    },
    {
      name: 'a suspended project, and a body at fault',
      ...post,
      prepare: (stage, project) => stage.deploy(project, { status: 'suspended' }),
      call: withBody('{'),
      status: 401,
      body: unauthorized('Project is suspended'),
    },
    ...(['global', 'tenant', 'project'] as const).flatMap(scope => {
      const prepare = (stage: Stage, { tenantId, projectId }: TestProject) =>
        stage.setSwitch(scope, { global: '', tenant: tenantId, project: projectId }[scope], true)
      const disabled = { error: 'forbidden', message: 'Service disabled by kill switch' }
      const hasOwnStage = scope === 'global'
      return [
        {
          name: `the ${scope} kill switch`,
          hasOwnStage,
          prepare,
          call: withToken,
          status: 403,
          body: disabled,
          headers: noRetry,
        },
        {
          name: `the ${scope} kill switch, and a body at fault`,
          hasOwnStage,
          ...post,
          prepare,
          call: withBody('{"messages":'),
          status: 403,
          body: disabled,
        },
        {
          name: `the ${scope} kill switch, and a bad token`,
          hasOwnStage,
          prepare,
          call: () => ({ token: 'x' }),
          status: 401,
          body: unauthorized('Invalid token'),
        },
      ]
    }),
    {
      name: 'the kill switch of another project',
      prepare: stage => stage.setSwitch('project', crypto.randomUUID(), true),
      call: withToken,
      status: 200,
      body: expect.objectContaining({ route: '/v1/models' }),
    },
    ...['/', '/v1', '/v1/', '/v1/model', '/v1/models/', '/v1/chat', '/v1/chat/completions/x', '/v1/threads/'].map(
      path => ({
        name: `no route ${path}`,
        path,
        call: withToken,
        status: 404,
        body: unknownRoute,
        headers: noRetry,
      }),
    ),
    ...['/v1/admin/killswitch/status', '/auth/v1/tenants', '/internal/tls-allowed'].map(path => ({
      name: `management at ${path}`,
      path,
      call: withToken,
      status: 404,
      body: unknownRoute,
    })),
    ...(
      [
        ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
        ['HEAD', '/v1/chat/completions', 'POST, OPTIONS'],
        ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
        ['PUT', '/v1/threads/abc', 'GET, HEAD, DELETE, OPTIONS'],
        ['DELETE', '/v1/billing/usage', 'GET, HEAD, OPTIONS'],
      ] as const
    ).map(([method, path, allow]) => ({
      name: `${method} ${path}`,
      method,
      path,
      call: withToken,
      status: 405,
      body: method === 'HEAD' ? null : { error: 'method not allowed', message: 'Method not allowed' },
      headers: { allow, ...noRetry },
    })),
    { name: 'HEAD', method: 'HEAD', call: withToken, status: 200, body: null },
    { name: 'OPTIONS', method: 'OPTIONS', status: 204, body: null, headers: { allow: 'GET, HEAD, OPTIONS' } },
    ...(
      [
        ['{', 'Invalid JSON body', null],
        ['', 'Invalid JSON body', null],
        [[], 'The request body must be a JSON object', null],
        [{}, 'messages must be an array that is not empty', 'messages'],
        [{ messages: [] }, 'messages must be an array that is not empty', 'messages'],
        [{ messages: ['x'] }, 'messages[0] must be an object', 'messages[0]'],
        [
          { messages: [{ role: 'wizard', content: '' }] },
          'messages[0].role must be one of: system, developer, user, assistant, tool',
          'messages[0].role',
        ],
        [
          { messages: [{ role: 'user', content: 7 }] },
          'messages[0].content must be a string or an array of parts',
          'messages[0].content',
        ],
        [{ ...completion, stream: 'yes' }, 'stream must be a boolean', 'stream'],
        [{ ...completion, max_tokens: 0 }, 'max_tokens must be a positive integer', 'max_tokens'],
        [{ ...completion, model: 7 }, 'model must be a string', 'model'],
      ] as const
    ).map(([body, message, param]) => ({
      name: `the body ${JSON.stringify(body)}`,
      ...post,
      call: withBody(body),
      status: 400,
      body: fault(message, param),
      headers: noRetry,
    })),
    {
      name: 'a body that is too large',
      ...post,
      call: withBody({ messages: [{ role: 'user', content: 'x'.repeat(1_048_576) }] }),
      status: 413,
      body: { error: 'payload too large', message: 'Payload too large' },
      headers: noRetry,
    },
    {
      name: 'a body of another type',
      ...post,
      call: (stage, project) => ({ ...withBody('x')(stage, project), headers: { 'content-type': 'text/plain' } }),
      status: 415,
      body: { error: 'unsupported media type', message: 'Content-Type must be application/json' },
      headers: noRetry,
    },
    {
      name: 'a project whose minute is used up',
      prepare: async (stage, project) => {
        await stage.deploy(project, { settings: { rpm_limit: 1 } })
        expect((await stage.call(project, 'GET', '/v1/models', withToken(stage, project))).status).toBe(200)
      },
      call: withToken,
      status: 429,
      body: { error: 'rate limit exceeded', message: 'API rate limit exceeded' },
      headers: {
        'retry-after': /^([1-9]|[1-5][0-9]|60)$/,
        'x-should-retry': undefined,
        'x-ratelimit-limit-requests': '1',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': /^([1-9]|[1-5][0-9]|60)$/,
      },
    },
    {
      name: 'a prompt larger than what is left of the day',
      ...post,
      prepare: (stage, project) => stage.deploy(project, { settings: { tokens_per_day: 1_000 } }),
      call: withBody({ messages: [{ role: 'user', content: 'x'.repeat(4_000) }] }),
      status: 429,
      body: { error: 'rate limit exceeded', message: 'API rate limit exceeded' },
      headers: {
        'retry-after': /^[1-9][0-9]*$/,
        'x-ratelimit-limit-tokens': '1000',
        'x-ratelimit-remaining-tokens': '1000',
        'x-ratelimit-reset-tokens': /^[1-9][0-9]*$/,
        'x-ratelimit-limit-requests': '60',
      },
    },
  ]

  test.each(rows)('$name: $status', async ({ method = 'GET', path = '/v1/models', call, prepare, ...expected }) => {
    const stage = expected.hasOwnStage ? await open() : opened()
    const project = await stage.makeProject()
    await prepare?.(stage, project)
    const before = stage.calls.length
    const answer = await stage.call(project, method, path, call?.(stage, project))
    expect(answer).toMatchObject({ status: expected.status, json: expected.body })
    expect(answer.headers['x-request-id']).toMatch(uuid)
    expect(stage.calls).toHaveLength(before + (expected.status === 200 ? 1 : 0))
    for (const [name, value] of Object.entries(expected.headers ?? {})) {
      if (value instanceof RegExp) expect(answer.headers[name], name).toMatch(value)
      else expect(answer.headers[name], name).toBe(value)
    }
  })

  test.each<[string, number, (stage: Stage, project: TestProject) => Promise<unknown>]>([
    ['kill switch', 403, (stage, { projectId }) => stage.setSwitch('project', projectId, true)],
    ['suspension', 401, (stage, project) => stage.deploy(project, { status: 'suspended' })],
  ])('a %s that comes while the body is on its way is told before its fault: %i', async (_word, status, act) => {
    const stage = await open()
    const project = await stage.makeProject()
    const socket = connect(stage.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const answered = once(socket, 'data')
    const lines = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: ${project.slug}.localhost`,
      `Authorization: Bearer ${stage.tokenFor(project)}`,
      'Content-Type: application/json',
      'Content-Length: 8',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"mess`)
    await sleep(300)
    await act(stage, project)
    socket.write('!}')
    const [bytes] = await answered
    expect(String(bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('two Authorization headers: 400', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const good = `Authorization: Bearer ${stage.tokenFor(project)}`
    const head = `GET /v1/models HTTP/1.1\r\nHost: ${project.slug}.localhost\r\n${good}\r\n`
    expect((await sendRaw(stage.port, `${head}\r\n`)).answers[0]?.status).toBe(200)
    const { answers } = await sendRaw(stage.port, `${head}authorization: Bearer x\r\n\r\n`)
    expect(answers[0]).toMatchObject({ status: 400, headers: noRetry })
  })

  test.each(['nobody-knows-99', 'x', 'amber-falcon', 'amber-falcon-12345'])('the unknown host %s: 404', async slug => {
    const answer = await opened().call({ slug }, 'GET', '/v1/models', { token: 'x' })
    expect(answer).toMatchObject({ status: 404, json: { error: 'not found', message: 'Unknown project host' } })
  })
})
