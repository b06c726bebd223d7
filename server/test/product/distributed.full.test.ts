// The product as several processes on PostgreSQL and Redis: starts together, roles apart, shared jobs, a store that
// heals.
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import { modelSeedRows } from '../../src/storage/model-seed.ts'
import { expectRefused } from '../start/refusal.ts'
import { createDatabase, createEmptyDatabase } from '../support/postgres.ts'
import { holdLocks } from '../support/postgres-locks.ts'
import { findFreePort } from '../support/server-process.ts'
import { startProxy } from '../support/simulated/breakable-proxy.ts'
import { roomFor } from '../support/slowness.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import {
  ask,
  createWorld,
  type DistributedWorld,
  distributedSecrets,
  makeProject,
  setKillSwitch,
  signIn,
} from './distributed-world.ts'

const statusOf = async (url: string) => (await fetch(url)).status

async function openRedis(world: DistributedWorld) {
  const client = createClient({ url: world.redis.url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

async function countRows({ database }: DistributedWorld, table: string): Promise<number> {
  const { rows } = await database.query<{ count: string }>(`select count(*) as count from ${table}`)
  return Number(rows[0]?.count)
}

const countIn = (products: Product[], words: string) =>
  products.reduce((count, product) => count + product.stderr().split(words).length - 1, 0)

test('three replicas that start at once on an empty database: one schema, one user, one registry', async () => {
  const world = await createWorld({ makeDatabase: createEmptyDatabase })
  const replicas = await Promise.all([world.start(), world.start(), world.start()])
  for (const { baseUrl } of replicas) expect(await statusOf(`${baseUrl}/readyz`)).toBe(200)
  const { rows } = await world.database.query('select name from schema_migrations order by name')
  expect(rows.map(row => row.name)).toEqual(allMigrations.map(migration => migration.name))
  expect(countIn(replicas, '"event":"applying a migration"')).toBe(allMigrations.length)
  expect(await countRows(world, 'users')).toBe(1)
  expect(await countRows(world, 'providers')).toBe(6)
  expect(await countRows(world, 'models')).toBe(modelSeedRows(0).length)
  const told = replicas.map(replica => replica.stdout()).join('')
  expect(told.split('First dashboard user: owner@example.com')).toHaveLength(2)
  expect(told).not.toContain('Password')
  const session = await signIn(replicas[0] as Product)
  for (const replica of replicas) await ask(replica, 'GET', '/auth/v1/sessions/current', session)
  for (const replica of replicas) expect(await replica.stop()).toBe(0)
})

test('roles apart: each answers its probes and its own surface, and nothing else', async () => {
  const world = await createWorld()
  const secret = 'internal-secret'
  const [api, worker, gateway, inference] = await Promise.all([
    world.start({ ROLE: 'api' }),
    world.start({ ROLE: 'worker' }),
    world.start({ ROLE: 'gateway', INFERENCE_URL: 'http://127.0.0.1:9', INTERNAL_SECRET: secret }),
    world.start({ ROLE: 'inference', INTERNAL_SECRET: secret }),
  ])
  await signIn(api)
  for (const { baseUrl } of [api, worker, gateway, inference]) {
    expect(await statusOf(`${baseUrl}/healthz`)).toBe(200)
    expect(await statusOf(`${baseUrl}/readyz`)).toBe(200)
  }
  for (const { baseUrl } of [worker, gateway, inference]) {
    const answer = await fetch(`${baseUrl}/auth/v1/sessions/current`)
    expect(answer.status).toBe(404)
  }
  expect(await world.database.query('select * from leases')).toMatchObject({ rows: expect.any(Array) })
  for (const product of [api, worker, gateway, inference]) expect(await product.stop()).toBe(0)
})

describe('jobs', () => {
  test('two workers share one interval, and one goes on alone when the other is killed', async () => {
    const world = await createWorld()
    const env = { ROLE: 'worker', LOG_LEVEL: 'debug' }
    const [one, two] = await Promise.all([world.start(env), world.start(env)])
    const done = '"job":"sync-stores","state":"done"'
    const before = countIn([one, two], done)
    const begun = performance.now()
    const runs = () => countIn([one, two], done) - before
    await expect.poll(runs).toBeGreaterThanOrEqual(6)
    const intervals = (performance.now() - begun) / 1_000
    // An interval is 0.8 to 1 second and the run itself: two workers that do not share would run twice as often. A run of
    // the start may be among these.
    expect(runs()).toBeLessThan(intervals * 1.5 + 1)
    expect(intervals).toBeLessThan(roomFor(15_000) / 1_000)
    await one.kill()
    const alone = countIn([two], done)
    await expect.poll(() => countIn([two], done)).toBeGreaterThan(alone + 1)
    expect(await two.stop()).toBe(0)
  })
})

describe('the store', () => {
  test('that was flushed is whole again within one cycle, kill switch included', async () => {
    const world = await createWorld()
    const product = await world.start()
    const session = await signIn(product)
    const project = await makeProject(product, session)
    await ask(product, 'POST', `/auth/v1/projects/${project.id}/settings/deploy`, session)
    await setKillSwitch(product, project.tenantId, true)
    const redis = await openRedis(world)
    const read = async () => ({
      switches: await redis.hGetAll('sallyport:kill-switches'),
      slug: await redis.get(`sallyport:slug:${project.slug}`),
      config: await redis.hGetAll(`sallyport:config:{${project.id}}`),
    })
    const before = await read()
    expect(before.switches).toMatchObject({ [`t:${project.tenantId}`]: '1' })
    expect(before.config).toMatchObject({ status: 'active', revision: '2' })
    const begun = performance.now()
    await redis.flushAll()
    await expect.poll(() => redis.exists('sallyport:epoch'), { interval: 20 }).toBe(1)
    const tookMs = performance.now() - begun
    console.info(`a flushed Redis was whole after ${tookMs.toFixed(0)} ms, with a cycle of 1 s`)
    expect(await read()).toEqual(before)
    expect(tookMs).toBeLessThan(roomFor(4_000))
  })

  test('that one copy could not reach gets what it missed from the worker of another', async () => {
    const world = await createWorld()
    const proxy = await startProxy(world.redis.port)
    const worker = await world.start({ ROLE: 'worker' })
    const api = await world.start({ ROLE: 'api', REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
    const session = await signIn(api)
    const project = await makeProject(api, session)
    const redis = await openRedis(world)
    const statusInStore = () => redis.hGet(`sallyport:config:{${project.id}}`, 'status')
    expect(await statusInStore()).toBe('active')
    proxy.cut()
    await setKillSwitch(api, project.tenantId, true)
    await ask(api, 'POST', `/auth/v1/projects/${project.id}/suspend`, session)
    await expect.poll(statusInStore).toBe('suspended')
    await expect.poll(() => redis.hGetAll('sallyport:kill-switches')).toMatchObject({ [`t:${project.tenantId}`]: '1' })
    await expect.poll(() => api.stderr()).toContain('"event":"store could not be updated"')
    proxy.mend()
    expect(await worker.stop()).toBe(0)
    expect(await api.stop()).toBe(0)
  })

  test('that only a copy without a worker could not reach gets what it missed as soon as that copy reaches it', async () => {
    const world = await createWorld()
    const proxy = await startProxy(world.redis.port)
    const worker = await world.start({ ROLE: 'worker', SYNC_INTERVAL: '600' })
    const api = await world.start({ ROLE: 'api', REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
    const session = await signIn(api)
    const project = await makeProject(api, session)
    const redis = await openRedis(world)
    const statusInStore = () => redis.hGet(`sallyport:config:{${project.id}}`, 'status')
    await expect.poll(statusInStore).toBe('active')
    proxy.cut()
    await setKillSwitch(api, project.tenantId, true)
    await ask(api, 'POST', `/auth/v1/projects/${project.id}/suspend`, session)
    expect(await statusInStore()).toBe('active')
    proxy.mend()
    await expect.poll(statusInStore, { interval: 50 }).toBe('suspended')
    await expect.poll(() => redis.hGetAll('sallyport:kill-switches')).toMatchObject({ [`t:${project.tenantId}`]: '1' })
    await expect.poll(() => api.stderr()).toContain('"event":"store updated after a retry"')
    expect(await worker.stop()).toBe(0)
    expect(await api.stop()).toBe(0)
  })

  test('that comes back gets what it missed at once, not with the next cycle', async () => {
    const world = await createWorld()
    const proxy = await startProxy(world.redis.port)
    const product = await world.start({ REDIS_URL: `redis://127.0.0.1:${proxy.port}`, SYNC_INTERVAL: '600' })
    const session = await signIn(product)
    const project = await makeProject(product, session)
    const redis = await openRedis(world)
    const switches = () => redis.hGetAll('sallyport:kill-switches')
    proxy.cut()
    await setKillSwitch(product, project.tenantId, true)
    expect(await switches()).not.toHaveProperty(`t:${project.tenantId}`)
    proxy.mend()
    const begun = performance.now()
    await expect.poll(switches, { interval: 20 }).toHaveProperty(`t:${project.tenantId}`)
    console.info(`a missed kill switch was there ${(performance.now() - begun).toFixed(0)} ms after Redis was back`)
    expect(await product.stop()).toBe(0)
  })
})

test('readiness waits for the first cycle', async () => {
  const world = await createWorld()
  expect(await (await world.start({ ROLE: 'api' })).stop()).toBe(0)
  // The first cycle reads the configs, and waits for whoever holds their table.
  const holder = await world.database.connect()
  await holder.query('begin; lock table live_configs in access exclusive mode')
  const product = await startProduct({ env: { ...world.env, ROLE: 'api,worker' }, waitForReady: false })
  onTestFinished(() => product.kill())
  const readiness = async () => {
    const answer = await fetch(`${product.baseUrl}/readyz`)
    return [answer.status, await answer.json()]
  }
  const waiting = [503, { status: 'not_ready', reasons: ['first_cycle'] }]
  await expect.poll(() => readiness().catch(() => 'refused')).toEqual(waiting)
  await signIn(product)
  await sleep(500)
  expect(await readiness()).toEqual(waiting)
  expect(await statusOf(`${product.baseUrl}/healthz`)).toBe(200)
  await holder.query('rollback')
  holder.release()
  await expect.poll(readiness).toEqual([200, { status: 'ready' }])
  expect(await product.stop()).toBe(0)
})

describe('refused', () => {
  test('an unreachable PostgreSQL, and a wrong password, are named without the password', async () => {
    const secrets = distributedSecrets()
    const REDIS_URL = inject('redisUrl')
    const port = await findFreePort()
    const unreachable = await expectRefused({
      ...secrets,
      REDIS_URL,
      DATABASE_URL: `postgres://someone:hidden-password@127.0.0.1:${port}/gateway`,
    })
    expect(unreachable.sentence).toContain(`The database at 127.0.0.1:${port}/gateway cannot be reached`)
    const url = new URL(inject('postgresUrl'))
    url.password = 'hidden-password'
    const wrong = await expectRefused({ ...secrets, REDIS_URL, DATABASE_URL: url.href })
    expect(wrong.sentence).toContain('password authentication failed')
    for (const { stderr } of [unreachable, wrong]) expect(stderr).not.toContain('hidden-password')
  })

  test('an unreachable Redis, and a wrong password, are named without the password', async () => {
    const env = { ...distributedSecrets(), DATABASE_URL: await createDatabase(inject('postgresUrl')) }
    const port = await findFreePort()
    const unreachable = await expectRefused({ ...env, REDIS_URL: `redis://:hidden-password@127.0.0.1:${port}` })
    expect(unreachable.sentence).toContain('Redis at REDIS_URL does not answer')
    const wrongUrl = new URL(inject('redisUrl'))
    wrongUrl.username = 'someone'
    wrongUrl.password = 'hidden-password'
    const wrong = await expectRefused({ ...env, REDIS_URL: wrongUrl.href })
    expect(wrong.sentence).toContain('Redis at REDIS_URL')
    for (const { stderr } of [unreachable, wrong]) expect(stderr).not.toContain('hidden-password')
    console.info(`refused: ${unreachable.sentence} (${unreachable.tookMs.toFixed(0)} ms); ${wrong.sentence}`)
  })

  test('a database of a newer schema, unchanged', async () => {
    const world = await createWorld()
    await (await world.start({ ROLE: 'api' })).stop()
    await world.database.query("insert into schema_migrations values ('9999-of-tomorrow', 'x', 1)")
    const { sentence } = await expectRefused(world.env)
    expect(sentence).toMatch(/^The database schema is newer than this version: it has 9999-of-tomorrow/)
    expect(await countRows(world, 'schema_migrations')).toBe(allMigrations.length + 1)
  })

  test('a database that stops answering during the start: in words, and not as a fault of the product', async () => {
    const world = await createWorld()
    await holdLocks(world.env.DATABASE_URL ?? '', 'lock table users in access exclusive mode')
    const { sentence } = await expectRefused(world.env)
    expect(sentence).toBe(
      'The database did not answer during the start: canceling statement due to statement timeout. Start again when it answers.',
    )
  })

  test('a copy with another signing key under the same kid, while the first one serves on', async () => {
    const world = await createWorld()
    const first = await world.start()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const JWT_PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { sentence } = await expectRefused({ ...world.env, JWT_PRIVATE_KEY })
    expect(sentence).toContain('JWT_KEY_ID belongs to another key than JWT_PRIVATE_KEY')
    expect(await statusOf(`${first.baseUrl}/readyz`)).toBe(200)
  })
})
