// Lines that many would write: each kind once a minute, with how many it stands for; never so many kinds that they fill
// the memory.
import { expect, test } from 'vitest'
import { createSparseLog } from '../../src/log/sparse-log.ts'
import { createHandClock, createMemoryLog } from '../kv/stores.ts'

function open() {
  const { log, lines } = createMemoryLog()
  const clock = createHandClock(0)
  const told = () => lines.splice(0).map(({ level, event, fields }) => [level, event, fields?.reason, fields?.count])
  return { clock, told, sparse: createSparseLog(log, clock.now) }
}

test('each kind of an event has its line a minute', () => {
  const { clock, told, sparse } = open()
  const sayAll = () => {
    for (const reason of ['a', 'a', 'b']) sparse.error('one failed', reason, { reason })
    sparse.warn('other failed', 'a', { reason: 'a' })
  }
  sayAll()
  const first = [
    ['error', 'one failed', 'a', 1],
    ['error', 'one failed', 'b', 1],
    ['warn', 'other failed', 'a', 1],
  ]
  expect(told()).toEqual(first)
  clock.advance(59_999)
  sayAll()
  expect(told()).toEqual([])
  clock.advance(1)
  sayAll()
  expect(told()).toEqual([
    ['error', 'one failed', 'a', 4],
    ['error', 'one failed', 'b', 2],
    ['warn', 'other failed', 'a', 2],
  ])
})

test('where there are too many kinds all begin anew', () => {
  const { told, sparse } = open()
  for (let kind = 0; kind < 10_000; kind++) sparse.warn('failed', String(kind), {})
  expect(told()).toHaveLength(10_000)
  sparse.warn('failed', '0', {})
  expect(told()).toEqual([])
  sparse.warn('failed', 'one more', {})
  sparse.warn('failed', '0', {})
  expect(told()).toHaveLength(2)
})
