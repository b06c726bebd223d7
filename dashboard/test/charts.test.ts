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

test('labels never touch, and a place outside of the columns has none', () => {
  expect(labelled(24, 1000, 50)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22])
  // The first label would touch one at column 4, and one at column 28 would be cut.
  expect(labelled(30, 300, 40)).toEqual([0, 8, 12, 16, 20, 24])
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
})

test('a message of the API says the label and the range as people write them', () => {
  const message = (text: string, path: string, label: string) => describeMessage(text, path, label)
  expect(message('rpm_limit must be an integer 1-10000', 'rpm_limit', 'Requests per minute')).toBe(
    'Requests per minute must be between 1 and 10,000',
  )
  expect(message('name must be 1-80 characters', 'name', 'Name (optional)')).toBe('Name must be 1-80 characters')
})
