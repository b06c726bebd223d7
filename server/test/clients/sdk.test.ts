// The SDK against the product: minting, and the official clients with the SDK's options.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  aiSdkOptions,
  createManagementClient,
  createSallyport,
  createTokenProvider,
  type GatewayFetchOptions,
  openaiOptions,
  SallyportError,
} from '@sallyport/sdk'
import { APICallError, generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientProject, type ClientStage, countingFetch, startClientStage } from './client-stage.ts'

let stage: ClientStage
let project: ClientProject
beforeAll(async () => {
  stage = await startClientStage({ env: { MINT_RPM: '5' } })
  project = await stage.makeProject('openai')
})
afterAll(() => stage.end())

const baseUrlOf = ({ baseURL }: ClientProject) => baseURL.replace(/\/v1$/, '')
const sallyportOf = (of: ClientProject) => createSallyport({ baseUrl: baseUrlOf(of), apiKey: of.apiKey, maxRetries: 0 })
const optionsOf = (of: ClientProject, more: Partial<GatewayFetchOptions> = {}): GatewayFetchOptions => ({
  baseUrl: baseUrlOf(of),
  tokenProvider: () => of.token,
  ...more,
})

async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  return await promise.then(
    () => null,
    (error: unknown) => error,
  )
}

describe('minting', () => {
  test('gives a token for a user, in a session that lasts', async () => {
    const { mint } = sallyportOf(project)
    const minted = await mint({ userId: 'user-7', ttl: 90, role: 'user', tier: 'gold' })
    expect(minted).toEqual({
      token: expect.any(String),
      ttl: 90,
      warning: 'The project has no tier "gold"',
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expiresAt: expect.any(String),
    })
    const claims = JSON.parse(Buffer.from(minted.token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ uid: 'user-7', role: 'user', tier: 'gold' })
    expect(Math.abs(claims.exp * 1000 - Date.parse(minted.expiresAt))).toBeLessThan(60_000)
    const fresh = await mint({ userId: 'user-7', ttl: 90, role: 'user', tier: 'gold', fresh: true })
    expect(fresh.sessionId).toBe(minted.sessionId)
    expect(fresh.token).not.toBe(minted.token)
  })

  test('reports what the gateway says: a wrong field, a full minute', async () => {
    const { mint } = sallyportOf(await stage.makeProject('openai'))
    expect(await caught(mint({ userId: 'user-1', ttl: 5 }))).toMatchObject({
      name: 'SallyportError',
      status: 400,
      message: expect.stringMatching(/^ttl /),
      retryable: false,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map(user => caught(mint({ userId: `user-${user}` }))))
    const limited = outcomes.find(outcome => outcome !== null)
    expect(limited).toBeInstanceOf(SallyportError)
    expect(limited).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryable: true })
    expect((limited as SallyportError).retryAfterSeconds).toBeGreaterThan(0)
  })
})

interface Client {
  ask(options: GatewayFetchOptions, content?: string): Promise<string>
  stream(options: GatewayFetchOptions): Promise<string[]>
  statusOf(error: unknown): number | undefined
}

const openai: Client = {
  async ask(options, content = 'Hello') {
    const client = new OpenAI(openaiOptions(options))
    const { choices } = await client.chat.completions.create({ model: 'any', messages: [{ role: 'user', content }] })
    return choices[0]?.message.content ?? ''
  },
  async stream(options) {
    const request = { model: 'any', messages: [{ role: 'user' as const, content: 'Hello' }], stream: true as const }
    const stream = await new OpenAI(openaiOptions(options)).chat.completions.create(request)
    const chunks = await Array.fromAsync(stream)
    return chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').filter(Boolean)
  },
  statusOf: error => (error instanceof OpenAI.APIError ? error.status : undefined),
}

const aiSdk: Client = {
  async ask(options, prompt = 'Hello') {
    const provider = createOpenAICompatible(aiSdkOptions(options))
    return (await generateText({ model: provider('any'), prompt, maxRetries: 0 })).text
  },
  async stream(options) {
    const provider = createOpenAICompatible(aiSdkOptions(options))
    return await Array.fromAsync(streamText({ model: provider('any'), prompt: 'Hello', maxRetries: 0 }).textStream)
  },
  statusOf: error => (APICallError.isInstance(error) ? error.statusCode : undefined),
}

describe.each([
  ['the OpenAI client', openai],
  ['the AI SDK', aiSdk],
])('%s', (_name, client) => {
  test('answers, whole and streamed', async () => {
    stage.says('openai', { text: ['Grüße, ', '世界'] })
    expect(await client.ask(optionsOf(project))).toBe('Grüße, 世界')
    expect(await client.stream(optionsOf(project))).toEqual(['Grüße, ', '世界'])
  })

  test.each(['sessionId', 'threadId'])('remembers a conversation by its %s', async kind => {
    const remembering = await stage.makeProject('openai', { settings: { memory_enabled: true } })
    stage.says('openai', { text: ['Hello'] })
    const options = optionsOf(remembering, { [kind]: 'c3b8a1f2-5f0e-4c67-9f3b-0b6a7a2c9d11' })
    await client.ask(options, 'The first')
    await client.ask(options, 'The second')
    expect(JSON.stringify(stage.sent('openai').at(-1))).toMatch(/The first.*Hello.*The second/)
  })

  test('renews a token that the gateway rejects', async () => {
    stage.says('openai', { text: ['Hello'] })
    const tokens = [stage.expiredToken(project), project.token]
    const counted = countingFetch()
    const tokenProvider = createTokenProvider(() => ({ token: tokens.shift() ?? '', ttl: 600 }))
    expect(await client.ask(optionsOf(project, { tokenProvider, fetch: counted.fetch }))).toBe('Hello')
    expect(counted.sentAt).toHaveLength(2)
  })

  test('shows the gateway’s own words in errors', async () => {
    const outcome = async (of: ClientProject, more: Partial<GatewayFetchOptions> = {}) => {
      const error = await caught(client.ask(optionsOf(of, more)))
      return { status: client.statusOf(error), message: String(error) }
    }
    const expired = { tokenProvider: () => stage.expiredToken(project) }
    expect(await outcome(project, expired)).toMatchObject({ status: 401, message: expect.stringMatching(/expired/) })
    expect(await outcome(project, { tokenProvider: () => project.apiKey.slice('service_'.length) })).toMatchObject({
      status: 401,
      message: expect.stringMatching(/Invalid token/),
    })
    const stopped = await stage.makeProject('openai')
    await stage.stop(stopped)
    expect(await outcome(stopped)).toMatchObject({
      status: 403,
      message: expect.stringContaining('Service disabled by kill switch'),
    })
    const elsewhere = { ...project, baseURL: project.baseURL.replace(/\/p\/[^/]+/, '/p/no-such-project-1') }
    expect(await outcome(elsewhere)).toMatchObject({
      status: 404,
      message: expect.stringContaining('Unknown project host'),
    })
  })
})

test('the management client reads and writes, and reports errors', async () => {
  const baseUrl = new URL(project.baseURL).origin
  const anonymous = createManagementClient({ baseUrl })
  const credentials = { email: 'owner@example.com', password: 'correct horse battery staple' }
  const session = await anonymous.request('POST', '/auth/v1/sessions', { body: credentials })
  if (!('session_token' in session)) throw new Error('a session without cookie=true has a token')
  const token = session.session_token
  const client = createManagementClient({ baseUrl, token })
  const path = { projectId: project.id }
  await client.request('PUT', '/auth/v1/projects/{projectId}/settings', {
    path,
    body: { cors_origins: ['https://app.example.com'] },
  })
  await client.request('POST', '/auth/v1/projects/{projectId}/settings/deploy', { path })
  const settings = await client.request('GET', '/auth/v1/projects/{projectId}/settings', { path })
  expect(settings.cors_origins).toEqual(['https://app.example.com'])
  const read = { path: { tenantId: project.tenantId } }
  const events: { id: string }[] = []
  for await (const event of client.list('/auth/v1/tenants/{tenantId}/events', { ...read, query: { limit: 1 } })) {
    events.push(event)
  }
  const whole = await client.request('GET', '/auth/v1/tenants/{tenantId}/events', read)
  expect(whole.data.length).toBeGreaterThan(2)
  expect(events).toEqual(whole.data)
  const refused = await caught(anonymous.request('GET', '/auth/v1/tenants'))
  expect(refused).toMatchObject({ name: 'SallyportError', status: 401, message: 'Bearer token required' })
  expect(await client.request('DELETE', '/auth/v1/sessions/current')).toBeUndefined()
})
