// Completions of Azure OpenAI, Amazon Bedrock and Vertex AI through the product: scripted clouds verify every key,
// token and signature, and answer whole, streamed, with tools and with errors.
import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventFrame, exceptionFrame } from '../../support/simulated/aws-event-stream.ts'
import { checkSignature } from '../../support/simulated/aws-signature.ts'
import { errorResponse, eventStream, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, oneConnection, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'

const azureKey = 'azure-key-0123456789abcdef'
const clientSecret = 'entra-secret-0123456789'
const awsSecret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const assumedSecret = 'assumed/secret+key'
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const tokenFile = join(mkdtempSync(join(tmpdir(), 'sallyport-token-')), 'token')
writeFileSync(tokenFile, 'web-identity-token\n')
const otherFile = join(mkdtempSync(join(tmpdir(), 'sallyport-other-')), 'token')
writeFileSync(otherFile, 'not for tenants')

const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }

const events = (data: readonly string[]) => eventStream(data.map(text => `data: ${text}\n\n`))

describe.each(['sqlite', 'postgres'] as const)('clouds on %s', backend => {
  let stage: Stage
  let cloud: ScriptedUpstream
  /** Tokens that the scripted issuers have given out and still accept. */
  let accepted: Set<string>
  let issued: number
  beforeAll(async () => {
    cloud = await startUpstream()
    stage = await openStage(
      backend,
      {
        OUTBOUND_ALLOW: cloud.host,
        AZURE_AUTHORITY_HOST: `${cloud.url}/entra`,
        AWS_ENDPOINT_URL_STS: `${cloud.url}/`,
        WEB_IDENTITY_TOKEN_FILES: tokenFile,
        LOG_LEVEL: 'debug',
      },
      { own: true },
    )
  })
  afterAll(async () => {
    await stage.stop()
    await cloud.close()
  })
  beforeEach(() => {
    cloud.reset()
    accepted = new Set()
    issued = 0
    cloud.on('GET /', request => (isSigned(request) ? { body: '<GetCallerIdentityResponse/>' } : { status: 403 }))
    cloud.on('POST /', assumeRole)
    cloud.on('POST /entra/directory/oauth2/v2.0/token', ({ body }) =>
      new URLSearchParams(body).get('client_secret') === clientSecret
        ? issue()
        : { status: 401, body: { error: 'invalid_client', error_description: clientSecret } },
    )
    cloud.on('POST /google/token', ({ body }) =>
      isAssertion(new URLSearchParams(body).get('assertion') ?? '')
        ? issue()
        : { status: 400, body: { error: 'invalid_grant' } },
    )
    cloud.on('GET /openai/models', request => (isOfAzure(request) ? { body: { data: [] } } : { status: 401 }))
  })

  function issue(): UpstreamAnswer {
    const token = `token-${++issued}`
    accepted.add(token)
    return { body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } }
  }

  function assumeRole({ body }: UpstreamRequest): UpstreamAnswer {
    const form = new URLSearchParams(body)
    if (form.get('WebIdentityToken') !== 'web-identity-token')
      return { status: 400, body: '<Code>InvalidIdentityToken</Code>' }
    const session = `session-${form.get('RoleSessionName')}-${++issued}`
    accepted.add(session)
    const expiration = new Date(Date.now() + 3_600_000).toISOString()
    return {
      headers: { 'content-type': 'text/xml' },
      body: `<Credentials><AccessKeyId>ASIAASSUMEDROLE01</AccessKeyId><SecretAccessKey>${assumedSecret}</SecretAccessKey><SessionToken>${session}</SessionToken><Expiration>${expiration}</Expiration></Credentials>`,
    }
  }

  const hasToken = ({ headers }: UpstreamRequest) => accepted.has(String(headers.authorization).replace('Bearer ', ''))
  const isOfAzure = (request: UpstreamRequest) =>
    request.query['api-version'] === '2024-10-21' && (request.headers['api-key'] === azureKey || hasToken(request))
  function isSigned(request: UpstreamRequest): boolean {
    const session = request.headers['x-amz-security-token']
    if (session !== undefined && !accepted.has(String(session))) return false
    const { isValid, region } = checkSignature(request, session === undefined ? awsSecret : assumedSecret)
    return isValid && region === 'eu-central-1'
  }
  function isAssertion(assertion: string): boolean {
    const [header = '', claims = '', signature = ''] = assertion.split('.')
    const { aud, exp } = JSON.parse(Buffer.from(claims || 'e30', 'base64url').toString())
    const text = Buffer.from(`${header}.${claims}`)
    const isSound = verify('RSA-SHA256', text, publicKey, Buffer.from(signature, 'base64url'))
    return isSound && aud === `${cloud.url}/google/token` && exp * 1000 > Date.now()
  }

  const configurations = {
    azure: () => ({
      base_url: cloud.url,
      api_version: '2024-10-21',
      deployments: [{ id: 'my-gpt' }],
      api_key: azureKey,
    }),
    entra: () => ({
      base_url: cloud.url,
      api_version: '2024-10-21',
      deployments: [{ id: 'my-gpt' }],
      tenant_id: 'directory',
      client_id: 'app',
      client_secret: clientSecret,
    }),
    bedrock: () => ({
      region: 'eu-central-1',
      models: [{ id: claude }],
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: awsSecret,
      base_url_override: cloud.url,
    }),
    role: () => ({
      region: 'eu-central-1',
      models: [{ id: claude }],
      role_arn: 'arn:aws:iam::123456789012:role/bedrock',
      web_identity_token_file: tokenFile,
      base_url_override: cloud.url,
    }),
    vertex: () => ({
      location: 'europe-west4',
      models: [{ id: 'gemini-2.5-flash' }, { id: 'claude-sonnet-4-5' }],
      service_account: {
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: 'key-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        client_email: 'me@my-project.iam.gserviceaccount.com',
        token_uri: `${cloud.url}/google/token`,
      },
      base_url_override: cloud.url,
    }),
  }
  type Kind = keyof typeof configurations
  const providerOf = (kind: Kind) => (kind === 'entra' ? 'azure' : kind === 'role' ? 'bedrock' : kind)
  const manage = (method: string, path: string, body?: unknown) =>
    stage.harness.call(method, path, { session: stage.harness.owner.session, ...(body === undefined ? {} : { body }) })
  const put = (tenantId: string, kind: Kind, fields: object = {}) =>
    manage('PUT', `/auth/v1/tenants/${tenantId}/providers/${providerOf(kind)}`, {
      ...configurations[kind](),
      ...fields,
    })

  async function makeProject(kind: Kind, model: string): Promise<TestProject> {
    const project = await stage.makeProject({ model: null, hasKey: false })
    const stored = await put(project.tenantId, kind)
    expect([stored.status, stored.text]).toEqual([200, expect.any(String)])
    const modelId = `${providerOf(kind)}/${model}`
    const selected = await manage('PUT', `/auth/v1/projects/${project.id}/settings/model`, { provider_model: modelId })
    expect(selected.status).toBe(200)
    return project
  }
  const asked = () => cloud.requests.filter(({ path }) => /\/(?:model|publishers|deployments)\//.test(path))
  const textOfStream = async (project: TestProject, body = {}, options = {}) => {
    const answer = await project.open(body, options)
    await answer.ended
    return answer.text()
  }

  describe('azure', () => {
    const path = 'POST /openai/deployments/my-gpt/chat/completions'
    const answer = (request: UpstreamRequest, said = say('openai', { text: ['Hel', 'lo'] }, isStream(request))) =>
      isOfAzure(request) ? said : errorResponse('openai', 401, 'Access denied')
    const isStream = ({ body }: UpstreamRequest) => JSON.parse(body).stream === true

    test.each(['azure', 'entra'] as const)('%s answers, whole and streamed', async kind => {
      const project = await makeProject(kind, 'my-gpt')
      cloud.on(path, answer)
      const { status, body } = await project.complete({ max_tokens: 10 })
      expect(status).toBe(200)
      expect(body).toMatchObject({ choices: [{ message: { content: 'Hello' } }], usage: wholeUsage })
      expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({ max_completion_tokens: 10 })
      const streamed = await textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hello')
      expect(streamed).toContain('data: [DONE]')
    })

    test('a chunk about the prompt is not shown, and a filtered prompt is the client’s error', async () => {
      const project = await makeProject('azure', 'my-gpt')
      const chunk = (fields: object) =>
        JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })
      const choice = (delta: object, finish_reason: string | null = null) =>
        chunk({ choices: [{ index: 0, delta, finish_reason, content_filter_results: {} }] })
      cloud.on(
        path,
        events([
          JSON.stringify({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{}] }),
          choice({ role: 'assistant', content: 'Hi' }),
          choice({}, 'content_filter'),
          '[DONE]',
        ]),
      )
      const streamed = await textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hi')
      expect(streamed).not.toContain('prompt_filter_results')
      expect(streamed).toContain('"finish_reason":"content_filter"')
      cloud.on(path, { status: 400, body: { error: { code: 'content_filter', message: 'Filtered', param: 'prompt' } } })
      expect(await project.complete()).toMatchObject({ status: 400, body: { error: { param: 'messages' } } })
    })

    test('a token that was revoked is fetched again, once', async () => {
      const agent = oneConnection()
      const project = await makeProject('entra', 'my-gpt')
      cloud.on(path, answer)
      await project.complete({}, { agent })
      const before = issued
      accepted.clear()
      expect((await project.complete({}, { agent })).status).toBe(200)
      expect(issued).toBe(before + 1)
      // A second token that is rejected too is an error.
      cloud.on(path, errorResponse('openai', 401, 'No'))
      const refused = await project.complete({}, { agent })
      expect(refused).toMatchObject({ status: 502, body: { error: { code: 'provider_auth_error' } } })
      expect(issued).toBe(before + 2)
      expect(asked()).toHaveLength(5)
    })

    test('a key that is rejected is not tried again', async () => {
      const project = await makeProject('azure', 'my-gpt')
      cloud.on(path, errorResponse('openai', 401, 'No'))
      expect((await project.complete()).status).toBe(502)
      expect(asked()).toHaveLength(1)
    })
  })

  describe('bedrock', () => {
    const path = `/model/${encodeURIComponent(claude)}`
    const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
    const whole = (content: unknown[], stopReason = 'end_turn'): UpstreamAnswer => ({
      body: { output: { message: { role: 'assistant', content } }, stopReason, usage },
    })
    const stream = (...frames: Buffer[]): UpstreamAnswer => ({
      write(response) {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
        // A frame in two pieces, and two frames in one.
        const bytes = Buffer.concat(frames)
        response.write(bytes.subarray(0, 50))
        response.end(bytes.subarray(50))
      },
    })
    const signed = (answer: UpstreamAnswer) => (request: UpstreamRequest) =>
      isSigned(request)
        ? answer
        : { status: 403, headers: { 'x-amzn-errortype': 'ExpiredTokenException' }, body: { message: 'expired' } }
    const delta = (contentBlockIndex: number, value: object) =>
      eventFrame('contentBlockDelta', { contentBlockIndex, delta: value })
    const ending = (stopReason: string) => [
      eventFrame('messageStop', { stopReason }),
      eventFrame('metadata', { usage }),
    ]

    test.each(['bedrock', 'role'] as const)('%s answers, whole and streamed', async kind => {
      const project = await makeProject(kind, claude)
      cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Hello' }])))
      cloud.on(
        `POST ${path}/converse-stream`,
        signed(stream(delta(0, { text: 'Hel' }), delta(0, { text: 'lo' }), ...ending('end_turn'))),
      )
      const { status, body } = await project.complete()
      expect(status).toBe(200)
      expect(body).toMatchObject({
        choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
        usage: wholeUsage,
      })
      expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] })
      const streamed = await textOfStream(project)
      expect(textOf(eventsOf(streamed))).toBe('Hello')
      expect(streamed).toContain('data: [DONE]')
      expect((await project.usage()).total_tokens).toBe(36)
    })

    test('parallel tool calls, and their results', async () => {
      const project = await makeProject('bedrock', claude)
      const start = (contentBlockIndex: number, toolUseId: string) =>
        eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name: 'weather' } } })
      cloud.on(
        `POST ${path}/converse-stream`,
        signed(
          stream(
            start(0, 'a'),
            delta(0, { toolUse: { input: '{"city":' } }),
            delta(0, { toolUse: { input: '"Rome"}' } }),
            start(1, 'b'),
            ...ending('tool_use'),
          ),
        ),
      )
      const streamed = await textOfStream(project, { tools: [weather], tool_choice: 'required' })
      expect(streamed).toContain('"finish_reason":"tool_calls"')
      expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({ toolConfig: { toolChoice: { any: {} } } })
      const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })
      cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Sunny' }])))
      const messages = [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: '20' },
        { role: 'tool', tool_call_id: 'b', content: '30' },
      ]
      expect((await project.complete({ messages, tools: [weather] })).status).toBe(200)
      const sent = JSON.parse(asked().at(-1)?.body ?? '') as { messages: { content: unknown[] }[] }
      expect(sent.messages.at(-1)?.content).toMatchObject([
        { toolResult: { toolUseId: 'a', content: [{ text: '20' }] } },
        { toolResult: { toolUseId: 'b', content: [{ text: '30' }] } },
      ])
    })

    test('errors before the answer and in the stream', async () => {
      const project = await makeProject('bedrock', claude)
      cloud.on(`POST ${path}/converse`, {
        status: 400,
        headers: { 'x-amzn-errortype': 'ValidationException' },
        body: { message: 'Input is too long' },
      })
      expect(await project.complete()).toMatchObject({
        status: 400,
        body: { error: { code: 'context_length_exceeded' } },
      })
      cloud.on(`POST ${path}/converse-stream`, stream(exceptionFrame('throttlingException', 'Slow down')))
      expect((await project.open()).status).toBe(429)
      cloud.on(
        `POST ${path}/converse-stream`,
        stream(delta(0, { text: 'Hel' }), exceptionFrame('modelStreamErrorException', 'No')),
      )
      const broken = await textOfStream(project)
      expect(broken).toContain('provider_unavailable')
      expect(broken).not.toContain('[DONE]')
    })

    test('the credentials of a role that expired are replaced once; those of a tenant serve no other', async () => {
      const agent = oneConnection()
      const project = await makeProject('role', claude)
      cloud.on(`POST ${path}/converse`, signed(whole([{ text: 'Hello' }])))
      await project.complete({}, { agent })
      const other = await makeProject('role', claude)
      await other.complete({}, { agent })
      const sessions = asked().map(({ headers }) => String(headers['x-amz-security-token']))
      expect(sessions).toEqual([expect.stringContaining(project.tenantId), expect.stringContaining(other.tenantId)])
      accepted.clear()
      expect((await project.complete({}, { agent })).status).toBe(200)
      expect(asked()).toHaveLength(4)
    })

    test('access keys that are rejected are not tried again', async () => {
      const project = await makeProject('bedrock', claude)
      cloud.on(`POST ${path}/converse`, {
        status: 403,
        headers: { 'x-amzn-errortype': 'AccessDeniedException' },
        body: {},
      })
      expect(await project.complete()).toMatchObject({ status: 502, body: { error: { code: 'provider_auth_error' } } })
      expect(asked()).toHaveLength(1)
    })
  })

  describe('vertex', () => {
    const base = '/v1/projects/my-project/locations/europe-west4/publishers'
    const allowed = (answer: UpstreamAnswer) => (request: UpstreamRequest) =>
      hasToken(request)
        ? answer
        : { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'No' } } }

    test('Gemini answers, whole and streamed, also after its token was revoked', async () => {
      const project = await makeProject('vertex', 'gemini-2.5-flash')
      const said = { candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] }
      cloud.on(`POST ${base}/google/models/gemini-2.5-flash:generateContent`, allowed({ body: said }))
      cloud.on(
        `POST ${base}/google/models/gemini-2.5-flash:streamGenerateContent`,
        allowed(events([JSON.stringify(said)])),
      )
      const agent = oneConnection()
      const answer = await project.complete({}, { agent })
      expect(answer).toMatchObject({ body: { choices: [{ message: { content: 'Hello' } }] } })
      accepted.clear()
      expect(textOf(eventsOf(await textOfStream(project, {}, { agent })))).toBe('Hello')
      expect(asked().map(({ query }) => query)).toEqual([{}, { alt: 'sse' }, { alt: 'sse' }])
    })

    test('Claude answers, whole and streamed', async () => {
      const project = await makeProject('vertex', 'claude-sonnet-4-5')
      const place = `POST ${base}/anthropic/models/claude-sonnet-4-5`
      cloud.on(`${place}:rawPredict`, allowed(say('anthropic', { text: ['Hello'] }, false)))
      cloud.on(`${place}:streamRawPredict`, allowed(say('anthropic', { text: ['Hel', 'lo'] }, true)))
      expect(await project.complete()).toMatchObject({ body: { choices: [{ message: { content: 'Hello' } }] } })
      expect(textOf(eventsOf(await textOfStream(project)))).toBe('Hello')
      for (const { body } of asked()) {
        expect(JSON.parse(body)).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
        expect(JSON.parse(body)).not.toHaveProperty('model')
      }
    })
  })

  describe('their configuration', () => {
    test('is shown without secrets, and deleted', async () => {
      const tenantId = (await stage.harness.makeTenant({ plan: 'pro' })).id
      for (const kind of ['entra', 'bedrock', 'vertex'] as const) {
        const path = `/auth/v1/tenants/${tenantId}/providers/${providerOf(kind)}`
        const stored = await put(tenantId, kind)
        expect(stored.status).toBe(200)
        const shown = await manage('GET', path)
        expect(shown.body).toEqual(stored.body)
        expect(shown.body).toMatchObject({
          configured: true,
          provider_type: providerOf(kind),
          base_url_override: kind === 'entra' ? null : cloud.url,
        })
      }
      const listed = await manage('GET', `/auth/v1/tenants/${tenantId}/providers`)
      const models = await manage('GET', `/auth/v1/tenants/${tenantId}/providers/models`)
      const shown =
        listed.text + models.text + (await manage('GET', `/auth/v1/tenants/${tenantId}/providers/vertex`)).text
      for (const model of ['azure/my-gpt', `bedrock/${claude}`, 'vertex/gemini-2.5-flash'])
        expect(models.text).toContain(model)
      for (const secret of [clientSecret, awsSecret, 'PRIVATE KEY']) expect(shown).not.toContain(secret)
      for (const provider of ['azure', 'bedrock', 'vertex']) {
        const path = `/auth/v1/tenants/${tenantId}/providers/${provider}`
        expect((await manage('DELETE', path)).status).toBe(204)
        expect((await manage('GET', path)).status).toBe(404)
        expect((await manage('DELETE', path)).status).toBe(404)
      }
    })

    // At once, because no refusal is given within 500 ms.
    test.concurrent.each<[Kind, object, number, string]>([
      ['azure', { base_url: 'http://10.0.0.1' }, 400, 'INVALID_BASE_URL'],
      ['azure', { base_url: undefined }, 400, 'base_url is required'],
      ['azure', { deployments: [] }, 400, 'deployments must be an array of 1-500 objects'],
      ['azure', { deployments: [{ id: 'a' }, { id: 'a' }] }, 400, 'deployments[1].id is given twice'],
      ['azure', { api_key: 'another-key-0123456789' }, 422, 'KEY_VALIDATION_FAILED'],
      ['entra', { client_secret: 'wrong' }, 422, 'KEY_VALIDATION_FAILED'],
      ['bedrock', { secret_access_key: 'wrong' }, 422, 'KEY_VALIDATION_FAILED'],
      ['bedrock', { region: 'eu-central-1.example.com/' }, 400, 'region must be a region of AWS'],
      ['bedrock', { models: undefined }, 400, 'models must be an array of 1-500 objects'],
      ['bedrock', { base_url_override: 'https://169.254.169.254' }, 400, 'INVALID_BASE_URL'],
      ['role', { web_identity_token_file: otherFile }, 400, 'web_identity_token_file must be one of the files'],
      ['role', { role_arn: 'arn:aws:iam::1:user/x' }, 400, 'role_arn must be the ARN of a role'],
      ['vertex', { location: 'nowhere' }, 400, 'location must be'],
    ])('%s with %j is refused', async (kind, fields, status, words) => {
      const tenantId = (await stage.harness.makeTenant({ plan: 'pro' })).id
      const answer = await put(tenantId, kind, fields)
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)])
      expect((await manage('GET', `/auth/v1/tenants/${tenantId}/providers`)).body).toEqual({ providers: [] })
    })

    test.each<[Kind, object]>([
      ['azure', { api_key: 'another-key-0123456789' }],
      ['entra', { client_secret: 'wrong' }],
      ['bedrock', { secret_access_key: 'wrong' }],
      ['vertex', { base_url_override: 'https://169.254.169.254' }],
    ])('%s can be checked without being stored, right and with %j', async (kind, fields) => {
      const { id: tenantId } = await stage.harness.makeTenant({ plan: 'free' })
      const path = `/auth/v1/tenants/${tenantId}/providers`
      const validate = (body: object) => manage('POST', `${path}/${providerOf(kind)}/validate`, body)
      const configuration = configurations[kind]()
      expect(await validate(configuration)).toMatchObject({ status: 200, body: { valid: true } })
      const { status, body } = await validate({ ...configuration, ...fields })
      if (kind === 'vertex') expect([status, body]).toMatchObject([400, { code: 'INVALID_BASE_URL' }])
      else expect([status, body]).toEqual([200, { valid: false, reason: 'invalid_key' }])
      expect((await manage('GET', path)).body).toEqual({ providers: [] })
    })

    test('of Vertex AI may not name a private address for its tokens', async () => {
      const tenantId = (await stage.harness.makeTenant({ plan: 'pro' })).id
      const { service_account } = configurations.vertex()
      const answer = await put(tenantId, 'vertex', {
        service_account: { ...service_account, token_uri: 'https://169.254.169.254/token' },
      })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('INVALID_BASE_URL')])
    })

    test('needs the Pro plan', async () => {
      const tenantId = (await stage.harness.makeTenant({ plan: 'free' })).id
      expect((await put(tenantId, 'azure')).status).toBe(403)
    })
  })

  test('no secret and no token is in the log', () => {
    const log = stage.harness.product.stdout() + stage.harness.product.stderr()
    for (const secret of [
      azureKey,
      clientSecret,
      awsSecret,
      assumedSecret,
      'PRIVATE KEY',
      'web-identity-token',
      'token-1',
      'session-',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
