// The worker's fetching of tenants' key sets: what is stored and pushed, what never replaces it, and that nobody's slow
// or hostile server stands in another's way. On both databases and both stores.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { readKeySet } from '../../src/crypto/keys/key-set.ts'
import { type Store, StoreUnavailable } from '../../src/kv/store.ts'
import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { type Database, openDatabase } from '../../src/storage/open-database.ts'
import { keySetRevision, raiseRevision } from '../../src/storage/projections.ts'
import { transact } from '../../src/storage/transact.ts'
import { syncKeySets } from '../../src/worker/sync-key-sets.ts'
import { syncStores } from '../../src/worker/sync-stores.ts'
import { keySetText, makeKey } from '../crypto/token-kit.ts'
import { createHandClock, createMemoryLog, openProcessStore, openRedisStore } from '../kv/stores.ts'
import { createDatabase } from '../support/postgres.ts'
import { type KeySetServer, startKeySetServer } from '../support/simulated/key-set-server.ts'
import { roomFor } from '../support/slowness.ts'

const cycleMs = 15_000
const ownKids = new Set(['default'])
const [first, second] = [makeKey('first'), makeKey('second', 'ES256')]

describe.each(['sqlite', 'postgres'] as const)('syncing key sets on %s', backend => {
  const clock = createHandClock(Date.now())
  const { log, lines } = createMemoryLog()
  const openStore = () => (backend === 'sqlite' ? openProcessStore : openRedisStore(inject('redisUrl')))({ clock })
  let dataDir: string
  let database: Database
  let outbound: Outbound
  let kv: Store

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'sallyport-worker-'))
    const databaseUrl = backend === 'sqlite' ? null : await createDatabase(inject('postgresUrl'))
    database = await openDatabase({ databaseUrl, dataDir, log, now: clock.now })
    outbound = createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log })
  })
  afterAll(async () => {
    await outbound.close()
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await database.sql.deleteFrom('identity_providers').execute()
    lines.length = 0
    const store = await openStore()
    kv = store
    onTestFinished(() => store.close())
  })

  const world = (store = kv) => ({ sql: database.sql, kv: store, outbound, now: clock.now, log })
  const never = new AbortController().signal

  /** One cycle of a worker of its own: due at once, whatever ran before. */
  const cycle = (store?: Store) => syncKeySets(cycleMs, ownKids).run(world(store), never)

  async function serve(text: string): Promise<KeySetServer> {
    const server = await startKeySetServer(text)
    onTestFinished(() => server.stop())
    return server
  }

  async function makeProject(tenantId: string = randomUUID()): Promise<{ id: string; tenantId: string }> {
    const { sql } = database
    const id = randomUUID()
    const tenant = { id: tenantId, name: 'T', plan: 'free' as const, provider_keys_revision: 0, created_at: 0 }
    await sql
      .insertInto('tenants')
      .values(tenant)
      .onConflict(conflict => conflict.doNothing())
      .execute()
    const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
    const project = { id, tenant_id: tenantId, name: 'P', slug: id, status: 'active' as const, created_at: 0, ...dns }
    await sql.insertInto('projects').values(project).execute()
    return { id, tenantId }
  }

  async function makeProvider(jwksUrl: string, tenantId?: string): Promise<string> {
    const { id } = await makeProject(tenantId)
    await setProvider(id, jwksUrl)
    return id
  }

  async function setProvider(projectId: string, jwksUrl: string): Promise<void> {
    const row = { jwks_url: jwksUrl, key_set: null, last_synced_at: null, last_error: null, updated_at: 0 }
    const rules = { issuer: 'i', audience: 'a', user_id_claim: 'sub', tier_claim: null, created_at: 0 }
    await transact(database.sql, async trx => {
      const revision = await raiseRevision(trx, keySetRevision(projectId))
      await trx
        .insertInto('identity_providers')
        .values({ project_id: projectId, revision, ...row, ...rules })
        .onConflict(conflict => conflict.column('project_id').doUpdateSet({ ...row, revision }))
        .execute()
    })
  }

  async function removeProvider(projectId: string): Promise<void> {
    await transact(database.sql, async trx => {
      await raiseRevision(trx, keySetRevision(projectId))
      await trx.deleteFrom('identity_providers').where('project_id', '=', projectId).execute()
    })
  }

  const rowOf = (projectId: string) =>
    database.sql
      .selectFrom('identity_providers')
      .select(['key_set', 'last_synced_at', 'last_error'])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow()

  async function kidsInStore(projectId: string, store = kv): Promise<string[] | null> {
    const body = (await store.findKeySet(projectId))?.body ?? ''
    if (body === '') return null
    const keySet = readKeySet(body, { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: ownKids })
    if (typeof keySet === 'string') throw new Error(keySet)
    return [...keySet.keys.keys()]
  }

  test('stores and pushes a set with the address that it came from', async () => {
    const server = await serve(keySetText(second, first))
    const id = await makeProvider(server.url)
    await cycle()
    expect(await rowOf(id)).toMatchObject({ last_synced_at: clock.now(), last_error: null })
    expect(await kidsInStore(id)).toEqual(['first', 'second'])
    const pushed = await kv.findKeySet(id)
    expect(JSON.parse(pushed?.body ?? '')).toMatchObject({ jwks_url: server.url })
  })

  test('raises the revision with another set only, not with another order or other fields', async () => {
    const server = await serve(keySetText(first, second))
    const id = await makeProvider(server.url)
    await cycle()
    const before = (await kv.findKeySet(id))?.revision ?? 0
    server.answer(JSON.stringify({ keys: [{ ...second.jwk, x5t: 'x' }, first.jwk], note: 'unread' }))
    clock.advance(1000)
    await cycle()
    expect((await kv.findKeySet(id))?.revision).toBe(before)
    expect((await rowOf(id)).last_synced_at).toBe(clock.now())
    server.answer(keySetText(second))
    await cycle()
    expect((await kv.findKeySet(id))?.revision).toBe(before + 1)
    expect(await kidsInStore(id)).toEqual(['second'])
  })

  const jwk = first.jwk
  const tooMany = Array.from({ length: 51 }, (_, index) => ({ ...jwk, kid: `k${index}` }))
  test.each<[string, string | ((response: ServerResponse) => void), string]>([
    ['no JSON', '<html>', 'The response is not a key set'],
    ['no keys', '{}', 'The response is not a key set'],
    ['an empty set', '{"keys":[]}', 'The key set has no usable key'],
    ['keys for encryption', JSON.stringify({ keys: [{ ...jwk, use: 'enc' }] }), 'The key set has no usable key'],
    [
      'a symmetric key',
      JSON.stringify({ keys: [jwk, { kty: 'oct', k: 'eA', kid: 's' }] }),
      'The key set has a symmetric key',
    ],
    ['a private key', JSON.stringify({ keys: [{ ...jwk, d: 'eA' }] }), 'The key set has a private key'],
    ['a kid twice', keySetText(first, first), 'The key set uses a kid twice'],
    ['our own kid', keySetText(makeKey('default')), 'The key set uses a kid that is reserved'],
    ['a weak key', keySetText(makeKey('weak', 'RS256', 1024)), 'The response is not a key set'],
    ['51 keys', JSON.stringify({ keys: tooMany }), 'The key set has more than 50 keys'],
    ['257 KiB', JSON.stringify({ keys: [jwk], pad: 'x'.repeat(257 * 1024) }), 'The response is larger than 256 KiB'],
    [
      'a redirect',
      response => response.writeHead(302, { location: '/' }).end(),
      'The address redirects; redirects are not followed',
    ],
    ['an error', response => response.writeHead(500).end('secret words'), 'The address responded with status 500'],
    ['a broken connection', response => response.destroy(), 'The address could not be reached'],
  ])('keeps the last good set in place of %s', async (_case, answer, words) => {
    const server = await serve(keySetText(first))
    const id = await makeProvider(server.url)
    await cycle()
    const syncedAt = clock.now()
    const good = await kv.findKeySet(id)
    server.answer(answer)
    clock.advance(cycleMs)
    await cycle()
    expect(await rowOf(id)).toMatchObject({ last_synced_at: syncedAt, last_error: words })
    expect(await kv.findKeySet(id)).toEqual(good)
    server.answer(keySetText(second))
    await cycle()
    expect(await rowOf(id)).toMatchObject({ last_error: null })
    expect(await kidsInStore(id)).toEqual(['second'])
  })

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/keys',
    'https://localhost:8443/keys',
    'http://127.0.0.2:9/keys',
    'https://no-such-name.invalid/keys',
  ])('says of %s only that it could not be reached', async url => {
    const id = await makeProvider(url)
    await cycle()
    expect(await rowOf(id)).toEqual({
      key_set: null,
      last_synced_at: null,
      last_error: 'The address could not be reached',
    })
    expect(await kv.findKeySet(id)).toBeNull()
  })

  test('fills a store that was emptied, also where the provider fails or is gone', async () => {
    const server = await serve(keySetText(first))
    const [kept, removed] = [await makeProvider(server.url), await makeProvider(server.url)]
    await cycle()
    await removeProvider(removed)
    server.answer(response => response.destroy())
    const emptied = await openStore()
    onTestFinished(() => emptied.close())
    await syncStores(cycleMs).run(world(emptied), never)
    expect(await kidsInStore(kept, emptied)).toEqual(['first'])
    expect(await emptied.findKeySet(removed)).toEqual({ revision: 3, body: '' })
  })

  test('never brings back an old set after the provider was deleted and made again', async () => {
    const server = await serve(keySetText(first))
    const id = await makeProvider(server.url)
    await cycle()
    const old = await kv.findKeySet(id)
    await removeProvider(id)
    await setProvider(id, `${server.url}2`)
    await syncStores(cycleMs).run(world(), never)
    expect(await kidsInStore(id)).toBeNull()
    expect(await kv.putKeySet(id, { revision: old?.revision ?? 0, body: old?.body ?? '' })).toBe('older')
    server.answer(keySetText(second))
    await cycle()
    expect(await kidsInStore(id)).toEqual(['second'])
  })

  test('drops what comes from an address that was left meanwhile', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<ServerResponse>()
    const [slow, fast] = [await serve(''), await serve(keySetText(second))]
    slow.answer(response => ask(response))
    const id = await makeProvider(slow.url)
    const running = cycle()
    const response = await asked
    await setProvider(id, fast.url)
    response.end(keySetText(first))
    await running
    expect((await rowOf(id)).key_set).toBeNull()
    await cycle()
    expect(await kidsInStore(id)).toEqual(['second'])
  })

  test('is not held up by forty servers that never answer', async () => {
    const silent = await serve('')
    silent.answer(() => undefined)
    const failing = await Promise.all(Array.from({ length: 40 }, (_, index) => makeProvider(`${silent.url}/${index}`)))
    await database.sql
      .updateTable('identity_providers')
      .set({ last_error: 'slow' })
      .where('project_id', 'in', failing)
      .execute()
    const sound = await serve(keySetText(first))
    const id = await makeProvider(sound.url)
    const startedAt = performance.now()
    const running = syncKeySets(3000, ownKids).run(world(), never)
    await expect.poll(() => kidsInStore(id), { interval: 50 }).toEqual(['first'])
    clock.advance(2001)
    await running
    expect(performance.now() - startedAt).toBeLessThan(roomFor(4_500))
    expect(silent.requests()).toBeLessThanOrEqual(8)
  })

  test('asks once a cycle, once for all projects of a tenant, and a new address at once', async () => {
    const server = await serve(keySetText(first))
    const { tenantId, id } = await makeProject()
    await setProvider(id, server.url)
    await makeProvider(server.url, tenantId)
    const job = syncKeySets(cycleMs, ownKids)
    for (let turn = 0; turn < 3; turn++) {
      await job.run(world(), never)
      clock.advance(job.everyMs / 4)
    }
    expect(server.requests()).toBe(1)
    await setProvider(id, `${server.url}/new`)
    await job.run(world(), never)
    expect(server.requests()).toBe(2)
    expect(await kidsInStore(id)).toEqual(['first'])
    clock.advance(cycleMs)
    await job.run(world(), never)
    expect(server.requests()).toBe(4)
  })

  test('leaves suspended projects alone', async () => {
    const server = await serve(keySetText(first))
    const id = await makeProvider(server.url)
    await database.sql.updateTable('projects').set({ status: 'suspended' }).where('id', '=', id).execute()
    await cycle()
    expect(server.requests()).toBe(0)
  })

  test('ends at once and blames nobody when it must stop', async () => {
    const silent = await serve('')
    silent.answer(() => undefined)
    const id = await makeProvider(silent.url)
    const ending = new AbortController()
    const running = syncKeySets(cycleMs, ownKids).run(world(), ending.signal)
    await expect.poll(() => silent.requests()).toBe(1)
    ending.abort()
    await running
    expect((await rowOf(id)).last_error).toBeNull()
  })

  test('keeps what it fetched while the store is away', async () => {
    const server = await serve(keySetText(first))
    const id = await makeProvider(server.url)
    const away: Store = { ...kv, putKeySet: () => Promise.reject(new StoreUnavailable()) }
    await cycle(away)
    expect((await rowOf(id)).last_synced_at).toBe(clock.now())
    await syncStores(cycleMs).run(world(), never)
    expect(await kidsInStore(id)).toEqual(['first'])
  })
})
