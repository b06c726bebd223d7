// Measures the gateway's own steps for one request, in microseconds of one core: from the accepted request to the
// port's call and back, settlement included, without sockets; 1,200 tokens of 400 projects with limits for each user.
// Usage: node bench/parts/admission.ts [redis://127.0.0.1:6379]; without an address it uses the store in this process.
import { generateKeyPairSync, randomInt, randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { SignJWT } from 'jose'
import { initialLiveConfig } from '../../server/src/domain/settings/live-config.ts'
import { defaultSettings } from '../../server/src/domain/settings/settings.ts'
import { newSlug } from '../../server/src/domain/slug.ts'
import { createConfigCache } from '../../server/src/gateway/config-cache.ts'
import { createGateway } from '../../server/src/gateway/serve.ts'
import type { PlaneResponse } from '../../server/src/http/exchange.ts'
import { FastLaneRequest } from '../../server/src/http/fast-lane/request.ts'
import type { Incoming } from '../../server/src/http/incoming.ts'
import { measureStore } from '../../server/src/kv/measured-store.ts'
import { createProcessStore } from '../../server/src/kv/process/store.ts'
import { createRedisStore } from '../../server/src/kv/redis/store.ts'
import type { Store } from '../../server/src/kv/store.ts'
import { createOutbound } from '../../server/src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../server/src/outbound/policy.ts'
import { createMetrics } from '../../server/src/telemetry/create-metrics.ts'
import { createRegistry } from '../../server/src/telemetry/registry.ts'

const projectCount = 400
const tokensPerProject = 3
const perBatch = 4_000
const batches = 40
const issuer = 'https://gate.example.com'
const audience = 'service'
const kid = 'bench'
const rpm = 10_000
const tokensPerDay = 1_000_000_000_000
const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"Hello"}]}')

const say = (event: string, fields?: object): void => console.error(event, fields)
const silent = (): void => undefined
const log = { debug: silent, info: silent, warn: say, error: say }
// The requests of a batch must fit into the limits of one minute, so the clock moves on with each batch.
let offset = 0
const now = (): number => Date.now() + offset
const metrics = createMetrics({ registry: createRegistry(), tracer: null })
const url = process.argv[2]
const inner: Store =
  url === undefined
    ? createProcessStore({ now, log })
    : await createRedisStore({ url, log, clock: now, keyPrefix: `bench-${randomUUID()}:` })
const kv = measureStore(inner, metrics)
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }

interface Caller {
  slug: string
  /** Bytes, so that each request creates a new string, as from the wire. */
  credential: Buffer
}

async function provision(): Promise<Caller[]> {
  const callers: Caller[][] = []
  const iat = Math.floor(Date.now() / 1000)
  for (let number = 0; number < projectCount; number++) {
    const [projectId, tenantId, slug] = [randomUUID(), randomUUID(), newSlug(randomInt)]
    const settings = { ...defaultSettings('http://localhost'), rpm_limit: rpm, tokens_per_day: tokensPerDay }
    const live = initialLiveConfig({ id: projectId, tenant_id: tenantId, slug }, settings)
    const tiers = [{ name: 'measured', overrides: { rpm_limit: rpm, tokens_per_day: tokensPerDay } }]
    const text = JSON.stringify({ ...live, tiers })
    await kv.putSlugs([{ slug, projectId, tenantId }])
    await kv.putConfig(projectId, { revision: 1, status: 'active', body: text })
    const ofProject: Caller[] = []
    for (let user = 0; user < tokensPerProject; user++) {
      const claims = { tid: tenantId, pid: projectId, uid: `user-${user}`, role: 'user', scp: [], tier: 'measured' }
      const token = await new SignJWT({
        ...claims,
        iss: issuer,
        aud: audience,
        iat,
        nbf: iat,
        exp: iat + 86_400,
        jti: randomUUID(),
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
        .sign(privateKey)
      ofProject.push({ slug, credential: Buffer.from(`Bearer ${token}`) })
    }
    callers.push(ofProject)
  }
  await kv.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
  await kv.markSeeded(await kv.startFilling())
  return Array.from({ length: tokensPerProject }, (_, at) => callers.map(ofProject => ofProject[at]!)).flat()
}
const callers = await provision()

class Answer {
  readonly names: string[] = []
  readonly values: (string | number)[] = []
  readonly writableFinished = false
  readonly destroyed = false
  readonly headersSent = false
  statusCode = 200
  listener: (() => void) | null = null
  readonly req: FastLaneRequest
  constructor(req: FastLaneRequest) {
    this.req = req
  }
  setHeader(name: string, value: string | number): void {
    this.names.push(name)
    this.values.push(value)
  }
  once(_event: string, listener: () => void): void {
    this.listener = listener
  }
  end(text: unknown): void {
    throw new Error(`refused: ${String(text)}`)
  }
  destroy(): void {
    throw new Error('destroyed')
  }
  getHeader(): undefined {
    return undefined
  }
  hasHeader(): boolean {
    return false
  }
  writeHead(status: number): this {
    this.statusCode = status
    return this
  }
}

const sql = {} as never
const gateway = createGateway({
  sql,
  kv,
  outbound: createOutbound({ allow: parseOutboundAllow(''), log }),
  now,
  randomId: randomUUID,
  replicaId: randomUUID(),
  log,
  configs: createConfigCache({ kv, sql, now, log, cacheTtlMs: 1_000_000_000 }),
  findVersion: async () => null,
  requests: { add: () => undefined },
  port: {
    checkRequest: () => undefined,
    answer(call) {
      call.listen(silent)
      call.settle(300)
      return done
    },
  },
  settings: {
    tokenIssuer: issuer,
    tokenAudience: audience,
    ownKeys: { kind: 'document', text: JSON.stringify({ keys: [jwk] }) },
    ownKids: new Set([kid]),
    configCacheTtlMs: 1_000_000_000,
    bodyLimitBytes: 1_048_576,
  },
})
const done = Promise.resolve()
const socket = new Socket()

function begin(at: number): { request: FastLaneRequest; answer: Answer; incoming: Incoming } {
  const { slug, credential } = callers[at % callers.length]!
  const headers = {
    host: 'localhost',
    authorization: credential.toString('latin1'),
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const request = new FastLaneRequest({ method: 'POST', url: '/v1/chat/completions', headers }, body, socket)
  const incoming: Incoming = {
    id: randomUUID(),
    host: { kind: 'project', slug, path: '/v1/chat/completions' } as never,
    method: 'POST',
    path: '/v1/chat/completions',
    query: '',
    clientAddress: '127.0.0.1',
    isInternal: false,
    receivedAt: 0,
    logContext: {},
    onCutOff: silent,
  }
  return { request, answer: new Answer(request), incoming }
}

async function measure(name: string, run: (at: number) => unknown, atOnce: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  const all: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const startedAt = process.cpuUsage()
    const pending: unknown[] = []
    for (let at = 0; at < perBatch; at++) {
      pending.push(run(at))
      if (pending.length === atOnce) {
        await Promise.all(pending)
        pending.length = 0
      }
    }
    const { user, system } = process.cpuUsage(startedAt)
    all.push((user + system) / perBatch)
    least = Math.min(least, (user + system) / perBatch)
    offset += 61_000
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  all.sort((a, b) => a - b)
  console.log(`${name.padEnd(40)} ${least.toFixed(2).padStart(7)} µs   (median ${all[batches >> 1]!.toFixed(2)})`)
}

await measure('request and answer alone', at => begin(at), 32)
await measure(
  `the gateway's steps besides (${kv.kind})`,
  at => {
    const { request, answer, incoming } = begin(at)
    return gateway.plane(request, answer as unknown as PlaneResponse, incoming)
  },
  32,
)
await gateway.stop()
await kv.close()
