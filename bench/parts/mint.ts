// Measures the management plane: mints a second and their p99 with API keys that are new to the process (the slow hash
// runs) and with keys that it has verified before, and reads of settings; embedded, and on PostgreSQL and Redis. The
// load comes from this process over loopback and shares the machine with the product.
// Usage: node bench/parts/mint.ts
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { createDatabase, startPostgres } from '../../server/test/support/postgres.ts'
import { startRedis } from '../../server/test/support/redis.ts'
import { type Product, startProduct } from '../../server/test/support/start-product.ts'

const lanes = 16
const coldKeys = 160
const warmCalls = 6000
const secrets = {
  BOOTSTRAP_EMAIL: 'owner@example.com',
  BOOTSTRAP_PASSWORD: 'correct horse battery staple',
  ADMIN_SECRET: 'admin-secret-of-the-bench',
  MINT_RPM: '1000000',
  LOG_LEVEL: 'warn',
}

interface Call {
  method: string
  path: string
  bearer?: string
  adminSecret?: string
  body?: unknown
}

function createCaller(product: Product) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const call = ({ method, path, bearer, adminSecret, body }: Call) =>
    new Promise<unknown>((resolve, reject) => {
      const sent = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(adminSecret === undefined ? {} : { 'x-admin-secret': adminSecret }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      }
      const options = { agent, host: '127.0.0.1', port: product.port, method, path, headers }
      const going = request(options, response => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(text))
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
        })
      })
      going.on('error', reject)
      going.end(sent)
    })
  return { call, close: () => agent.destroy() }
}

async function measure(name: string, count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const tookMs: number[] = []
  let next = 0
  const startedAt = performance.now()
  const lane = async () => {
    while (next < count) {
      const index = next++
      const from = performance.now()
      await work(index)
      tookMs.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = tookMs.sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
  const rate = Math.round(count / seconds)
  console.log(`${name.padEnd(44)}${String(rate).padStart(7)} /s   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`)
}

async function provision(call: (call: Call) => Promise<unknown>) {
  const login = { email: secrets.BOOTSTRAP_EMAIL, password: secrets.BOOTSTRAP_PASSWORD }
  const session = (await call({ method: 'POST', path: '/auth/v1/sessions', body: login })) as { session_token: string }
  const bearer = session.session_token
  const post = (path: string, body: unknown = {}) =>
    call({ method: 'POST', path: `/auth/v1/${path}`, bearer, body }) as Promise<{ id: string; api_key: string }>
  const tenant = await post('tenants', { name: 'Bench' })
  const project = await post(`tenants/${tenant.id}/projects`, { name: 'Bench' })
  await post(`projects/${project.id}/settings/deploy`)
  const keys: string[] = []
  for (let made = 0; made < coldKeys; made++) keys.push((await post(`projects/${project.id}/api-keys`)).api_key)
  return { bearer, projectId: project.id, keys }
}

async function run(name: string, env: Record<string, string>): Promise<void> {
  const product = await startProduct({ env: { ...secrets, ...env } })
  const { call, close } = createCaller(product)
  try {
    const { bearer, projectId, keys } = await provision(call)
    const mint = (index: number) =>
      call({
        method: 'POST',
        path: '/auth/v1/auth/mint',
        bearer: keys[index % keys.length] ?? '',
        body: { user_id: `user-${index}` },
      })
    await measure(`${name}: mint, each key for the first time`, coldKeys, mint)
    await measure(`${name}: mint, proven keys`, warmCalls, mint)
    const read = { method: 'GET', path: `/auth/v1/projects/${projectId}/settings`, bearer }
    await measure(`${name}: settings read`, warmCalls, () => call(read))
  } finally {
    close()
    await product.stop()
  }
}

async function runDistributed(): Promise<void> {
  const postgres = await startPostgres({ durable: true })
  const redis = await startRedis()
  try {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await run('PostgreSQL and Redis', {
      DATABASE_URL: await createDatabase(postgres.url),
      REDIS_URL: redis.url,
      JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    })
  } finally {
    await redis.stop()
    await postgres.stop()
  }
}

await run('embedded', {})
await runDistributed()
