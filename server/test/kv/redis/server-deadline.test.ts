// Tests the deadline until which Redis may execute an admission, by the server's clock, which is learned from its
// replies.
import { expect, test } from 'vitest'
import { createServerDeadline } from '../../../src/kv/redis/server-deadline.ts'

function open(startsAt: number) {
  let time = startsAt
  const deadline = createServerDeadline(1_000, () => time)
  const pass = (ms: number): void => {
    time += ms
  }
  return { deadline, pass }
}

test('there is none before the server has told its time, and then it is before the caller gives up', () => {
  const { deadline, pass } = open(500)
  expect(deadline.latest()).toBe('')
  deadline.learn(70_000)
  expect(deadline.latest()).toBe(70_900)
  pass(2_000)
  expect(deadline.latest()).toBe(72_900)
})

test('an answer that took its time does not bring it forward', () => {
  const { deadline, pass } = open(0)
  deadline.learn(70_000)
  pass(1_500)
  // The server read this time half a second ago.
  deadline.learn(71_000)
  expect(deadline.latest()).toBe(72_399)
})

test('a clock that was set is followed, forward at once and back where it is far', () => {
  const { deadline } = open(0)
  deadline.learn(70_000)
  deadline.learn(3_670_000)
  expect(deadline.latest()).toBe(3_670_900)
  deadline.learn(70_000)
  expect(deadline.latest()).toBe(70_900)
})
