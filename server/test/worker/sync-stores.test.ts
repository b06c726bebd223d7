// The sync cycle over many projects, from PostgreSQL into Redis: complete, in time, and right while projects are made.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { createClient } from 'redis'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createRedisStore } from '../../src/kv/redis/store.ts'
import type { Store } from '../../src/kv/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import type { WorkerDependencies } from '../../src/worker/job.ts'
import { syncStores } from '../../src/worker/sync-stores.ts'
import { createMemoryLog, newPrefix } from '../kv/stores.ts'
import { createDatabase } from '../support/postgres.ts'
import { roomFor } from '../support/slowness.ts'

const count = inject('prove') ? 10_000 : 1_000
const body = JSON.stringify({ version: 1, system_prompt: 'x'.repeat(2_000) })
const tenantId = randomUUID()
const job = syncStores(15_000)
const { log } = createMemoryLog()

let sql: Kysely<Schema>

function slugOf(projectId: string): string {
  return `amber-falcon-${projectId}`
}

async function makeProjects(ids: string[]): Promise<void> {
  for (let first = 0; first < ids.length; first += 500) {
    const some = ids.slice(first, first + 500)
    const fixed = { tenant_id: tenantId, name: 'Project', status: 'active' as const, created_at: 1 }
    const dns = { dns_status: 'READY' as const, dns_last_error: null, dns_updated_at: null }
    await sql
      .insertInto('projects')
      .values(some.map(id => ({ ...fixed, ...dns, id, slug: slugOf(id) })))
      .execute()
    await sql
      .insertInto('live_configs')
      .values(some.map(id => ({ project_id: id, revision: 3, body, updated_at: 1 })))
      .execute()
  }
}

const projectIds = Array.from({ length: count }, () => randomUUID())

beforeAll(async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const database = await openDatabase({ databaseUrl, dataDir: '', log, now: Date.now })
  sql = database.sql
  const tenant = { id: tenantId, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 2, created_at: 1 }
  await sql.insertInto('tenants').values(tenant).execute()
  await makeProjects(projectIds)
  await sql.insertInto('revisions').values({ name: 'kill-switches', revision: 7 }).execute()
  await sql
    .insertInto('kill_switches')
    .values({ scope: 'tenant', target_id: tenantId, enabled: 1, updated_at: 1 })
    .execute()
  return () => database.close()
})

const prefixes = new WeakMap<Store, string>()

async function openStore(): Promise<Store> {
  const keyPrefix = newPrefix()
  const store = await createRedisStore({ url: inject('redisUrl'), log, keyPrefix, commandTimeoutMs: 15_000 })
  prefixes.set(store, keyPrefix)
  return store
}

/** As FLUSHALL would, but for this store alone. */
async function empty(store: Store): Promise<void> {
  const redis = createClient({ url: inject('redisUrl') })
  await redis.connect()
  for (const key of await redis.keys(`${prefixes.get(store)}*`)) await redis.del(key)
  redis.destroy()
}

function worldOf(kv: Store): WorkerDependencies {
  return { sql, kv, outbound: createOutbound({ allow: parseOutboundAllow(''), log }), now: Date.now, log }
}

/** Counts what is written, so that a gap or a duplicate shows. */
function counting(store: Store, onPage: () => Promise<void> = async () => undefined) {
  const slugs: string[] = []
  const configs: string[] = []
  let seeded = 0
  const kv: Store = {
    ...store,
    putSlugs: async entries => {
      slugs.push(...entries.map(entry => entry.projectId))
      await store.putSlugs(entries)
    },
    putConfigs: async entries => {
      configs.push(...entries.map(entry => entry.projectId))
      const outcomes = await store.putConfigs(entries)
      await onPage()
      return outcomes
    },
    markSeeded: async filling => {
      seeded++
      return store.markSeeded(filling)
    },
  }
  return { kv, slugs, configs, seeded: () => seeded }
}

describe(`a cycle over ${count} projects`, () => {
  test('fills an empty Redis within ten seconds, each project once', async () => {
    const store = await openStore()
    const { kv, slugs, configs } = counting(store)
    const begun = performance.now()
    await job.run(worldOf(kv), new AbortController().signal)
    const tookMs = performance.now() - begun
    console.info(`${count} projects in ${tookMs.toFixed(0)} ms`)
    expect(tookMs).toBeLessThan(roomFor(10_000))
    expect(configs.toSorted()).toEqual(projectIds.toSorted())
    expect(slugs.toSorted()).toEqual(projectIds.toSorted())
    expect(await store.isSeeded()).toBe(true)
    expect(await store.findKillSwitches()).toEqual({ global: false, tenants: [tenantId], projects: [], revision: 7 })
    expect(await store.findProviderKeys(tenantId)).toEqual({ revision: 2, body: '{}' })
    const last = projectIds.at(-1) ?? ''
    expect(await store.findConfig(last)).toEqual({ revision: 3, status: 'active', body })
    expect(await store.findSlug(slugOf(last))).toEqual({ projectId: last, tenantId })
    await store.close()
  })

  test('misses none and doubles none while projects are made', async () => {
    const store = await openStore()
    const made: string[] = []
    const { kv, configs } = counting(store, async () => {
      const ids = Array.from({ length: 10 }, () => randomUUID())
      made.push(...ids)
      await makeProjects(ids)
    })
    await job.run(worldOf(kv), new AbortController().signal)
    const written = new Set(configs)
    expect(written.size).toBe(configs.length)
    expect(projectIds.filter(id => !written.has(id))).toEqual([])
    expect(made.length).toBeGreaterThan(0)
    // Those that sorted before the place of the walk come with the next cycle.
    await job.run(worldOf(store), new AbortController().signal)
    for (const id of made) expect(await store.findConfig(id)).toMatchObject({ revision: 3 })
    await store.close()
  })

  test('never takes a newer push back, and heals an older or damaged one', async () => {
    const store = await openStore()
    const [newer = '', older = ''] = projectIds
    await store.putConfig(newer, { revision: 4, status: 'suspended', body: 'newer' })
    await store.putConfig(older, { revision: 2, status: 'suspended', body: 'older' })
    await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 8)
    await job.run(worldOf(store), new AbortController().signal)
    expect(await store.findConfig(newer)).toEqual({ revision: 4, status: 'suspended', body: 'newer' })
    expect(await store.findConfig(older)).toEqual({ revision: 3, status: 'active', body })
    expect(await store.findKillSwitches()).toMatchObject({ global: true, revision: 8 })
    await store.close()
  })

  test.each([
    ['the first', false],
    ['a later', true],
  ])('in %s of which the store is emptied does not say that it is whole; the next fills it', async (_, isLater) => {
    const store = await openStore()
    if (isLater) await job.run(worldOf(store), new AbortController().signal)
    const kv: Store = {
      ...store,
      markSeeded: async filling => {
        await empty(store)
        // Somebody sets a switch just then.
        await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 9)
        return store.markSeeded(filling)
      },
    }
    await expect(job.run(worldOf(kv), new AbortController().signal)).rejects.toThrow('emptied during the cycle')
    expect(await store.isSeeded()).toBe(false)
    await job.run(worldOf(store), new AbortController().signal)
    expect(await store.isSeeded()).toBe(true)
    expect(await store.findProviderKeys(tenantId)).toEqual({ revision: 2, body: '{}' })
    await store.close()
  })

  test('that is cut short does not say that the store is whole', async () => {
    const store = await openStore()
    const ending = new AbortController()
    const { kv, configs, seeded } = counting(store, async () => ending.abort())
    await job.run(worldOf(kv), ending.signal)
    expect(configs.length).toBeLessThan(count)
    expect(seeded()).toBe(0)
    expect(await store.isSeeded()).toBe(false)
    await store.close()
  })
})
