// What is remembered of a text is always what would be found out anew, and texts that come again are not looked at
// again.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { memoize, memoizeKnown } from '../../src/collections/bounded-memo.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function counted() {
  const looks: string[] = []
  const lengthOf = memoize((text: string): { length: number } | null => {
    looks.push(text)
    return text === 'nothing' ? null : { length: text.length }
  })
  return { looks, lengthOf }
}

it('says the same of a text however many others came between', () => {
  const { lengthOf } = counted()
  for (let number = 0; number < 50_000; number++) {
    const text = `${number}`.repeat(1 + (number % 3))
    expect(lengthOf(text)?.length).toBe(text.length)
    if (number % 1_000 === 0) expect(lengthOf('the same one')?.length).toBe(12)
  }
})

it('looks once at a text that comes again, also where there was nothing to find', () => {
  const { looks, lengthOf } = counted()
  for (const text of ['one', 'two', 'nothing', 'one', 'two', 'nothing']) lengthOf(text)
  expect(looks).toEqual(['one', 'two', 'nothing'])
})

it('keeps two texts of one place, and lets the older go for a third', () => {
  // Ten letters each, made of two that are summed up alike: 'Aa' and 'BB' have one digest.
  const [first, second, third] = ['AaAaAaAaAa', 'AaAaAaAaBB', 'AaAaAaBBAa'] as const
  const { looks, lengthOf } = counted()
  for (const text of [first, second, first, second]) lengthOf(text)
  expect(looks).toEqual([first, second])
  for (const text of [third, second, first]) lengthOf(text)
  expect(looks).toEqual([first, second, third, first])
})

it('does not keep what a text was cut from', () => {
  const lengthOf = memoize(text => text.length)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let number = 0; number < 300; number++)
    lengthOf(`a text of its own, number ${number}: ${'x'.repeat(200_000)}`.slice(0, 40))
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15_000_000)
})

it('does not keep long texts', () => {
  const { looks, lengthOf } = counted()
  for (const _ of [1, 2]) lengthOf('x'.repeat(257))
  expect(looks).toHaveLength(2)
})

it('forgets what is held all at once, and keeps nothing of what was not to be said', () => {
  const looks: unknown[] = []
  const lengthOf = memoizeKnown((value: unknown) => {
    looks.push(value)
    return typeof value === 'string' ? value.length : undefined
  }, 2)
  for (const value of ['one', 'one', 2, 2, 'two', 'one', 'three', 'three', 'one']) {
    expect(lengthOf(value)).toBe(typeof value === 'string' ? value.length : undefined)
  }
  expect(looks).toEqual(['one', 2, 2, 'two', 'three', 'one'])
})
