// Tests three replicas of the whole product, each a process of its own, on one PostgreSQL and one Redis: limits are
// exact across them, and a change at one is in force at all.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { type Product, startProduct } from '../support/start-product.ts'

const adminSecret = 'admin-secret-of-the-tests'
const upstream = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
})
const copies: Product[] = []
let session: string
let redis: Awaited<ReturnType<typeof startRedis>>
let endWorld: () => Promise<void>

beforeAll(async () => {
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
  redis = await startRedis()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const env = {
    // Each process would be a replica of its own.
    PROCESSES: '1',
    DATABASE_URL: await createDatabase(inject('postgresUrl')),
    REDIS_URL: redis.url,
    ADMIN_SECRET: adminSecret,
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    // The same issuer for all replicas, which have different ports.
    JWT_ISSUER: 'http://gate.example.com',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_EMAIL: 'owner@example.com',
    BOOTSTRAP_PASSWORD: 'correct horse battery staple',
    INFERENCE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    LOG_LEVEL: 'warn',
    // So long that replicas see only published changes.
    SYNC_INTERVAL: '3600',
    CONFIG_CACHE_TTL: '3600',
  }
  for (let i = 0; i < 3; i++) copies.push(await startProduct({ env }))
  endWorld = async () => {
    await Promise.all(copies.map(copy => copy.stop()))
    await redis.stop()
  }
  const login = { email: env.BOOTSTRAP_EMAIL, password: env.BOOTSTRAP_PASSWORD }
  session = (await call<{ session_token: string }>(0, 'POST', '/auth/v1/sessions', {}, login)).session_token
})

afterAll(async () => {
  await endWorld()
  await new Promise<void>(resolve => void upstream.close(() => resolve()))
})

async function call<Body>(copy: number, method: string, path: string, headers: object, body?: unknown): Promise<Body> {
  const response = await fetch(`${copies[copy]?.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return (text === '' ? null : JSON.parse(text)) as Body
}

async function makeProject(settings: object): Promise<{ id: string; slug: string; token: string }> {
  const headers = { authorization: `Bearer ${session}` }
  const tenant = await call<{ id: string }>(0, 'POST', '/auth/v1/tenants', headers, { name: 'Tenant' })
  const path = `/auth/v1/tenants/${tenant.id}/projects`
  const project = await call<{ id: string; slug: string }>(1, 'POST', path, headers, { name: 'Project' })
  const own = `/auth/v1/projects/${project.id}`
  await call(2, 'PUT', `${own}/settings`, headers, settings)
  await call(0, 'POST', `${own}/settings/deploy`, headers)
  const { api_key } = await call<{ api_key: string }>(1, 'POST', `${own}/api-keys`, headers, {})
  const keyed = { authorization: `Bearer ${api_key}` }
  const minted = await call<{ access_token: string }>(2, 'POST', '/auth/v1/auth/mint', keyed, { user_id: 'user-1' })
  return { ...project, token: minted.access_token }
}

async function ask({ slug, token }: { slug: string; token: string }, copy: number): Promise<number> {
  const response = await fetch(`${copies[copy]?.baseUrl}/p/${slug}/v1/models`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await response.arrayBuffer()
  return response.status
}

const askAll = (project: { slug: string; token: string }) => Promise.all([0, 1, 2].map(copy => ask(project, copy)))

test('exactly the limit is admitted among them', async () => {
  const atOnce = inject('prove') ? 3_000 : 450
  const project = await makeProject({ rpm_limit: 100 })
  const statuses = await Promise.all(Array.from({ length: atOnce }, (_, i) => ask(project, i % 3)))
  expect(statuses.filter(status => status === 200)).toHaveLength(100)
  expect(statuses.filter(status => status === 429)).toHaveLength(atOnce - 100)
})

test('a kill switch set at one lets nothing in at any, from its answer on', async () => {
  const project = await makeProject({ rpm_limit: 10_000 })
  const set = (copy: number, enabled: boolean) =>
    call(copy, 'POST', `/v1/admin/killswitch/project/${project.id}`, { 'x-admin-secret': adminSecret }, { enabled })
  for (let round = 0; round < (inject('prove') ? 50 : 5); round++) {
    await set(round % 3, true)
    expect(await askAll(project)).toEqual([403, 403, 403])
    await set((round + 1) % 3, false)
    await expect.poll(() => askAll(project), { interval: 20 }).toEqual([200, 200, 200])
  }
})

test('a suspension and a deploy at one are in force at all', async () => {
  const project = await makeProject({ rpm_limit: 10_000 })
  expect(await askAll(project)).toEqual([200, 200, 200])
  const headers = { authorization: `Bearer ${session}` }
  await call(1, 'PUT', `/auth/v1/projects/${project.id}/settings`, headers, { rpm_limit: 3 })
  await call(1, 'POST', `/auth/v1/projects/${project.id}/settings/deploy`, headers)
  expect(await askAll(project)).toEqual([429, 429, 429])
  await call(2, 'POST', `/auth/v1/projects/${project.id}/suspend`, headers)
  expect(await askAll(project)).toEqual([401, 401, 401])
})

test('a user who is blocked at one is refused at all, and so is a revoked token', async () => {
  const project = await makeProject({ rpm_limit: 10_000 })
  const headers = { authorization: `Bearer ${session}` }
  const path = `/auth/v1/projects/${project.id}/users/user-1`
  for (let round = 0; round < (inject('prove') ? 50 : 5); round++) {
    await call(round % 3, 'PUT', `${path}/block`, headers, {})
    expect(await askAll(project)).toEqual([403, 403, 403])
    await call((round + 1) % 3, 'DELETE', `${path}/block`, headers)
    await expect.poll(() => askAll(project), { interval: 20 }).toEqual([200, 200, 200])
  }
  await call(1, 'POST', `${path}/revoke-tokens`, headers)
  expect(await askAll(project)).toEqual([401, 401, 401])
})

// Must be the last test, because it stops Redis.
test('without Redis they admit exactly the limit, and within the minute at most one share more once it is back', async () => {
  const [limit, share] = [40, 14]
  const project = await makeProject({ rpm_limit: limit })
  const known = async () => {
    const texts = await Promise.all(copies.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/metrics`)).text()))
    return texts.map(text => /^sallyport_gateway_replicas (\d+)$/m.exec(text)?.[1])
  }
  await expect.poll(known, { interval: 100 }).toEqual(['3', '3', '3'])
  const admitMany = async (times: number) => {
    let admitted = 0
    for (let i = 0; i < times; i++) if ((await ask(project, i % 3)) === 200) admitted += 1
    return admitted
  }
  await redis.kill()
  const startedAt = performance.now()
  expect(await admitMany(limit + 20)).toBe(limit)
  await redis.restart()
  let more = 0
  // Until the worker has filled the store, and for a while after.
  for (let round = 0; round < 10; round++) {
    more += await admitMany(6)
    await sleep(500)
  }
  // On a slow machine, the requests spanned more than one window.
  if (performance.now() - startedAt < 55_000) expect(more).toBeLessThanOrEqual(share)
})
