// Provider keys read while the store is emptied and filled again: whatever comes between two questions, no tenant is taken
// for one without keys.
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createSecretBox } from '../../src/crypto/secret-box.ts'
import { createTenantKeys } from '../../src/inference/tenant-keys.ts'
import { createProcessStore } from '../../src/kv/process-store.ts'
import type { Store } from '../../src/kv/store.ts'
import { createMemoryLog } from '../kv/stores.ts'
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
