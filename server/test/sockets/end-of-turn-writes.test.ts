// What is held until the end of a turn leaves in its order, a few at once, whatever becomes of the others.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { writeAtEndOfTurn } from '../../src/sockets/end-of-turn-writes.ts'

it('lets all leave at the end of the turn, in their order', async () => {
  const left: number[] = []
  for (const number of [1, 2, 3]) writeAtEndOfTurn({ flush: () => void left.push(number) })
  await Promise.resolve()
  expect(left).toEqual([])
  await nextTurn()
  expect(left).toEqual([1, 2, 3])
})

it('does not wait for the end of the turn with many', async () => {
  const left: number[] = []
  for (let number = 1; number <= 33; number++) writeAtEndOfTurn({ flush: () => void left.push(number) })
  expect(left).toHaveLength(32)
  await nextTurn()
  expect(left).toHaveLength(33)
})

it('lets those leave that stand behind a fault', async () => {
  const left: number[] = []
  const flush = (number: number) => () => {
    if (number === 3) throw new Error('of the third')
    left.push(number)
  }
  const all = () => {
    for (let number = 1; number <= 32; number++) writeAtEndOfTurn({ flush: flush(number) })
  }
  expect(all).toThrow('of the third')
  await nextTurn()
  expect(left).toHaveLength(31)
})
