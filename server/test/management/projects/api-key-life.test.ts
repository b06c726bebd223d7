// Tests what lists say of an API key's life, with a clock: when it was used, to the minute and with one write, and when
// it expires.
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createApiKeyFinder } from '../../../src/management/plane/mint-credential.ts'
import { type InProcess, inProcessOwner, startInProcess } from '../../support/management-in-process.ts'
import { createDatabase } from '../../support/postgres.ts'

const databases = {
  sqlite: async () => ({}),
  postgres: async () => ({ databaseUrl: await createDatabase(inject('postgresUrl')) }),
}
const minuteMs = 60_000
const dayMs = 86_400_000

async function open(database: keyof typeof databases) {
  const plane = await startInProcess({}, await databases[database]())
  onTestFinished(() => plane.stop())
  const token = await plane.signIn()
  const tenant = await plane.call('POST', '/auth/v1/tenants', { token, body: { name: 'Acme' } })
  const projects = `/auth/v1/tenants/${tenant.body['id']}/projects`
  const { body: project } = await plane.call('POST', projects, { token, body: { name: 'Chat' } })
  return { plane, path: `/auth/v1/projects/${project['id']}/api-keys` }
}

interface Listed {
  id: string
  hint: string | null
  last_used_at: string | null
  expires_at: string | null
  replaced_by: string | null
  created_by: string | null
}

/** Sessions end while days pass. */
async function list(plane: InProcess, path: string): Promise<Listed[]> {
  return (await plane.call('GET', path, { token: await plane.signIn() })).body as unknown as Listed[]
}

async function create(plane: InProcess, path: string, body: object = {}) {
  const created = await plane.call('POST', path, { token: await plane.signIn(), body })
  expect(created.status).toBe(201)
  return created.body as { id: string; api_key: string }
}

const mint = (plane: InProcess, apiKey: string) =>
  plane.call('POST', '/auth/v1/auth/mint', { token: apiKey, body: { user_id: 'alice' } })

describe.each(['sqlite', 'postgres'] as const)('on %s', database => {
  test('a list has the last characters, the creator, and the minute of the last use', async () => {
    const { plane, path } = await open(database)
    const { api_key: apiKey } = await create(plane, path)
    const [unused] = await list(plane, path)
    const created = { hint: apiKey.slice(-4), created_by: inProcessOwner.email, expires_at: null }
    expect(unused).toMatchObject({ ...created, last_used_at: null })
    const minuteOf = (millis: number) => new Date(millis - (millis % minuteMs)).toISOString()
    expect((await mint(plane, apiKey)).status).toBe(200)
    expect((await list(plane, path))[0]?.last_used_at).toBe(minuteOf(plane.clock.now()))
    plane.clock.advance(minuteMs)
    expect((await mint(plane, apiKey)).status).toBe(200)
    expect((await list(plane, path))[0]?.last_used_at).toBe(minuteOf(plane.clock.now()))
  })

  test('a minute of uses is one write, whichever process is asked', async () => {
    const { plane, path } = await open(database)
    const { api_key: apiKey, id } = await create(plane, path)
    const { sql } = plane.management
    let writes = 0
    const counted = sql.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'UpdateQueryNode') writes++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const processes = [0, 1].map(() => createApiKeyFinder({ ...plane.management, sql: counted }))
    for (const find of [...processes, ...processes]) expect((await find(`Bearer ${apiKey}`, null)).keyId).toBe(id)
    expect(writes).toBe(1)
    const [first] = processes
    // What was read before the write of another request of this process.
    await sql.updateTable('api_keys').set({ last_used_at: null }).where('id', '=', id).execute()
    await first?.(`Bearer ${apiKey}`, null)
    expect(writes).toBe(1)
    plane.clock.advance(minuteMs)
    await first?.(`Bearer ${apiKey}`, null)
    expect(writes).toBe(2)
  })

  test('an expired key mints nothing, and its successor lives as long as it should have', async () => {
    const { plane, path } = await open(database)
    const expires_at = new Date(plane.clock.now() + dayMs).toISOString()
    const { api_key: apiKey, id } = await create(plane, path, { expires_at })
    expect((await list(plane, path))[0]?.expires_at).toBe(expires_at)
    plane.clock.advance(dayMs - 1_000)
    expect((await mint(plane, apiKey)).status).toBe(200)
    plane.clock.advance(1_000)
    expect(await mint(plane, apiKey)).toMatchObject({ status: 401, body: { error: 'API key expired' } })
    const rotated = await plane.call('POST', `${path}/${id}/rotate`, { token: await plane.signIn() })
    expect((await mint(plane, String(rotated.body['api_key']))).status).toBe(200)
    const [fresh] = await list(plane, path)
    const left = Date.parse(fresh?.expires_at ?? '') - plane.clock.now()
    expect(left).toBeGreaterThan(dayMs - minuteMs)
    expect(left).toBeLessThanOrEqual(dayMs)
  })

  test.each([
    ['without an end', null],
    ['that ends later', 2 * dayMs],
  ])('with an overlap, the old key %s works until it is over', async (_what, lastsMs) => {
    const { plane, path } = await open(database)
    const rotate = async (id: string, body: object) =>
      await plane.call('POST', `${path}/${id}/rotate`, { token: await plane.signIn(), body })
    const expires_at = lastsMs === null ? null : new Date(plane.clock.now() + lastsMs).toISOString()
    const old = await create(plane, path, { expires_at })
    const rotated = await rotate(old.id, { overlap_seconds: 3600 })
    expect(rotated.status).toBe(200)
    const fresh = String(rotated.body['api_key'])
    const until = new Date(plane.clock.now() + 3600_000).toISOString()
    const listed = new Map((await list(plane, path)).map(key => [key.id, key]))
    expect(listed.get(old.id)).toMatchObject({ replaced_by: rotated.body['id'], expires_at: until })
    expect(listed.get(String(rotated.body['id']))).toMatchObject({ replaced_by: null })
    plane.clock.advance(3600_000 - minuteMs)
    expect([(await mint(plane, old.api_key)).status, (await mint(plane, fresh)).status]).toEqual([200, 200])
    plane.clock.advance(minuteMs)
    expect(await mint(plane, old.api_key)).toMatchObject({ status: 401, body: { error: 'API key expired' } })
    expect((await mint(plane, fresh)).status).toBe(200)
  })

  test('an overlap lengthens no key, and is at most a week', async () => {
    const { plane, path } = await open(database)
    const token = await plane.signIn()
    const old = await create(plane, path, { expires_at: new Date(plane.clock.now() + minuteMs).toISOString() })
    const rotate = (body: object) => plane.call('POST', `${path}/${old.id}/rotate`, { token, body })
    for (const overlap_seconds of [-1, 604_801, 0.5, 'a day']) {
      expect(await rotate({ overlap_seconds })).toMatchObject({
        status: 400,
        body: { error: 'overlap_seconds must be an integer 0-604800' },
      })
    }
    expect((await rotate({ overlap_seconds: 604_800 })).status).toBe(200)
    plane.clock.advance(minuteMs)
    expect(await mint(plane, old.api_key)).toMatchObject({ status: 401, body: { error: 'API key expired' } })
  })

  test('the end must be a time to come', async () => {
    const { plane, path } = await open(database)
    const token = await plane.signIn()
    for (const expires_at of [new Date(plane.clock.now()).toISOString(), 'tomorrow', 5, '2020-01-01']) {
      expect(await plane.call('POST', path, { token, body: { expires_at } })).toMatchObject({
        status: 400,
        body: { error: 'expires_at must be an ISO 8601 time in the future' },
      })
    }
    expect(await list(plane, path)).toEqual([])
  })
})
