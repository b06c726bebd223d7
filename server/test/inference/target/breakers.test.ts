// Tests when a circuit breaker opens, which requests it lets through while open, and what closes it, with a manual
// clock.
import { beforeEach, expect, test } from 'vitest'
import { type Breakers, createBreakers } from '../../../src/inference/target/breakers.ts'

const pauseMs = 5_000
const outageMs = 5_000
let now: number
let breakers: Breakers

beforeEach(() => {
  now = 1_000_000
  breakers = createBreakers(() => now)
})

function isOpen(key: string): boolean {
  return !breakers.admits(key)
}

function fail(times: number, key = 'a'): void {
  for (let count = 0; count < times; count++) breakers.noteFailure(key)
}

/** Fails so often, over the time that a breaker requires to open. */
function failOn(times: number): void {
  fail(times - 1)
  now += outageMs
  fail(1)
}

test('twenty failures in a row open it, nineteen and an answer do not', () => {
  failOn(19)
  expect(isOpen('a')).toBe(false)
  breakers.noteAnswer('a')
  failOn(19)
  expect(isOpen('a')).toBe(false)
  fail(1)
  expect(isOpen('a')).toBe(true)
  expect(isOpen('b')).toBe(false)
})

test('as many as come in less than five seconds do not', () => {
  fail(1_000)
  now += outageMs - 1
  fail(1_000)
  expect(isOpen('a')).toBe(false)
  now += 1
  expect(isOpen('a')).toBe(false)
  fail(1)
  expect(isOpen('a')).toBe(true)
})

test('of all that come after the pause one alone tries, until it is known what became of it', () => {
  failOn(20)
  now += pauseMs - 1
  expect(isOpen('a')).toBe(true)
  now += 1
  expect([isOpen('a'), isOpen('a'), isOpen('a')]).toEqual([false, true, true])
  fail(1)
  now += pauseMs - 1
  expect(isOpen('a')).toBe(true)
  now += 1
  expect(isOpen('a')).toBe(false)
  breakers.noteAnswer('a')
  expect([isOpen('a'), isOpen('a')]).toEqual([false, false])
})

test('one whose try never came to anything lets another try', () => {
  failOn(20)
  now += pauseMs
  expect([isOpen('a'), isOpen('a')]).toEqual([false, true])
  now += pauseMs
  expect(isOpen('a')).toBe(false)
})
