// The distributed product as its operators run it: gateways, inference, api and worker apart, each in several
// processes, with what stands in front of each and a provider of the test's own behind. Knows the HTTP contract and the
// environment.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../support/server-process.ts'
import { openaiEvents, say, wholeUsage } from '../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../support/simulated/scripted-upstream.ts'
import type { Product } from '../support/start-product.ts'
import { ask, createWorld, type DistributedWorld, makeProject, signIn, type WorldOptions } from './distributed-world.ts'

export type Role = 'gateway' | 'inference' | 'api' | 'worker'

/** Copies of one role, and what stands in front of them. */
interface Crew {
  copies: Product[]
  /** Ports that get new work, as a load balancer that reads /readyz would have them. */
  inService: number[]
}

export interface FleetProject {
  id: string
  slug: string
  tenantId: string
  apiKey: string
  token: string
}

export interface Fleet {
  world: DistributedWorld
  upstream: ScriptedUpstream
  api: Product
  session: { authorization: string }
  crews: Record<Role, Crew>
  /** The next gateway's address, in turn. */
  gateway(): string
  /** Takes the copy out of service, stops it as an orchestrator does, and puts a new one in its place. */
  replace(role: Role, index: number): Promise<void>
  makeProject(settings?: Record<string, unknown>): Promise<FleetProject>
  /** What the store says the project has spent today, and what is still reserved. */
  spent(projectId: string): Promise<{ spent: number; reserved: number }>
  /** Empties Redis. */
  flush(): Promise<void>
}

export const pieces = Array.from({ length: 12 }, (_, index) => `piece ${index} `)
const pieceMs = 150

/** What `more` makes of the world comes on top of the environment. */
export async function startFleet(
  sizes: Record<Role, number>,
  more: (world: DistributedWorld) => Promise<Record<string, string>> = async () => ({}),
  options: WorldOptions = {},
): Promise<Fleet> {
  const world = await createWorld(options)
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  scriptProvider(upstream)
  const apiPort = await findFreePort()
  const balancer = await startBalancer()
  const shared = {
    BASE_URL: `http://localhost:${apiPort}`,
    INTERNAL_SECRET: randomBytes(16).toString('hex'),
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    LOG_LEVEL: 'warn',
    ...(await more(world)),
  }
  const own: Record<Role, Record<string, string>> = {
    api: { ROLE: 'api', PORT: String(apiPort) },
    worker: { ROLE: 'worker' },
    inference: { ROLE: 'inference' },
    gateway: { ROLE: 'gateway', INFERENCE_URL: `http://127.0.0.1:${balancer.port}` },
  }
  const start = (role: Role) => world.start({ ...shared, ...own[role] })
  const crews = { gateway: emptyCrew(), inference: emptyCrew(), api: emptyCrew(), worker: emptyCrew() }
  for (const role of ['api', 'worker', 'inference', 'gateway'] as const) {
    crews[role].copies = await Promise.all(Array.from({ length: sizes[role] }, () => start(role)))
    crews[role].inService = crews[role].copies.map(copy => copy.port)
  }
  balancer.serve(crews.inference)
  const [api] = crews.api.copies as [Product]
  const session = await signIn(api)
  let turn = 0
  const redis = createClient({ url: world.redis.url })
  redis.on('error', () => undefined)
  await redis.connect()
  onTestFinished(() => redis.destroy())
  return {
    world,
    upstream,
    api,
    session,
    crews,
    gateway() {
      const { inService } = crews.gateway
      return `http://127.0.0.1:${inService[turn++ % inService.length]}`
    },
    replace: (role, index) => replaceCopy(crews[role], index, () => start(role)),
    makeProject: settings => prepareProject(api, session, settings ?? {}),
    async spent(projectId) {
      const day = Math.floor(Date.now() / 86_400_000)
      const spent = await redis.hGet(`sallyport:spend:{${projectId}}:${day}`, 'spent')
      return { spent: Number(spent ?? 0), reserved: await redis.hLen(`sallyport:held:{${projectId}}`) }
    },
    flush: async () => void (await redis.flushAll()),
  }
}

/** Takes a copy out of service, stops it and puts a new one in its place. */
async function replaceCopy(crew: Crew, index: number, start: () => Promise<Product>): Promise<void> {
  const old = crew.copies[index]
  if (old === undefined) throw new Error(`no copy ${index}`)
  crew.inService = crew.inService.filter(port => port !== old.port)
  // As the manifests' preStop: whoever sends here has heard of it before the copy stops listening.
  await sleep(300)
  const code = await old.stop()
  if (code !== 0) throw new Error(`A copy ended with ${code}: ${old.stderr().slice(-2_000)}`)
  const fresh = await start()
  crew.copies[index] = fresh
  crew.inService = [...crew.inService, fresh.port]
}

function emptyCrew(): Crew {
  return { copies: [], inService: [] }
}

/** Answers plainly at once, and streams in pieces. */
export function scriptProvider(upstream: ScriptedUpstream): void {
  upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  upstream.on('POST /v1/chat/completions', ({ body }) => {
    if (JSON.parse(body).stream !== true) return say('openai', { text: ['Hello'] }, false)
    return {
      async write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const event of openaiEvents({ text: pieces })) {
          response.write(event)
          await sleep(pieceMs)
        }
        response.end()
      },
    }
  })
}

export async function prepareProject(
  api: Product,
  session: { authorization: string },
  settings: Record<string, unknown>,
): Promise<FleetProject> {
  const project = await makeProject(api, session)
  const own = `/auth/v1/projects/${project.id}`
  const key = { api_key: 'sk-tenant-0123456789abcdefgh' }
  await ask(api, 'PUT', `/auth/v1/tenants/${project.tenantId}/providers/openai`, session, key).catch(async () => {
    const admin = { 'x-admin-secret': 'admin-secret-of-the-tests' }
    await ask(api, 'PUT', `/v1/admin/tenants/${project.tenantId}/plan`, admin, { plan: 'pro' })
    await ask(api, 'PUT', `/auth/v1/tenants/${project.tenantId}/providers/openai`, session, key)
  })
  await ask(api, 'PUT', `${own}/settings`, session, { rpm_limit: 10_000, tokens_per_day: 100_000_000, ...settings })
  await ask(api, 'POST', `${own}/settings/deploy`, session)
  await ask(api, 'PUT', `${own}/settings/model`, session, { provider_model: 'openai/gpt-4o-mini' })
  const { api_key: apiKey } = await ask<{ api_key: string }>(api, 'POST', `${own}/api-keys`, session, {})
  const bearer = { authorization: `Bearer ${apiKey}` }
  const minted = await ask<{ access_token: string }>(api, 'POST', '/auth/v1/auth/mint', bearer, { user_id: 'alice' })
  return { ...project, apiKey, token: minted.access_token }
}

/** Connections go to the copies in service in turn; those that are open stay where they are. */
async function startBalancer() {
  let crew = emptyCrew()
  let turn = 0
  const server = createServer(client => {
    const port = crew.inService[turn++ % crew.inService.length]
    if (port === undefined) return void client.destroy()
    join(client, connect(port, '127.0.0.1'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, serve: (served: Crew) => (crew = served) }
}

function join(left: Socket, right: Socket): void {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    from.pipe(to)
    from.on('error', () => to.destroy()).on('close', () => to.destroy())
  }
}

export interface Outcome {
  status: number
  text: string
  /** What went wrong on the way, where no whole answer came. */
  broken: string | null
}

export async function complete(fleet: Fleet, project: FleetProject, fields: object = {}): Promise<Outcome> {
  let status = 0
  try {
    const response = await fetch(`${fleet.gateway()}/p/${project.slug}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...fields }),
      signal: AbortSignal.timeout(60_000),
    })
    status = response.status
    return { status, text: await response.text(), broken: null }
  } catch (error) {
    return { status, text: '', broken: `${error} ${(error as Error).cause ?? ''}` }
  }
}

export const tokensOfAnswer = wholeUsage.total_tokens
