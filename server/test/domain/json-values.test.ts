import { expect, it } from 'vitest'
import { hasTooManyValues, maxValues } from '../../src/domain/json-values.ts'

const listOf = (value: unknown, count: number) => Buffer.from(JSON.stringify(Array<unknown>(count).fill(value)))

it.each<[string, unknown, number]>([
  ['texts', 'a \\ "b" [{', 1],
  ['lists', [], 1],
  ['objects', {}, 1],
  ['members, by name and value', { a: 'b' }, 3],
])('counts %s', (_kind, value, each) => {
  const most = Math.floor((maxValues - 1) / each)
  expect(hasTooManyValues(listOf(value, most), maxValues)).toBe(false)
  expect(hasTooManyValues(listOf(value, most + 1), maxValues)).toBe(true)
})

it('does not count numbers, or signs within a text', () => {
  expect(hasTooManyValues(listOf(1.5, 1_000_000), maxValues)).toBe(false)
  expect(hasTooManyValues(Buffer.from(JSON.stringify('[{"\\'.repeat(1_000_000))), maxValues)).toBe(false)
})

it('reads a text that does not end', () => {
  expect(hasTooManyValues(Buffer.from(`"${'a'.repeat(3 * maxValues)}\\`), maxValues)).toBe(false)
})
