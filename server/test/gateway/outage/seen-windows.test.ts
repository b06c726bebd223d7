// Tests what a replica remembers of the rate-limit windows that the store counts.
import { expect, test } from 'vitest'
import { createSeenWindows } from '../../../src/gateway/outage/seen-windows.ts'
import type { StoreChange } from '../../../src/kv/store.ts'
import { createHandClock, createMemoryLog, requestOf } from '../../kv/stores.ts'

function open() {
  const clock = createHandClock(1_000_000)
  let tell = (_change: StoreChange): void => undefined
  const seen = createSeenWindows({
    kv: {
      publishRequests: async () => undefined,
      subscribe(listener) {
        tell = listener
        return () => undefined
      },
    },
    replicas: { count: () => 3 },
    now: clock.now,
    log: createMemoryLog().log,
  })
  return {
    clock,
    seen,
    hear: (projectId: string, userId: string | null, count: number, endsInMs = 60_000) =>
      tell({ kind: 'requests', projectId, userId, count, endsInMs }),
  }
}

test('a project and its users have windows of their own, by the clock of this process', () => {
  const { clock, seen } = open()
  const storeNow = 5_000_000
  const project = { count: 7, endsAt: storeNow + 10_000 }
  const user = { count: 3, endsAt: storeNow + 20_000 }
  seen.note(requestOf({ projectId: 'p', userId: 'u', userRequests: 9 }), { now: storeNow, project, user }, true)
  expect(seen.find('p', null)).toEqual({ count: 7, endsAt: clock.now() + 10_000 })
  expect(seen.find('p', 'u')).toEqual({ count: 3, endsAt: clock.now() + 20_000 })
  expect(seen.find('p', 'other')).toBeNull()
  expect(seen.find('other', null)).toBeNull()
  clock.advance(10_000)
  expect(seen.find('p', null)).toBeNull()
  expect(seen.find('p', 'u')).toMatchObject({ count: 3 })
})

test('a late report does not lower a count, and a new window begins with its own', () => {
  const { clock, seen, hear } = open()
  hear('p', null, 26)
  hear('p', null, 13)
  expect(seen.find('p', null)).toMatchObject({ count: 26 })
  clock.advance(60_000)
  hear('p', null, 1)
  expect(seen.find('p', null)).toMatchObject({ count: 1 })
})

test('at the maximum closed windows are dropped and open ones stay', () => {
  const { clock, seen, hear } = open()
  hear('p', 'open', 5, 600_000)
  for (let at = 0; at < 99_000; at++) hear('p', `u${at}`, 1)
  clock.advance(60_000)
  for (let at = 0; at < 3_000; at++) hear('q', `u${at}`, 2)
  expect(seen.find('p', 'open')).toMatchObject({ count: 5 })
  expect(seen.find('q', 'u2999')).toMatchObject({ count: 2 })
})

test('more open windows than the maximum are not kept', () => {
  const { seen, hear } = open()
  let kept = 0
  for (let at = 0; at < 150_000; at++) hear('p', `u${at}`, 1)
  for (let at = 0; at < 150_000; at++) if (seen.find('p', `u${at}`) !== null) kept += 1
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThanOrEqual(100_000)
})
