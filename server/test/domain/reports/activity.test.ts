// Tests how a project's activity is counted and shown: ranges of latency and their percentiles, errors and refusals.
import { expect, test } from 'vitest'
import {
  latencyRangeOf,
  latencyRanges,
  reasonOfStatus,
  showActivity,
  writeActivity,
} from '../../../src/domain/reports/activity.ts'

const none = { requests: 0, tokens: 0, latencies: new Uint32Array(latencyRanges), reasons: new Map<string, number>() }

function countsOf(latencies: readonly number[]) {
  const counted = new Uint32Array(latencyRanges)
  for (const ms of latencies) counted[latencyRangeOf(ms)] = (counted[latencyRangeOf(ms)] ?? 0) + 1
  return writeActivity({ ...none, requests: latencies.length, latencies: counted })
}

test('percentiles are within a seventh of the true ones, from a millisecond to ten minutes', () => {
  for (const scale of [10, 100, 1_000, 10_000, 300_000]) {
    const latencies = Array.from({ length: 1_000 }, (_, at) => scale * (1 + at / 1_000))
    const { p50 = 0, p95 = 0 } = showActivity([countsOf(latencies)]).latency_ms ?? {}
    expect(Math.abs(p50 - scale * 1.5)).toBeLessThan((scale * 1.5) / 7)
    expect(Math.abs(p95 - scale * 1.95)).toBeLessThan((scale * 1.95) / 7)
  }
})

test('times below a millisecond and beyond every range count too', () => {
  expect([0, 0.5, 1, 3_600_000, Number.MAX_SAFE_INTEGER].map(latencyRangeOf)).toEqual([0, 0, 1, 59, 59])
  expect(showActivity([countsOf([0, 0])]).latency_ms).toMatchObject({ p95: 1 })
})

test('sums up minutes; reasons are errors or refusals by their status', () => {
  const reasons = new Map([
    ['rate_limited', 2],
    ['provider_timeout', 1],
    [reasonOfStatus(422), 3],
    [reasonOfStatus(503), 4],
    ['of_another_version', 5],
  ])
  const minute = writeActivity({ ...none, requests: 20, tokens: 7, reasons })
  expect(showActivity([minute, minute])).toEqual({
    requests: 40,
    errors: { of_another_version: 10, provider_timeout: 2, status_503: 8 },
    refusals: { rate_limited: 4, status_422: 6 },
    tokens: 14,
    latency_ms: null,
  })
  expect(showActivity([])).toEqual({ requests: 0, errors: {}, refusals: {}, tokens: 0, latency_ms: null })
})
