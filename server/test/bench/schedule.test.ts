// Tests when the requests of the bench's open loops leave, at which rates, and the percentiles of their latencies.
import { describe, expect, test } from 'vitest'
import { judgeLateness } from '../../../bench/open-loop/measure-rates.ts'
import { percentile, readRecorded } from '../../../bench/open-loop/percentiles.ts'
import { type OpenRound, summariseRecorded } from '../../../bench/open-loop/run-open-loop.ts'
import { paceEvenly, paceInBursts, parseRates, resolveRate } from '../../../bench/open-loop/schedule.ts'

describe('a schedule', () => {
  test('is evenly spaced and begins at once', () => {
    const { departures, warmCount } = paceEvenly({ ratePerSecond: 4, warmSeconds: 1, seconds: 1 })
    expect([...departures]).toEqual([0, 250e6, 500e6, 750e6, 1000e6, 1250e6, 1500e6, 1750e6])
    expect(warmCount).toBe(4)
  })

  test('does not drift at a rate that is no divisor of a second', () => {
    const { departures } = paceEvenly({ ratePerSecond: 30_007, warmSeconds: 0, seconds: 100 })
    expect(departures).toHaveLength(3_000_700)
    expect(departures[1]).toBe(33_326)
    for (const second of [1, 50, 99]) expect(departures[30_007 * second]).toBe(second * 1e9)
  })

  test('of bursts has all requests of a burst at the same moment', () => {
    const { departures, warmCount } = paceInBursts({ size: 3, count: 2, everyMs: 500 })
    expect([...departures]).toEqual([0, 0, 0, 500e6, 500e6, 500e6, 1000e6, 1000e6, 1000e6])
    expect(warmCount).toBe(3)
  })
})

describe('a rate', () => {
  test('is a share of the capacity or a number', () => {
    expect(parseRates('quarter,half,2000')).toEqual(['quarter', 'half', 2000])
    expect(resolveRate('quarter', 10_001)).toBe(2500)
    expect(resolveRate('half', 10_001)).toBe(5001)
    expect(resolveRate(2000, 10_001)).toBe(2000)
    expect(resolveRate('quarter', 1)).toBe(1)
  })

  test('at or above the capacity is not measured', () => {
    expect(resolveRate(2000, 2000)).toBeNull()
    expect(resolveRate(2001, 2000)).toBeNull()
  })

  test.each(['', 'third', '0', '-5', '1.5', '1e3', 'half,,quarter', 'half, quarter'])('%j is rejected', text => {
    expect(() => parseRates(text)).toThrow('--rate is a list of')
  })
})

describe('a percentile', () => {
  const thousand = Uint32Array.from({ length: 1000 }, (_, at) => at + 1)

  test.each([
    [500, 500],
    [990, 990],
    [999, 999],
    [1000, 1000],
    [1, 1],
    [0, 1],
  ])('of %i thousandths among 1 to 1000 is %i', (thousandths, value) => {
    expect(percentile(thousand, thousandths)).toBe(value)
  })

  test('is a value that occurred, the next higher one', () => {
    expect(percentile(Uint32Array.of(10, 20), 500)).toBe(10)
    expect(percentile(Uint32Array.of(10, 20), 501)).toBe(20)
    expect(percentile(Uint32Array.of(10, 20, 30), 500)).toBe(20)
    expect(percentile(Uint32Array.of(7), 999)).toBe(7)
    expect(percentile(Uint32Array.of(), 500)).toBe(0)
  })

  test('has no rounding error at any whole percent', () => {
    const hundred = thousand.subarray(0, 100)
    for (let percent = 1; percent <= 100; percent++) expect(percentile(hundred, percent * 10)).toBe(percent)
  })
})

describe('recorded latencies', () => {
  const pairs = Uint32Array.of(9000, 900, 5, 3, 8000, 1, 0xffff_ffff, 77, 1000, 2)

  test('are read without the warming and without failures, in order', () => {
    const read = readRecorded(new Uint8Array(pairs.buffer), 1)
    expect([...read.latencies]).toEqual([5, 1000, 8000])
    expect([...read.delays]).toEqual([1, 2, 3])
    expect(read.failures).toBe(1)
  })

  test('are read from a file that does not begin at a multiple of four bytes', () => {
    const file = new Uint8Array(pairs.byteLength + 3)
    file.set(new Uint8Array(pairs.buffer), 3)
    expect([...readRecorded(file.subarray(3), 3).latencies]).toEqual([1000])
  })

  test('become milliseconds', () => {
    const latencies = Uint32Array.from({ length: 1000 }, (_, at) => (at + 1) * 10)
    expect(summariseRecorded({ latencies, delays: Uint32Array.of(20, 1500), failures: 0 })).toEqual({
      p50Ms: 5,
      p99Ms: 9.9,
      p999Ms: 9.99,
      longestMs: 10,
      lateP99Ms: 1.5,
      lateLongestMs: 1.5,
    })
  })
})

test('the load program is judged by the upstream alone', () => {
  const late = (lateP99Ms: number) => ({ lateP99Ms }) as OpenRound
  const measured = [
    { rate: 'half' as const, target: 'upstream alone', ratePerSecond: 40_000, rounds: [0.2, 3, 1.2].map(late) },
    { rate: 'half' as const, target: 'nginx', ratePerSecond: 9000, rounds: [late(8)] },
  ]
  const [goal, ...more] = judgeLateness(measured)
  expect(more).toEqual([])
  expect(goal).toMatchObject({ reached: 1.2, met: false, isBinding: false })
  expect(goal?.words).toContain('40000/s')
})
