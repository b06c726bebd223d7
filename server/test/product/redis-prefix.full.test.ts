// Two installations on one Redis, told apart by REDIS_PREFIX alone: neither sees anything of the other, and every key
// that either of them ever writes stands behind its own prefix.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { ask, createWorld, setKillSwitch, signIn } from './distributed-world.ts'
import { type FleetProject, prepareProject, scriptProvider } from './fleet.ts'

const blocked = 'aubergine'

/** What a busy installation has in Redis for longer than a window of its limits. */
const lasting = [
  'config',
  'conversation',
  'replicas',
  'epoch',
  'event-counts',
  'kill-switches',
  'provider-keys',
  'slug',
  'spend',
]

const kindsOf = (keys: readonly string[], prefix: string) =>
  keys.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length).split(':')[0])

interface Installation {
  product: Product
  session: { authorization: string }
  project: FleetProject
}

async function complete({ product }: Installation, project: FleetProject, content: string, more: object = {}) {
  const response = await fetch(`${product.baseUrl}/p/${project.slug}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.token}`, 'content-type': 'application/json', 'x-session-id': 's' },
    body: JSON.stringify({ messages: [{ role: 'user', content }], ...more }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Something of all that is kept in Redis. */
async function beBusy(installation: Installation): Promise<void> {
  const { product, session, project } = installation
  const path = `/auth/v1/projects/${project.id}`
  await ask(product, 'PUT', `${path}/settings`, session, { sentinel_mode: 'enforce', sentinel_blocklist: [blocked] })
  await ask(product, 'POST', `${path}/settings/deploy`, session)
  const login = { email: 'owner@example.com', password: 'wrong, and long enough' }
  await expect(ask(product, 'POST', '/auth/v1/sessions', {}, login)).rejects.toThrow('401')
  expect(await complete(installation, project, 'Hello')).toBe(200)
  expect(await complete(installation, project, 'Hello', { stream: true })).toBe(200)
  expect(await complete(installation, project, `About ${blocked}`)).toBe(403)
}

test('two installations with prefixes of their own share a Redis and nothing else', async () => {
  const world = await createWorld()
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  scriptProvider(upstream)
  const shared = { OPENAI_BASE_URL: `${upstream.url}/v1`, LOG_LEVEL: 'warn' }
  const redis = createClient({ url: world.redis.url })
  await redis.connect()
  onTestFinished(() => redis.destroy())

  const install = async (env: Record<string, string>): Promise<Installation> => {
    const product = await world.start({ ...shared, ...env })
    const session = await signIn(product)
    return { product, session, project: await prepareProject(product, session, {}) }
  }
  const listKeys = async () => {
    const keys: string[] = []
    for await (const some of redis.scanIterator({ COUNT: 1_000 })) keys.push(...some)
    return keys
  }
  const byDefault = await install({})
  await beBusy(byDefault)
  // The worker counts events a moment after they are written.
  await expect.poll(async () => kindsOf(await listKeys(), 'sallyport:')).toEqual(expect.arrayContaining(lasting))
  const keysAlone = await listKeys()
  expect(keysAlone.filter(key => !key.startsWith('sallyport:'))).toEqual(['guardrails:events'])

  const prefix = 'acme|two:'
  const other = await install({ REDIS_PREFIX: prefix, DATABASE_URL: await createDatabase(inject('postgresUrl')) })
  await beBusy(other)
  await expect
    .poll(async () => kindsOf(await listKeys(), prefix))
    .toEqual(expect.arrayContaining([...lasting, 'guardrails']))
  const keys = await listKeys()
  const strangers = keys.filter(key => !key.startsWith('sallyport:') && !key.startsWith(prefix))
  expect(strangers).toEqual(['guardrails:events'])
  expect((await redis.pubSubChannels()).sort()).toEqual([`${prefix}changes`, 'sallyport:changes'])

  // Each has its own events: one was blocked at each.
  expect([await redis.xLen('guardrails:events'), await redis.xLen(`${prefix}guardrails:events`)]).toEqual([1, 1])
  // A switch at one is none at the other, in its store or by its messages.
  await setKillSwitch(byDefault.product, byDefault.project.tenantId, true)
  expect(await complete(byDefault, byDefault.project, 'Hello')).toBe(403)
  for (let times = 0; times < 3; times++) {
    expect(await complete(other, other.project, 'Hello')).toBe(200)
    await sleep(100)
  }
  // The project of the one is no project of the other.
  expect(await complete(other, byDefault.project, 'Hello')).toBe(404)
}, 600_000)

test.each(['with blanks:', '{sallyport}:', 'x'.repeat(65)])(
  'a prefix that cannot be one stops the start: %s',
  async wrong => {
    const product = await startProduct({ env: { REDIS_PREFIX: wrong }, waitForReady: false })
    expect(await product.exitCode).not.toBe(0)
    expect(product.stderr()).toContain(
      'REDIS_PREFIX must be 1 to 64 printable ASCII characters without white space and braces',
    )
  },
)
