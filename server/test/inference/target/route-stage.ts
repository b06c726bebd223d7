// The product in front of three providers that fail on command, and projects with routes over them. A request says in
// its text how each provider treats it, so that many cases run at once against the same servers.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Backend } from '../../support/management-harness.ts'
import { type Shape, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { type Answer, openStage, type Stage, type TestProject } from '../inference-stage.ts'

export const models = {
  openai: 'openai/gpt-4o-mini',
  anthropic: 'anthropic/claude-sonnet-4-5',
  mistral: 'mistral/mistral-large-latest',
} as const
export type Name = keyof typeof models
export const names = Object.keys(models) as Name[]

const keys = {
  openai: 'sk-tenant-0123456789abcdefgh',
  anthropic: 'sk-ant-0123456789abcdef0123',
  mistral: 'mistral0123456789abcdef0',
} satisfies Record<Name, string>

/** What a provider does with a request. Returns nothing if it writes the response itself, or never. */
export type Trouble = (response: ServerResponse, isStream: boolean, body: string) => UpstreamAnswer | undefined

export interface UnrulyProvider {
  url: string
  /** The tags of the requests that it got, and of those that it answered whole. */
  asked: string[]
  answered: string[]
  bodies: string[]
  /** From now on, no connection succeeds, or each is reset at once. */
  shut(how: 'refused' | 'reset'): Promise<void>
  open(): Promise<void>
  close(): Promise<void>
}

const tagOf = (body: string): string => /tag=([\w-]+)/.exec(body)?.[1] ?? ''

const otherAnswers: readonly [path: string, answer: UpstreamAnswer][] = [
  ['/count_tokens', { body: { input_tokens: 5 } }],
  [
    '/embeddings',
    { body: { data: [{ index: 0, embedding: [1, 2] }], model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 } } },
  ],
]

/** Answers `from <name>` unless the request's text has `<name>!<trouble>`. */
async function startProvider(name: Name, troubles: Readonly<Record<string, Trouble>>): Promise<UnrulyProvider> {
  const shape: Shape = name === 'anthropic' ? 'anthropic' : 'openai'
  const [asked, answered, bodies]: [string[], string[], string[]] = [[], [], []]
  let isResetting = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    if (request.method === 'GET') return void send(response, { body: { object: 'list', data: [] } })
    asked.push(tagOf(body))
    bodies.push(body)
    const isStream = JSON.parse(body).stream === true
    const named = new RegExp(`${name}!([\\w-]+)`).exec(body)?.[1]
    if (named === undefined) {
      answered.push(tagOf(body))
      const other = otherAnswers.find(([path]) => request.url?.endsWith(path))?.[1]
      return void send(response, other ?? say(shape, { text: ['from ', name] }, isStream))
    }
    const trouble = troubles[named]
    if (trouble === undefined) throw new Error(`no trouble of this name: ${named}`)
    const answer = trouble(response, isStream, body)
    if (answer !== undefined) send(response, answer)
  })
  server.on('connection', socket => {
    if (isResetting) socket.resetAndDestroy()
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const close = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const port = await listen(0)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answered,
    bodies,
    async shut(how) {
      isResetting = how === 'reset'
      if (how === 'refused') await close()
      else server.closeAllConnections()
    },
    async open() {
      isResetting = false
      if (!server.listening) await listen(port)
    },
    close,
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, body = {} }: UpstreamAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

export interface RouteStage {
  stage: Stage
  providers: Record<Name, UnrulyProvider>
  /** A project with keys of these providers, all by default. */
  makeProject(settings: Record<string, unknown>, options?: { keysOf?: readonly Name[] }): Promise<TestProject>
  stop(): Promise<void>
}

export async function openRouteStage(
  backend: Backend,
  troubles: Readonly<Record<string, Trouble>> = {},
  env: Record<string, string> = {},
): Promise<RouteStage> {
  const started = await Promise.all(names.map(async name => [name, await startProvider(name, troubles)] as const))
  const providers = Object.fromEntries(started) as Record<Name, UnrulyProvider>
  const addresses = Object.fromEntries(
    started.map(([name, { url }]) => [`${name.toUpperCase()}_BASE_URL`, `${url}/v1`]),
  )
  const stage = await openStage(backend, { ...addresses, ...env }, { own: true })
  return {
    stage,
    providers,
    async makeProject(settings, { keysOf = names } = {}) {
      const { id: tenantId } = await stage.harness.makeTenant({ plan: 'pro' })
      await Promise.all(keysOf.map(name => stage.harness.giveProvider(tenantId, name, { api_key: keys[name] })))
      return await stage.makeProject({ settings, tenantId, model: null })
    },
    async stop() {
      await stage.stop()
      await Promise.all(names.map(name => providers[name].close()))
    },
  }
}

/** The targets in this order, by the strategy `fallback`. */
export function inOrder(order: readonly Name[] = names, rules: Record<string, unknown> = {}) {
  return { routes: { targets: order.map(name => ({ model: models[name] })), strategy: 'fallback', ...rules } }
}

export const saying = (content: string) => ({ messages: [{ role: 'user', content }] })

/** The headers that say which target answered, after how many calls. */
export function routeOf({ headers }: Pick<Answer, 'headers'>): [string | undefined, string | undefined] {
  const { 'x-sallyport-model': model, 'x-sallyport-attempts': attempts } = headers
  return [model as string | undefined, attempts as string | undefined]
}
