// Tests usage rows that wait for the database in the store on Redis: each is stored once by its id, up to a maximum,
// until it is deleted.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { createMemoryLog, newPrefix } from '../stores.ts'

const { log } = createMemoryLog()
const shelfRows = 10

describe('the shelf on Redis', () => {
  const openShelf = async () => {
    const url = inject('redisUrl')
    const store = await createRedisStore({ url, log, keyPrefix: newPrefix(), shelfRows, commandTimeoutMs: 15_000 })
    onTestFinished(() => store.close())
    return store.shelf ?? expect.fail('a store without a shelf')
  }
  const rowOf = (requestId: string, words = 'row') => ({ requestId, row: JSON.stringify({ requestId, words }) })

  test('keeps rows once each, and gives them as often as they are asked for', async () => {
    const shelf = await openShelf()
    const ids = Array.from({ length: 5 }, () => randomUUID())
    expect(await shelf.shelveUsage(ids.map(id => rowOf(id)))).toBe(0)
    expect(await shelf.shelveUsage(ids.map(id => rowOf(id, 'zo\u00eb')))).toBe(0)
    for (const _ of [1, 2]) {
      const found = await shelf.findShelvedUsage(100)
      expect(found.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort())
      expect(found.every(({ row }) => row.includes('zo\u00eb'))).toBe(true)
    }
    expect(await shelf.findShelvedUsage(2)).toHaveLength(2)
    expect(await shelf.findShelvedUsage(0)).toEqual([])
    await shelf.forgetShelvedUsage(ids.slice(1))
    expect(await shelf.findShelvedUsage(100)).toEqual([rowOf(ids[0] ?? '', 'zo\u00eb')])
    await shelf.forgetShelvedUsage([])
  })

  test('says how many had no room', async () => {
    const shelf = await openShelf()
    const rows = Array.from({ length: 15 }, () => rowOf(randomUUID()))
    expect(await shelf.shelveUsage(rows)).toBe(5)
    expect(await shelf.shelveUsage(rows.slice(0, 3))).toBe(0)
    expect(await shelf.findShelvedUsage(100)).toHaveLength(10)
  })
})
