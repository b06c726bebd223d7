// What the mint leaves in the store, read there: the slug, and of a project that was deployed what was deployed, never
// the draft. The worker is kept out, so that only the mint can have written.
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisStore } from '../../../../src/kv/redis/store.ts'
import type { Store } from '../../../../src/kv/store.ts'
import { createLog } from '../../../../src/log/log.ts'
import { type ManagementHarness, startManagement } from '../../../support/management-harness.ts'
import { expectOk, mint } from '../../requests.ts'

const hourSeconds = '3600'

describe('after a mint the store', () => {
  let plane: ManagementHarness
  let store: Store
  let redis: ReturnType<typeof createClient>
  let tenantId: string

  beforeAll(async () => {
    plane = await startManagement('postgres', { env: { SYNC_INTERVAL: hourSeconds }, own: true })
    const url = plane.redis?.url ?? ''
    store = await createRedisStore({ url, log: createLog({ level: 'silent' }) })
    redis = createClient({ url })
    await redis.connect()
    tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  })
  afterAll(async () => {
    await redis?.close()
    await store?.close()
    await plane?.stop()
  })

  const settings = (projectId: string, method: string, suffix: string, body?: unknown) =>
    plane.call(method, `/auth/v1/projects/${projectId}/settings${suffix}`, { session: plane.owner.session, body })
  async function makeProject() {
    const project = await plane.makeProject(tenantId)
    const { api_key } = await plane.makeApiKey(project.id)
    return { ...project, apiKey: api_key }
  }
  const readConfig = async (projectId: string) => {
    const config = await store.findConfig(projectId)
    return config === null ? null : { ...config, body: JSON.parse(config.body) }
  }

  test('knows the slug without an end, and no settings of a project that was never deployed', async () => {
    const project = await makeProject()
    expectOk(await settings(project.id, 'PUT', '', { rpm_limit: 17 }))
    await redis.flushAll()
    expectOk(await mint(plane, project.apiKey))
    expect(await store.findSlug(project.slug)).toEqual({ projectId: project.id, tenantId })
    expect(await redis.ttl(`sallyport:slug:${project.slug}`)).toBe(-1)
    expect(await readConfig(project.id)).toBeNull()
  })

  test('holds what was deployed, not the draft, and as long as before', async () => {
    const project = await makeProject()
    expectOk(await settings(project.id, 'PUT', '', { rpm_limit: 17 }))
    expectOk(await settings(project.id, 'POST', '/deploy'))
    expectOk(await settings(project.id, 'PUT', '', { rpm_limit: 99, system_prompt: 'draft' }))
    const deployed = await readConfig(project.id)
    await redis.flushAll()
    expectOk(await mint(plane, project.apiKey, { user_id: 'u', ttl: 60 }))
    expect(await readConfig(project.id)).toEqual(deployed)
    expect(deployed?.body).toMatchObject({ deployed: true, settings: { rpm_limit: 17, system_prompt: null } })
    expect(await redis.ttl(`sallyport:config:{${project.id}}`)).toBe(-1)
    expect(await store.findSlug(project.slug)).toEqual({ projectId: project.id, tenantId })
  })

  test('is healed by the very next mint, however soon after another', async () => {
    const project = await makeProject()
    expectOk(await settings(project.id, 'POST', '/deploy'))
    for (let round = 0; round < 3; round++) {
      expectOk(await mint(plane, project.apiKey))
      await redis.flushAll()
      expectOk(await mint(plane, project.apiKey))
      expect(await readConfig(project.id)).toMatchObject({ status: 'active' })
    }
  })

  test('is written by a burst of mints too, and keeps the newer revision', async () => {
    const project = await makeProject()
    expectOk(await settings(project.id, 'POST', '/deploy'))
    await redis.flushAll()
    const burst = Array.from({ length: 40 }, () => mint(plane, project.apiKey))
    expectOk(await settings(project.id, 'PUT', '', { rpm_limit: 23 }))
    expectOk(await settings(project.id, 'POST', '/deploy'))
    for (const answer of await Promise.all(burst)) expectOk(answer)
    expect((await readConfig(project.id))?.body.settings).toMatchObject({ rpm_limit: 23 })
  })
})
