// Tests reads of provider keys while the store is emptied and filled again, or unavailable together with the database:
// in no order of events is a tenant with keys treated as one without.
import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { createTenantKeys } from '../../../src/inference/target/tenant-keys.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import type { Store } from '../../../src/kv/store.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { getProjectedProviderKeys } from '../../../src/storage/projections.ts'
import { createHandClock, createMemoryLog, newPrefix } from '../../kv/stores.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'
import { type BreakableProxy, startProxy } from '../../support/simulated/breakable-proxy.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const tenantId = '6f1f5a0e-7f0b-4b0e-9d0a-0d8f3f0b7a11'
const secretBox = createSecretBox({ current: randomBytes(32), previous: [] })
const seal = (key: string) =>
  secretBox.seal(key, { purpose: 'provider-key', tenantId, rowId: 'row', bound: ['openai', ''] })
const bodyOf = (ciphertext: string) => JSON.stringify({ openai: { id: 'row', ciphertext, base_url_override: null } })
const body = bodyOf(seal('sk-stored'))

/** Runs one step after each read of the store, before its result is used. */
async function hasKey(
  happenings: ((store: Store) => Promise<unknown>)[],
  atFirst?: (store: Store) => Promise<unknown>,
) {
  const { log } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  const { sql, close } = await openMigrated()
  onTestFinished(async () => {
    await store.close()
    await close()
  })
  await atFirst?.(store)
  const between = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const known = await answer
    await happenings.shift()?.(store)
    return known
  }
  const kv = {
    findProviderKeys: (id: string) => between(store.findProviderKeys(id)),
    isSeeded: () => between(store.isSeeded()),
    subscribe: store.subscribe,
  }
  const finder = createTenantKeys({ kv, sql, secretBox, now: Date.now, log })
  onTestFinished(() => finder.stop())
  return (await finder.get(tenantId)).has('openai')
}

const fill = async (store: Store) => {
  await store.putProviderKeys(tenantId, { body, revision: 1 })
  await store.markSeeded(await store.startFilling())
}

test('a store that is filled just after it was asked for the keys', async () => {
  expect(await hasKey([fill])).toBe(true)
})

test('a store that is filled just after it said that it is not whole: the database is asked', async () => {
  // The database has no such tenant.
  await expect(hasKey([async () => undefined, fill])).rejects.toThrow('the tenant does not exist')
})

test('a store that is whole and knows of none', async () => {
  expect(await hasKey([], async store => store.markSeeded(await store.startFilling()))).toBe(false)
})

async function openFinder(hears: boolean) {
  const { log, lines } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  const database = await openMigrated()
  const clock = createHandClock(1_000_000)
  const kv = {
    findProviderKeys: (id: string) => store.findProviderKeys(id),
    isSeeded: () => store.isSeeded(),
    subscribe: hears ? store.subscribe : () => () => undefined,
  }
  const finder = createTenantKeys({ kv, sql: database.sql, secretBox, now: clock.now, log })
  onTestFinished(async () => {
    finder.stop()
    await store.close()
  })
  return { store, database, lines, clock, finder, hasKeyNow: async () => (await finder.get(tenantId)).has('openai') }
}
const empty = { body: '{}', revision: 2 }

test('a reading that failed is no answer to those who come after', async () => {
  const { store, hasKeyNow } = await openFinder(false)
  await expect(hasKeyNow()).rejects.toThrow('the tenant does not exist')
  await fill(store)
  expect(await hasKeyNow()).toBe(true)
})

test('a key that was taken away is gone within a second, where nobody tells of it', async () => {
  const { store, clock, hasKeyNow } = await openFinder(false)
  await fill(store)
  expect(await hasKeyNow()).toBe(true)
  await store.putProviderKeys(tenantId, empty)
  clock.advance(1_000)
  expect(await hasKeyNow()).toBe(false)
})

test('and at once where the store tells of it', async () => {
  const { store, hasKeyNow } = await openFinder(true)
  await fill(store)
  expect(await hasKeyNow()).toBe(true)
  await store.putProviderKeys(tenantId, empty)
  await expect.poll(hasKeyNow).toBe(false)
})

test('an opened key that nobody asks for again is let go of', async () => {
  const { store, clock, finder } = await openFinder(false)
  await fill(store)
  const opened = new WeakRef(await finder.get(tenantId))
  clock.advance(1_000)
  const isGone = () => {
    collectGarbage()
    return opened.deref() === undefined
  }
  await expect.poll(isGone).toBe(true)
})

test.each(['', '{', '[]', 'null', '{"openai":5}', '{"openai":{"id":"row","base_url_override":null}}'])(
  'keys that lie damaged in the store, %j, are the database\u2019s to tell',
  async damaged => {
    const { store, database, lines, hasKeyNow } = await openFinder(false)
    await store.putProviderKeys(tenantId, { body: damaged, revision: 1 })
    await store.markSeeded(await store.startFilling())
    await expect(hasKeyNow()).rejects.toThrow('the tenant does not exist')
    await insertKey(database, seal('sk-of-the-row'))
    expect(await hasKeyNow()).toBe(true)
    expect(lines).toEqual([damagedInStore])
  },
)

const damagedInStore = {
  level: 'error',
  event: 'document in the store is corrupt',
  fields: { reason: 'provider-keys', tenant_id: tenantId, count: 1 },
}
/** Changes one letter; the form stays valid. */
const damage = (ciphertext: string) => ciphertext.replace(/.(?=.{30}$)/, letter => (letter === 'A' ? 'B' : 'A'))

describe('a key whose ciphertext is damaged', () => {
  test('in the store is the database\u2019s to tell, with those beside it', async () => {
    const { store, database, clock, lines, finder } = await openFinder(false)
    await insertKey(database, seal('sk-of-the-row'))
    await store.putProviderKeys(tenantId, { body: bodyOf(damage(seal('sk-stored'))), revision: 1 })
    await store.markSeeded(await store.startFilling())
    for (let second = 0; second < 3; second++) {
      expect((await finder.get(tenantId)).open('openai').credential).toBe('sk-of-the-row')
      clock.advance(1_000)
    }
    expect(lines).toEqual([damagedInStore])
    await store.putProviderKeys(tenantId, { body: bodyOf(seal('sk-healed')), revision: 1 })
    expect((await finder.get(tenantId)).open('openai').credential).toBe('sk-healed')
  })

  test('in the database, too, is refused and told once, whoever asks; the tenant\u2019s other keys serve', async () => {
    const { store, database, clock, lines, finder } = await openFinder(false)
    const damaged = damage(seal('sk-lost'))
    await insertKey(database, damaged)
    const whole = secretBox.seal('sk-other', { purpose: 'provider-key', tenantId, rowId: 'two', bound: ['cohere', ''] })
    await insertKey(database, whole, { id: 'two', provider_type: 'cohere' })
    await store.putProviderKeys(tenantId, await getProjectedProviderKeys(database.sql, tenantId))
    await store.markSeeded(await store.startFilling())
    for (let second = 0; second < 3; second++) {
      const keys = await finder.get(tenantId)
      expect(keys.has('openai')).toBe(true)
      for (let request = 0; request < 3; request++) {
        expect(() => keys.open('openai')).toThrow(expect.objectContaining({ code: 'provider_key_unreadable' }))
      }
      expect(keys.open('cohere').credential).toBe('sk-other')
      clock.advance(1_000)
    }
    const fields = { tenant_id: tenantId, provider: 'openai', reason: 'not_authentic', count: 1 }
    expect(lines).toEqual([{ level: 'error', event: 'provider key cannot be decrypted', fields }])
  })
})

async function insertKey({ sql }: Database, ciphertext: string, others: object = {}): Promise<void> {
  await sql
    .insertInto('tenants')
    .values({ id: tenantId, name: 'Tenant', plan: 'pro', provider_keys_revision: 1, created_at: 1 })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await sql
    .insertInto('provider_keys')
    .values({
      id: 'row',
      tenant_id: tenantId,
      provider_type: 'openai',
      ciphertext,
      base_url_override: null,
      key_last4: 'nown',
      key_set_at: 1,
      ...others,
    })
    .execute()
}

/** Opens the connections of one replica to both servers through proxies, which a test can cut. */
async function openBehindProxies() {
  const { log } = createMemoryLog()
  const clock = createHandClock(1_000_000)
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const database = await openDistributed(databaseUrl)
  const ways = {
    database: await startProxy(Number(new URL(databaseUrl).port)),
    store: await startProxy(Number(new URL(inject('redisUrl')).port)),
  }
  const throughPort = (url: string, { port }: BreakableProxy): string =>
    Object.assign(new URL(url), { port: String(port) }).href
  const own = await openDistributed(throughPort(databaseUrl, ways.database), { log })
  const kv = await createRedisStore({
    url: throughPort(inject('redisUrl'), ways.store),
    log,
    clock: clock.now,
    keyPrefix: newPrefix(),
  })
  const finder = createTenantKeys({ kv, sql: own.sql, secretBox, now: clock.now, log })
  onTestFinished(async () => {
    finder.stop()
    await kv.close()
  })
  await insertKey(database, seal('sk-last-known'))
  return {
    kv,
    ways,
    finder,
    database,
    clock,
    cutBoth() {
      ways.database.cut()
      ways.store.cut()
    },
    mendDatabase: ways.database.mend,
    async deleteKey() {
      await database.sql.deleteFrom('provider_keys').execute()
      await database.sql.updateTable('tenants').set({ provider_keys_revision: 2 }).execute()
    },
    async deleteTenant() {
      await database.sql.deleteFrom('provider_keys').execute()
      await database.sql.deleteFrom('tenants').execute()
    },
    /** Reads the key again: the clock advances, so that the cached one has expired. */
    async keyNow() {
      clock.advance(1_000)
      const keys = await finder.get(tenantId)
      return keys.has('openai') ? keys.open('openai').credential : null
    },
  }
}
const known = 'sk-last-known'
const away = 'Database unavailable'

describe('store and database away', () => {
  test('the key known last goes on for an hour', async () => {
    const { clock, cutBoth, mendDatabase, keyNow } = await openBehindProxies()
    expect(await keyNow()).toBe(known)
    cutBoth()
    for (let second = 0; second < 3; second++) expect(await keyNow()).toBe(known)
    clock.advance(59 * 60_000)
    expect(await keyNow()).toBe(known)
    clock.advance(60_000)
    await expect(keyNow()).rejects.toThrow(away)
    mendDatabase()
    expect(await keyNow()).toBe(known)
  })

  test('a key that lies damaged in the store takes none with it, and is the database\u2019s to tell once that is back', async () => {
    const { kv, ways, finder, mendDatabase, keyNow } = await openBehindProxies()
    const rows = { openai: JSON.parse(body).openai, cohere: JSON.parse(bodyOf(damage(seal('sk-lost')))).openai }
    await kv.putProviderKeys(tenantId, { body: JSON.stringify(rows), revision: 1 })
    ways.database.cut()
    for (let second = 0; second < 2; second++) {
      expect(await keyNow()).toBe('sk-stored')
      const keys = await finder.get(tenantId)
      expect(() => keys.open('cohere')).toThrow(expect.objectContaining({ code: 'provider_key_unreadable' }))
    }
    mendDatabase()
    expect(await keyNow()).toBe(known)
  })

  test('nobody is answered who was never known', async () => {
    const { cutBoth, keyNow } = await openBehindProxies()
    cutBoth()
    await expect(keyNow()).rejects.toThrow(away)
  })

  test('a key that was deleted meanwhile is gone at the first question that the database answers, and stays gone', async () => {
    const { cutBoth, mendDatabase, deleteKey, keyNow } = await openBehindProxies()
    expect(await keyNow()).toBe(known)
    cutBoth()
    await deleteKey()
    expect(await keyNow()).toBe(known)
    mendDatabase()
    expect(await keyNow()).toBeNull()
    cutBoth()
    expect(await keyNow()).toBeNull()
  })

  test('also where the store comes back with what it knew before', async () => {
    const { kv, ways, database, deleteKey, keyNow } = await openBehindProxies()
    await kv.putProviderKeys(tenantId, await getProjectedProviderKeys(database.sql, tenantId))
    expect(await keyNow()).toBe(known)
    ways.store.cut()
    await deleteKey()
    expect(await keyNow()).toBeNull()
    ways.store.mend()
    await expect.poll(() => kv.findProviderKeys(tenantId).catch(() => null)).not.toBeNull()
    expect(await keyNow()).toBeNull()
  })

  test('nor is a tenant answered that the database did not know any more', async () => {
    const { cutBoth, mendDatabase, deleteTenant, keyNow } = await openBehindProxies()
    expect(await keyNow()).toBe(known)
    cutBoth()
    await deleteTenant()
    mendDatabase()
    await expect(keyNow()).rejects.toThrow('the tenant does not exist')
    cutBoth()
    await expect(keyNow()).rejects.toThrow(away)
  })

  test.each([true, false])(
    'keys that a change overtook while they were read are not taken for the last known (read anew before: %s)',
    async isReadAnew => {
      const { kv, finder, database, cutBoth, deleteKey, keyNow } = await openBehindProxies()
      await kv.putProviderKeys(tenantId, await getProjectedProviderKeys(database.sql, tenantId))
      const find = kv.findProviderKeys
      const [isRead, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      vi.spyOn(kv, 'findProviderKeys').mockImplementationOnce(async id => {
        const found = await find(id)
        isRead.resolve()
        await mayAnswer.promise
        return found
      })
      const reading = finder.get(tenantId)
      await isRead.promise
      await deleteKey()
      const heard = Promise.withResolvers<void>()
      onTestFinished(kv.subscribe(({ kind }) => kind === 'provider-keys' && heard.resolve()))
      await kv.putProviderKeys(tenantId, empty)
      await heard.promise
      if (isReadAnew) expect(await keyNow()).toBeNull()
      mayAnswer.resolve()
      expect((await reading).has('openai')).toBe(true)
      cutBoth()
      if (isReadAnew) expect(await keyNow()).toBeNull()
      else await expect(keyNow()).rejects.toThrow(away)
    },
  )

  test('a key of whose change the store has told is not taken for the last known', async () => {
    const { kv, cutBoth, keyNow } = await openBehindProxies()
    expect(await keyNow()).toBe(known)
    const heard = Promise.withResolvers<void>()
    onTestFinished(kv.subscribe(({ kind }) => kind === 'provider-keys' && heard.resolve()))
    await kv.putProviderKeys(tenantId, empty)
    await heard.promise
    cutBoth()
    await expect(keyNow()).rejects.toThrow(away)
  })
})
