// The axes of charts, and a figure against the period before.
import { expect, test } from 'vitest'
import { describeChange } from '../src/screens/overview/change.ts'
import { columnAt, labelled, ticksFor } from '../src/ui/charts/scale.ts'
import { describeMessage } from '../src/ui/describe-message.ts'

test('ticks are round, begin at zero and include the largest value', () => {
  expect(ticksFor(0)).toEqual([0, 1])
  expect(ticksFor(61)).toEqual([0, 20, 40, 60, 80])
  expect(ticksFor(0.3)).toEqual([0, 0.1, 0.2, 0.3])
  expect(ticksFor(1400)).toEqual([0, 500, 1000, 1500])
})

test('ticks of counts are whole numbers', () => {
  expect(ticksFor(1, { isWhole: true })).toEqual([0, 1])
  expect(ticksFor(2, { isWhole: true })).toEqual([0, 1, 2])
  expect(ticksFor(9, { isWhole: true })).toEqual([0, 5, 10])
  expect(ticksFor(100, { isWhole: true })).toEqual([0, 25, 50, 75, 100])
  const all = Array.from({ length: 2000 }, (_none, max) => ticksFor(max, { isWhole: true }))
  expect(all.flat().every(Number.isInteger)).toBe(true)
  expect(all.every((ticks, max) => (ticks.at(-1) ?? 0) >= max && ticks.length <= 6)).toBe(true)
})

test('labels of columns stand evenly, never touch, and none is cut', () => {
  expect([...labelled(24, 50, { width: 1000, left: 0 }).keys()]).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22])
  // The first label reaches into the margin.
  expect(labelled(60, 56, { width: 960, left: 20 }).get(0)).toBe(28)
  for (const columns of [1, 2, 7, 24, 30, 60, 400]) {
    for (const labelWidth of [20, 47, 68, 124]) {
      const area = { width: 330, left: 33 }
      const middles = [...labelled(columns, labelWidth, area).values()]
      const gaps = middles.slice(1).map((middle, index) => middle - (middles[index] ?? 0))
      const shown = JSON.stringify({ columns, labelWidth, middles })
      expect(
        gaps.every(gap => gap >= labelWidth),
        shown,
      ).toBe(true)
      expect(
        middles.every(middle => middle >= labelWidth / 2 && middle + labelWidth / 2 <= area.width),
        shown,
      ).toBe(true)
    }
  }
})

test('a place outside of the columns has none', () => {
  const area = { width: 140, height: 200, left: 40, bottom: 22 }
  expect([columnAt(39, 10, area), columnAt(40, 10, area), columnAt(139, 10, area), columnAt(140, 10, area)]).toEqual([
    null,
    0,
    9,
    null,
  ])
})

test('a figure is compared with the period before in words', () => {
  expect(describeChange(150, 100, 'the day before')).toBe('▲ 50% vs the day before')
  expect(describeChange(50, 100, 'the day before')).toBe('▼ 50% vs the day before')
  expect(describeChange(7, 7, 'the day before')).toBe('same as the day before')
  expect(describeChange(7, null, 'the day before')).toBe('none in the day before')
  expect(describeChange(7, 0, 'the day before')).toBe('0 in the day before')
  expect(describeChange(0.349, 0.3, 'the day before', true)).toBe('▲ 4.9 pt vs the day before')
})

test('a message of the API says the label and the range as people write them', () => {
  const message = (text: string, path: string, label: string) => describeMessage(text, path, label)
  expect(message('rpm_limit must be an integer 1-10000', 'rpm_limit', 'Requests per minute')).toBe(
    'Requests per minute must be between 1 and 10,000',
  )
  expect(message('name must be 1-80 characters', 'name', 'Name (optional)')).toBe('Name must be 1-80 characters')
})
