// Deadlines that share a timer, against the clock.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDeadlines } from '../../src/kv/deadlines.ts'

test('whoever is not removed is late, each once and in turn, and counts until it is removed', async () => {
  const late: string[] = []
  const deadlines = createDeadlines(60, fail => fail(new Error('late')))
  const add = (name: string) => deadlines.add(() => late.push(name))
  const first = add('first')
  const second = add('second')
  const third = add('third')
  expect(deadlines.count()).toBe(3)
  deadlines.remove(second)
  await expect.poll(() => late, { timeout: 5_000 }).toEqual(['first', 'third'])
  expect([first.isOver, second.isOver, third.isOver, deadlines.count()]).toEqual([true, true, true, 2])
  deadlines.remove(first)
  deadlines.remove(third)
  expect(deadlines.count()).toBe(0)
  add('fourth')
  await expect.poll(() => late, { timeout: 5_000 }).toEqual(['first', 'third', 'fourth'])
})

test('nobody is late before the time, however many came and went before', async () => {
  const late: number[] = []
  const deadlines = createDeadlines(300, fail => fail(new Error('late')))
  const addedAt = performance.now()
  const held = deadlines.add(() => late.push(performance.now() - addedAt))
  for (let at = 0; at < 5_000; at++) deadlines.remove(deadlines.add(() => late.push(0)))
  await sleep(100)
  const secondAt = performance.now()
  deadlines.add(() => late.push(performance.now() - secondAt))
  deadlines.remove(held)
  for (let at = 0; at < 5_000; at++) deadlines.remove(deadlines.add(() => late.push(0)))
  await expect.poll(() => late.length, { timeout: 5_000 }).toBe(1)
  expect(late[0]).toBeGreaterThanOrEqual(299)
})
