// The product with a scripted provider, and projects whose end users request completions. Uses only the HTTP contract;
// imports no source file.
import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as sendRequest,
} from 'node:http'
import { onTestFinished } from 'vitest'
import { type Backend, type ManagementHarness, startManagement } from '../support/management-harness.ts'
import { recordExchange } from '../support/runner/record-exchange.ts'
import type { Own } from '../support/shared-products.ts'
import type { Script, ScriptedUpstream } from '../support/simulated/scripted-upstream.ts'

export const platformKey = 'sk-platform-0123456789abcdef'
export const tenantKey = 'sk-tenant-0123456789abcdefgh'

export interface Stage {
  harness: ManagementHarness
  upstream: ScriptedUpstream
  /** Sets the provider's response to completions from now on. */
  script(script: Script): void
  /** The bodies of all completion requests that the provider got. */
  asked(): Asked[]
  makeProject(options?: ProjectOptions): Promise<TestProject>
  stop(): Promise<void>
}

export interface Asked {
  model: string
  messages: { role: string; content: unknown; tool_calls?: unknown }[]
  [field: string]: unknown
}

interface ProjectOptions {
  settings?: Record<string, unknown>
  /** Null selects no model. */
  model?: string | null
  /** What the tenant has instead of a key of OpenAI: the path of the provider, such as `custom/local`, and its body. */
  provider?: { path: string; body: object }
  tiers?: { name: string; overrides: Record<string, unknown> }[]
  /** The project's tenant; by default a new one. */
  tenantId?: string
  /** False if the tenant has no provider key. */
  hasKey?: boolean
}

export interface TestProject {
  id: string
  slug: string
  tenantId: string
  mint(claims?: Record<string, unknown>): Promise<string>
  /** Sends a request as user `alice`, or with `token`. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  complete(body?: Record<string, unknown>, options?: AskOptions): Promise<Answer>
  /** Resolves when the response's head has arrived. */
  open(body?: Record<string, unknown>, options?: AskOptions): Promise<OpenAnswer>
  /** Sends a request and does not wait for the response. */
  begin(body?: Record<string, unknown>, options?: AskOptions): Promise<ClientRequest>
  usage(options?: AskOptions): Promise<{ requests: number; total_tokens: number; prompt_tokens: number }>
}

interface AskOptions {
  token?: string
  headers?: Record<string, string>
  body?: unknown
  /** The port of another process than the one that created the project. */
  port?: number
  /** From `oneConnection`; by default each request has a connection of its own. */
  agent?: Agent
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Parsed if it is JSON. */
  body: unknown
}

export interface OpenAnswer {
  status: number
  headers: IncomingHttpHeaders
  response: IncomingMessage
  text(): string
  /** True if the response ended by HTTP's framing, false if its connection broke. */
  ended: Promise<boolean>
  /** Closes the connection, which is noticed when more is written to it. */
  abort(): void
  /** Resets the connection, which is noticed at once. */
  reset(): void
}

export const hello = { messages: [{ role: 'user', content: 'Hello' }] }

export async function openStage(
  backend: Backend,
  env: Record<string, string> = {},
  { own = false }: { own?: Own } = {},
): Promise<Stage> {
  const harness = await startManagement(backend, {
    env: { OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
    own,
  })
  const { upstream } = harness
  upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  return {
    harness,
    upstream,
    script: script => upstream.on('POST /v1/chat/completions', script),
    asked: () =>
      upstream.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as Asked),
    makeProject: options => makeProject(harness, options),
    stop: harness.stop,
  }
}

/** Opens a stage with a product of its own, which stops after the current test. */
export async function openStageOfTest(
  backend: Backend,
  env: Record<string, string> = {},
  own: Exclude<Own, false> = true,
): Promise<Stage> {
  const stage = await openStage(backend, env, { own })
  onTestFinished(() => stage.stop())
  return stage
}

/** For requests one after the other that the same process of the product must answer: one connection, for this test. */
export function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

async function makeProject(harness: ManagementHarness, options: ProjectOptions = {}): Promise<TestProject> {
  const { settings = {}, model = 'openai/gpt-4o-mini', tiers = [], hasKey = true } = options
  const { path, body } = options.provider ?? { path: 'openai', body: { api_key: tenantKey } }
  const { session } = harness.owner
  const manage = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await harness.call(method, path, { session, body })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  }
  const tenantId = options.tenantId ?? (await harness.makeTenant({ plan: 'pro' })).id
  if (hasKey && options.tenantId === undefined) {
    await harness.giveProvider(tenantId, path, body)
  }
  const { id, slug } = await harness.makeProject(tenantId)
  const own = `/auth/v1/projects/${id}`
  for (const tier of tiers) await manage('POST', `${own}/tiers`, tier)
  await manage('PUT', `${own}/settings`, { rpm_limit: 10_000, ...settings })
  await manage('POST', `${own}/settings/deploy`)
  if (model !== null && hasKey) await manage('PUT', `${own}/settings/model`, { provider_model: model })
  const { api_key: apiKey } = await harness.makeApiKey(id)
  return describeProject(harness, { id, slug, tenantId, apiKey })
}

function describeProject(
  harness: ManagementHarness,
  project: { id: string; slug: string; tenantId: string; apiKey: string },
): TestProject {
  const { apiKey, slug } = project
  const mint: TestProject['mint'] = async (claims = {}) => {
    const answer = await harness.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'alice', ...claims } })
    if (answer.status !== 200) throw new Error(`mint answered ${answer.status}: ${answer.text}`)
    return (answer.body as { access_token: string }).access_token
  }
  let alice: Promise<string> | undefined
  const send = async (method: string, path: string, { token, headers = {}, body, port, agent }: AskOptions) => {
    alice ??= mint()
    const bytes = body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const request = sendRequest({
      port: port ?? harness.product.port,
      host: '127.0.0.1',
      method,
      path,
      agent: agent ?? false,
      headers: {
        host: `${slug}.localhost`,
        authorization: `Bearer ${token ?? (await alice)}`,
        ...(bytes === null ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
    })
    request.on('error', () => undefined)
    request.end(bytes)
    return request
  }
  const open = async (method: string, path: string, options: AskOptions): Promise<OpenAnswer> => {
    const request = await send(method, path, options)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return readAnswer(response)
  }
  const ask: TestProject['ask'] = async (method, path, options = {}) => {
    const answer = await readWhole(await open(method, path, options))
    const response = answer.text === '' ? undefined : (answer.body ?? answer.text)
    recordExchange({ method, path, body: options.body, status: answer.status, response })
    return answer
  }
  const path = '/v1/chat/completions'
  return {
    ...project,
    mint,
    ask,
    complete: (body = {}, options = {}) => ask('POST', path, { body: { ...hello, ...body }, ...options }),
    open: (body = {}, options = {}) => open('POST', path, { body: { ...hello, stream: true, ...body }, ...options }),
    begin: (body = {}, options = {}) => send('POST', path, { body: { ...hello, ...body }, ...options }),
    async usage(options = {}) {
      const answer = await ask('GET', '/v1/billing/usage', options)
      return (answer.body as { totals: Awaited<ReturnType<TestProject['usage']>> }).totals
    },
  }
}

async function readWhole(answer: OpenAnswer): Promise<Answer> {
  await answer.ended
  const text = answer.text()
  const isJson = answer.headers['content-type']?.startsWith('application/json') ?? false
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

function readAnswer(response: IncomingMessage): OpenAnswer {
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => void chunks.push(chunk))
  response.on('error', () => undefined)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    text: () => Buffer.concat(chunks).toString(),
    ended: new Promise(resolve => response.once('close', () => resolve(response.complete))),
    abort: () => void response.destroy(),
    reset: () => void response.socket.resetAndDestroy(),
  }
}

/** Returns the data of each event of a stream. */
export function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .flatMap(event => event.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => line.slice('data: '.length))
    .map(data => (data === '[DONE]' ? data : JSON.parse(data)))
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[]
}

export function textOf(events: readonly unknown[]): string {
  return events.map(event => (event as Chunk).choices?.[0]?.delta?.content ?? '').join('')
}
