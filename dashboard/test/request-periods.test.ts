// The chart of requests has a bar for each hour or day of its period, those without a request, too.
import { expect, test } from 'vitest'
import { fillPeriod, unitOf } from '../src/ui/charts/periods.ts'

const now = Date.parse('2026-11-29T10:20:00Z')
const filled = (buckets: string[], days: { from?: string; to?: string }) =>
  fillPeriod(
    buckets.map(at => ({ at, requests: 3 })),
    days,
    { now, empty: { requests: 0 } },
  ).map(({ at, requests }) => [at, requests])

test('without days, the last 24 hours up to now', () => {
  const hours = filled(['2026-11-29T08:00:00.000Z'], {})
  expect(hours).toHaveLength(24)
  expect(hours[0]).toEqual(['2026-11-28T11:00:00.000Z', 0])
  expect(hours.at(-1)).toEqual(['2026-11-29T10:00:00.000Z', 0])
  expect(hours.at(-3)).toEqual(['2026-11-29T08:00:00.000Z', 3])
})

test('the hours of a short period and the days of a long one, from the first to the last', () => {
  const hours = filled(['2026-11-21T05:00:00.000Z'], { from: '2026-11-20', to: '2026-11-22' })
  expect(hours).toHaveLength(72)
  expect([hours[0]?.[0], hours.at(-1)?.[0]]).toEqual(['2026-11-20T00:00:00.000Z', '2026-11-22T23:00:00.000Z'])
  expect(filled(['2026-11-21T00:00:00.000Z'], { from: '2026-11-20' })).toEqual(
    ['20', '21', '22', '23', '24', '25', '26', '27', '28', '29'].flatMap(day => {
      const at = `2026-11-${day}T00:00:00.000Z`
      // Ten days, of which one has requests.
      return [[at, day === '21' ? 3 : 0]]
    }),
  )
})

test('a week is shown by the hour, eight days by the day', () => {
  expect(unitOf({ from: '2026-11-23' }, now)).toBe('hour')
  expect(unitOf({ from: '2026-11-22' }, now)).toBe('day')
  expect(unitOf({ to: '2026-11-22' }, now)).toBe('hour')
})
