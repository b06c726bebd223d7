import { expect, test } from 'vitest'
import { createVerifiedTokenCache } from '../../../src/crypto/tokens/verified-token-cache.ts'

function start(maxEntries = 1000, maxBytes = 1 << 30) {
  const clock = { ms: 1_000_000_000 }
  const cache = createVerifiedTokenCache<string>({ now: () => clock.ms, maxEntries, maxBytes })
  return { clock, cache, seconds: clock.ms / 1000 }
}

test('a token is found by all of its characters', () => {
  const { cache, seconds } = start()
  const token = `${'a'.repeat(800)}.${'b'.repeat(300)}`
  cache.put(token, 'verdict', { exp: seconds + 60 })
  expect(cache.find(token)).toBe('verdict')
  for (const at of [0, 20, 400, 800, token.length - 1]) {
    expect(cache.find(`${token.slice(0, at)}x${token.slice(at + 1)}`)).toBeNull()
  }
  expect(cache.find(token.slice(0, -1))).toBeNull()
  expect(cache.find('')).toBeNull()
})

test('times are checked on each hit, also when the clock goes back', () => {
  const { cache, clock, seconds } = start()
  cache.put('nbf', 'verdict', { exp: seconds + 60, nbf: seconds })
  cache.put('iat', 'verdict', { exp: seconds + 60, iat: seconds })
  for (const [passedMs, verdict] of [
    [59_999, 'verdict'],
    [60_000, null],
    [-30_000, 'verdict'],
    [-30_001, null],
  ] as const) {
    clock.ms = seconds * 1000 + passedMs
    expect([cache.find('nbf'), cache.find('iat')], `${passedMs} ms later`).toEqual([verdict, verdict])
  }
})

test('a second verdict takes the place of the first', () => {
  const { cache, seconds } = start(4)
  cache.put('t', 'old', { exp: seconds + 60 })
  cache.put('t', 'new', { exp: seconds + 60 })
  expect([cache.find('t'), cache.size]).toEqual(['new', 1])
  for (const other of ['u', 'v']) cache.put(other, 'other', { exp: seconds + 60 })
  cache.put('t', 'newer', { exp: seconds + 60 })
  expect(cache.find('t')).toBe('newer')
})

test('it never holds more than its bounds, and forgets what is not used', () => {
  const { cache, seconds } = start(1000)
  cache.put('used', 'verdict', { exp: seconds + 60 })
  for (let at = 0; at < 20_000; at++) {
    cache.put(`token-${at}`, 'verdict', { exp: seconds + 60 })
    if (at % 100 === 0) expect(cache.find('used')).toBe('verdict')
    expect(cache.size).toBeLessThanOrEqual(1000)
  }
  expect(cache.find('token-19999')).toBe('verdict')
  expect(cache.find('token-1')).toBeNull()
})

test('bytes bound it too', () => {
  const { cache, seconds } = start(100_000, 1 << 20)
  const long = 'x'.repeat(8000)
  for (let at = 0; at < 1000; at++) cache.put(`${long}${at}`, 'verdict', { exp: seconds + 60 })
  expect(cache.size).toBeGreaterThan(20)
  expect(cache.size * 16_500).toBeLessThanOrEqual(1 << 20)
})
