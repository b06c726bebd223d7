// Usage that waits for the database, over both stores: kept once by its id, up to a number, until it is forgotten.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createProcessStore } from '../../src/kv/process-store.ts'
import { createRedisStore } from '../../src/kv/redis-store.ts'
import type { Store } from '../../src/kv/store.ts'
import { createMemoryLog, newPrefix } from './stores.ts'

const { log } = createMemoryLog()
const shelfRows = 10
const stores: [string, () => Promise<Store>][] = [
  ['in the process', async () => createProcessStore({ now: Date.now, log, shelfRows })],
  [
    'on Redis',
    () =>
      createRedisStore({ url: inject('redisUrl'), log, keyPrefix: newPrefix(), shelfRows, commandTimeoutMs: 15_000 }),
  ],
]

describe.each(stores)('the shelf %s', (_name, open) => {
  const openStore = async () => {
    const store = await open()
    onTestFinished(() => store.close())
    return store
  }
  const rowOf = (requestId: string, words = 'row') => ({ requestId, row: JSON.stringify({ requestId, words }) })

  test('keeps rows once each, and gives them as often as they are asked for', async () => {
    const store = await openStore()
    const ids = Array.from({ length: 5 }, () => randomUUID())
    expect(await store.shelveUsage(ids.map(id => rowOf(id)))).toBe(0)
    expect(await store.shelveUsage(ids.map(id => rowOf(id, 'zo\u00eb')))).toBe(0)
    for (const _ of [1, 2]) {
      const found = await store.findShelvedUsage(100)
      expect(found.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort())
      expect(found.every(({ row }) => row.includes('zo\u00eb'))).toBe(true)
    }
    expect(await store.findShelvedUsage(2)).toHaveLength(2)
    expect(await store.findShelvedUsage(0)).toEqual([])
    await store.forgetShelvedUsage(ids.slice(1))
    expect(await store.findShelvedUsage(100)).toEqual([rowOf(ids[0] ?? '', 'zo\u00eb')])
    await store.forgetShelvedUsage([])
  })

  test('says how many had no room', async () => {
    const store = await openStore()
    const rows = Array.from({ length: 15 }, () => rowOf(randomUUID()))
    expect(await store.shelveUsage(rows)).toBe(5)
    expect(await store.shelveUsage(rows.slice(0, 3))).toBe(0)
    expect(await store.findShelvedUsage(100)).toHaveLength(10)
  })
})
