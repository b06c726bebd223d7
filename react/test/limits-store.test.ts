// What the limits' state keeps of responses, and that it becomes whole again in time without another response.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimitsStore, noLimits } from '../src/limits-store.ts'

const now = new Date('2026-03-01T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now }))
afterEach(() => void vi.useRealTimers())

const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const minute = (remaining: string) => ({
  'x-ratelimit-limit-requests': '20',
  'x-ratelimit-remaining-requests': remaining,
  'x-ratelimit-reset-requests': '30',
})
const day = {
  'x-ratelimit-limit-tokens': '1000',
  'x-ratelimit-remaining-tokens': '900',
  'x-ratelimit-reset-tokens': '43200',
}
const answer = (headers: Record<string, string>, status = 200) => new Response(null, { status, headers })

test('responses set what they name, and leave the rest', () => {
  const store = createLimitsStore()
  expect(store.get()).toBe(noLimits)
  store.read(answer({ ...minute('19'), ...day }))
  const tokens = { limit: 1000, remaining: 900, resetsAt: after(43_200) }
  expect(store.get()).toEqual({
    requests: { limit: 20, remaining: 19, resetsAt: after(30) },
    tokens,
    blockedUntil: null,
  })
  const before = store.get()
  store.read(answer({}))
  store.read(answer({}, 500))
  expect(store.get()).toBe(before)
  store.read(answer({ ...minute('0'), 'retry-after': '30' }, 429))
  expect(store.get()).toMatchObject({ requests: { remaining: 0 }, tokens, blockedUntil: after(30) })
})

test('a refusal by a budget names no limit, and ends with the next answer', () => {
  const store = createLimitsStore()
  store.read(answer({ 'retry-after': '3600' }, 429))
  expect(store.get()).toEqual({ ...noLimits, blockedUntil: after(3600) })
  store.read(answer(minute('19')))
  expect(store.get().blockedUntil).toBeNull()
})

test('who watches sees each limit become whole in its time; without watchers there is no timer', () => {
  const store = createLimitsStore()
  store.read(answer({ ...minute('0'), ...day, 'retry-after': '30' }, 429))
  expect(vi.getTimerCount()).toBe(0)
  let changes = 0
  const leave = store.subscribe(() => changes++)
  vi.advanceTimersByTime(29_000)
  expect([changes, store.get().requests?.remaining]).toEqual([0, 0])
  vi.advanceTimersByTime(1_000)
  expect(changes).toBe(1)
  expect(store.get()).toMatchObject({
    requests: { limit: 20, remaining: 20, resetsAt: null },
    tokens: { remaining: 900 },
    blockedUntil: null,
  })
  vi.advanceTimersByTime(43_200_000)
  expect(store.get().tokens).toEqual({ limit: 1000, remaining: 1000, resetsAt: null })
  expect(vi.getTimerCount()).toBe(0)
  store.read(answer(minute('5')))
  leave()
  expect(vi.getTimerCount()).toBe(0)
})
