// Servers that go away: without the store the mint still answers and what was switched is still recorded, and the
// worker tells the store when it is back; without the database nobody is let in, and everybody is told to come again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisStore } from '../../../../src/kv/redis/store.ts'
import type { Store } from '../../../../src/kv/store.ts'
import { createLog } from '../../../../src/log/log.ts'
import { type ManagementHarness, startManagement } from '../../../support/management-harness.ts'
import { createDatabase, startPostgres, type TestServer } from '../../../support/postgres.ts'
import { roomFor } from '../../../support/slowness.ts'
import { processesOfProduct } from '../../../support/start-product.ts'
import { expectOk, expectRefusal, mint, times } from '../../requests.ts'

async function eventually(check: () => Promise<void>, deadlineMs = 60_000): Promise<void> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

describe('without the store', () => {
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    plane = await startManagement('postgres', { env: { SYNC_INTERVAL: '1', MINT_RPM: '30' }, own: true })
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })
  afterAll(() => plane?.stop())

  const owned = () => ({ session: plane.owner.session })

  test('mints, suspensions and switches are answered and recorded, and the store hears of them when it is back', async () => {
    const [first, second] = [await plane.makeProject(tenantId), await plane.makeProject(tenantId)]
    const keys = [await plane.makeApiKey(first.id), await plane.makeApiKey(second.id)]
    expectOk(await plane.call('POST', `/auth/v1/projects/${first.id}/settings/deploy`, owned()))
    expectOk(await mint(plane, keys[0]?.api_key ?? ''))
    await plane.redis?.kill()

    for (const { api_key } of keys) {
      const answer = await mint(plane, api_key)
      expectOk(answer)
      expect(answer.tookMs).toBeLessThan(roomFor(5000))
    }
    const burst = await times(60, () => mint(plane, keys[1]?.api_key ?? ''))
    expect(new Set(burst.map(answer => answer.status))).toEqual(new Set([200, 429]))
    expectOk(await plane.call('POST', `/auth/v1/projects/${first.id}/suspend`, owned()))
    expectRefusal(await mint(plane, keys[0]?.api_key ?? ''), 401, 'Project is suspended')
    const killed = { adminSecret: plane.adminSecret, body: { enabled: true } }
    expectOk(await plane.call('POST', `/v1/admin/killswitch/project/${second.id}`, killed))
    const created = await plane.makeProject(tenantId)

    await plane.redis?.restart()
    const store = await createRedisStore({ url: plane.redis?.url ?? '', log: createLog({ level: 'silent' }) })
    try {
      await eventually(() => expectHealed(store, first.id, second.id, created))
    } finally {
      await store.close()
    }
    const mintsAgain = async () => void expectOk(await mint(plane, keys[1]?.api_key ?? ''), 200)
    // The process that told the store has its connection again; another one may count its mints itself a little longer.
    await (processesOfProduct === 1 ? mintsAgain() : eventually(mintsAgain))
  })

  async function expectHealed(store: Store, suspended: string, killed: string, created: { id: string; slug: string }) {
    expect(await store.isSeeded()).toBe(true)
    expect(await store.findConfig(suspended)).toMatchObject({ status: 'suspended' })
    expect(await store.findKillSwitches()).toMatchObject({ projects: [killed] })
    expect(await store.findSlug(created.slug)).toEqual({ projectId: created.id, tenantId })
  }
})

describe('without the database', () => {
  let database: TestServer
  let plane: ManagementHarness
  let project: { id: string }
  let key: { id: string; api_key: string }
  const away = { error: 'Database unavailable', retryable: true }

  beforeAll(async () => {
    database = await startPostgres({ durable: true })
    const databaseUrl = await createDatabase(database.url)
    plane = await startManagement('postgres', { env: { DATABASE_URL: databaseUrl }, own: true })
    project = await plane.makeProject((await plane.makeTenant()).id)
    key = await plane.makeApiKey(project.id)
    expectOk(await mint(plane, key.api_key))
  })
  afterAll(async () => {
    await plane?.stop()
    await database?.stop()
  })

  test('management and mint are 503 and retryable, proofs in memory or not, and go on when it is back', async () => {
    await database.kill()
    const owned = { session: plane.owner.session }
    const admin = { adminSecret: plane.adminSecret, body: { enabled: true } }
    const calls = [
      () => mint(plane, key.api_key),
      () => mint(plane, `service_sk_live_${'0'.repeat(32)}`),
      () => plane.call('GET', `/auth/v1/projects/${project.id}/settings`, owned),
      () => plane.call('POST', `/auth/v1/projects/${project.id}/api-keys`, { ...owned, body: {} }),
      () => plane.call('POST', `/auth/v1/projects/${project.id}/suspend`, owned),
      () => plane.call('POST', '/v1/admin/killswitch/global', admin),
      () => plane.call('GET', '/v1/admin/killswitch/status', { adminSecret: plane.adminSecret }),
    ]
    for (const call of calls) expectRefusal(await call(), 503, away)
    expectRefusal(await mint(plane, 'sk_live_x'), 401, 'Invalid API key format')
    expectRefusal(await plane.call('GET', '/v1/admin/killswitch/status'), 401, 'Invalid admin secret')
    expectOk(await plane.call('GET', '/.well-known/jwks.json'))
    expectOk(await plane.call('GET', '/auth/v1/openapi.json'))

    await database.restart()
    await eventually(async () => expectOk(await mint(plane, key.api_key)))
    const status = await plane.call('GET', '/v1/admin/killswitch/status', { adminSecret: plane.adminSecret })
    expect(expectOk(status)).toEqual({ global: false, tenants: [], projects: [] })
  })
})
