// Tests deadlines that share one timer, with the real clock.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createDeadlines } from '../../../../src/kv/redis/client/deadlines.ts'

test('whoever is not removed is late, each once and in turn, and counts until it is removed', async () => {
  const late: string[] = []
  const deadlines = createDeadlines(60, fail => fail(new Error('late')))
  const add = (name: string) => deadlines.add(() => late.push(name))
  const first = add('first')
  const second = add('second')
  const third = add('third')
  expect(deadlines.count()).toBe(3)
  deadlines.remove(second)
  await expect.poll(() => late).toEqual(['first', 'third'])
  expect([first.isOver, second.isOver, third.isOver, deadlines.count()]).toEqual([true, true, true, 2])
  deadlines.remove(first)
  deadlines.remove(third)
  expect(deadlines.count()).toBe(0)
  add('fourth')
  await expect.poll(() => late).toEqual(['first', 'third', 'fourth'])
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
  await expect.poll(() => late.length).toBe(1)
  expect(late[0]).toBeGreaterThanOrEqual(299)
})

test('who was answered while the process was held up is not late', async () => {
  // Another process replies, because this one is blocked meanwhile.
  const echo = spawn('cat')
  onTestFinished(() => void echo.kill())
  echo.stdin.write('warm')
  await once(echo.stdout, 'data')
  const late: string[] = []
  const deadlines = createDeadlines(100, fail => fail(new Error('late')))
  const waiting = deadlines.add(() => late.push('answered'))
  echo.stdout.once('data', () => deadlines.remove(waiting))
  echo.stdin.write('ask')
  const heldUntil = performance.now() + 400
  while (performance.now() < heldUntil);
  await expect.poll(() => waiting.isOver).toBe(true)
  expect(late).toEqual([])
})
