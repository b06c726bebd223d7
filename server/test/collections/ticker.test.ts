import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTicker } from '../../src/collections/ticker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a ticker goes on while a tick wants it, and wakes nothing before it is started and after its last tick', () => {
  let left = 3
  const ticker = createTicker(100, () => --left > 0)
  expect(vi.getTimerCount()).toBe(0)
  ticker.start()
  ticker.start()
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(250)
  expect(left).toBe(1)
  vi.advanceTimersByTime(1_000)
  expect(left).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('it can be started again, and stopped before a tick', () => {
  let ticks = 0
  const ticker = createTicker(100, () => ++ticks % 2 !== 0)
  ticker.start()
  vi.advanceTimersByTime(1_000)
  ticker.start()
  vi.advanceTimersByTime(1_000)
  expect(ticks).toBe(4)
  ticker.start()
  ticker.stop()
  vi.advanceTimersByTime(1_000)
  expect(ticks).toBe(4)
})
