// Ids that are in the order of time, look like version 4 and never come twice.
import { expect, it } from 'vitest'
import { createOrderedIds } from '../../src/crypto/ordered-ids.ts'

it('makes ids of version 4 that are all different', () => {
  const makeId = createOrderedIds(() => 1_800_000_000_123)
  const ids = Array.from({ length: 20_000 }, makeId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // Chance decides every digit that is neither time nor form.
  for (const at of [15, 16, 17, 20, 21, 22, 24, 30, 35]) expect(new Set(ids.map(id => id[at])).size).toBe(16)
  expect(new Set(ids.map(id => id[19])).size).toBe(4)
})

it('orders them by their time', () => {
  let now = 0
  const makeId = createOrderedIds(() => now)
  const ids = [1, 255, 65_536, 1_800_000_000_123, 1_800_000_000_124].map(time => {
    now = time
    return makeId()
  })
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[3]).toMatch(/^01a3185c-507b-4/)
})
