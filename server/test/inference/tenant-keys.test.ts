// Provider keys read while the store is emptied and filled again: whatever comes between two questions, no tenant is taken
// for one without keys.
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createSecretBox } from '../../src/crypto/secret-box.ts'
import { createTenantKeys } from '../../src/inference/tenant-keys.ts'
import { createProcessStore } from '../../src/kv/process-store.ts'
import type { Store } from '../../src/kv/store.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'
import { openEmbedded, temporaryFolder } from '../storage/fixtures.ts'

const tenantId = '6f1f5a0e-7f0b-4b0e-9d0a-0d8f3f0b7a11'
const body = JSON.stringify({ openai: { id: 'row', ciphertext: 'sealed', base_url_override: null } })

/** A store in which something happens after each question, before its answer is read. */
async function hasKey(
  happenings: ((store: Store) => Promise<unknown>)[],
  atFirst?: (store: Store) => Promise<unknown>,
) {
  const { log } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  const { sql, close } = await openEmbedded(temporaryFolder())
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
  const secretBox = createSecretBox({ current: randomBytes(32), previous: [] })
  const finder = createTenantKeys({ kv, sql, secretBox, now: Date.now, log })
  onTestFinished(() => finder.stop())
  return (await finder.get(tenantId)).has('openai')
}

const fill = async (store: Store) => {
  await store.putProviderKeys(tenantId, { body, revision: 1 })
  await store.markSeeded()
}

test('a store that is filled just after it was asked for the keys', async () => {
  expect(await hasKey([fill])).toBe(true)
})

test('a store that is filled just after it said that it is not whole: the database is asked', async () => {
  // Which knows no such tenant.
  await expect(hasKey([async () => undefined, fill])).rejects.toThrow('the tenant does not exist')
})

test('a store that is whole and knows of none', async () => {
  expect(await hasKey([], store => store.markSeeded())).toBe(false)
})

async function openFinder(hears: boolean) {
  const { log } = createMemoryLog()
  const store = createProcessStore({ now: Date.now, log })
  const { sql, close } = await openEmbedded(temporaryFolder())
  const clock = createHandClock(1_000_000)
  const kv = {
    findProviderKeys: (id: string) => store.findProviderKeys(id),
    isSeeded: () => store.isSeeded(),
    subscribe: hears ? store.subscribe : () => () => undefined,
  }
  const secretBox = createSecretBox({ current: randomBytes(32), previous: [] })
  const finder = createTenantKeys({ kv, sql, secretBox, now: clock.now, log })
  onTestFinished(async () => {
    finder.stop()
    await store.close()
    await close()
  })
  return { store, clock, hasKeyNow: async () => (await finder.get(tenantId)).has('openai') }
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
  await expect.poll(hasKeyNow, { timeout: 5_000 }).toBe(false)
})
