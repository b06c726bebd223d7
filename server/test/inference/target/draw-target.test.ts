// The numbers by which weighted routes choose: the same within a conversation of an end user, otherwise evenly spread.
import { expect, test } from 'vitest'
import { drawFor, type RoutedCaller } from '../../../src/inference/target/draw-target.ts'

const alice: RoutedCaller = { tenantId: 't', projectId: 'p', userId: 'alice', sessionId: 's', threadId: null }
const drawn = (changes: Partial<RoutedCaller>, model = 'openai/gpt-4o') => drawFor({ ...alice, ...changes })(model)

test('they are the same for all requests of one conversation, and differ in everything else', () => {
  expect(drawn({})).toBe(drawn({}))
  const others = [
    drawn({ userId: 'bob' }),
    drawn({ projectId: 'q' }),
    drawn({ sessionId: 's2' }),
    drawn({ sessionId: null, threadId: 's' }),
    drawn({}, 'openai/gpt-4o-mini'),
  ]
  expect(new Set([drawn({}), ...others]).size).toBe(6)
  // A thread takes precedence, as in memory.
  expect(drawn({ threadId: 's' })).toBe(drawn({ sessionId: null, threadId: 's' }))
})

test('without a conversation, each request has its own', () => {
  expect(new Set(Array.from({ length: 20 }, () => drawn({ sessionId: null }))).size).toBe(20)
})

test('they are spread evenly between 0 and 1', () => {
  for (const draw of [(at: number) => drawn({ sessionId: `s${at}` }), () => drawn({ sessionId: null })]) {
    const numbers = Array.from({ length: 4_000 }, (_, at) => draw(at))
    expect(numbers.every(number => number > 0 && number <= 1)).toBe(true)
    for (let tenth = 0; tenth < 10; tenth++) {
      const count = numbers.filter(number => Math.min(9, Math.floor(number * 10)) === tenth).length
      // Seven standard deviations.
      expect(Math.abs(count - 400)).toBeLessThan(133)
    }
  }
})
