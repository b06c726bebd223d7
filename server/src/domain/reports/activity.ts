// A project's activity in a minute, as counts by name: which names there are, and what people get to see of them.

import { findRefusalStatus } from '../errors.ts'

type Counts = Readonly<Record<string, number>>

/** Latencies are counted in ranges, each about a quarter longer than the one before. */
const rangesPerDoubling = 3
/** The last one begins at about ten minutes. */
export const latencyRanges = 60

/** The number of the range that a time falls into; 0 is below a millisecond. */
export function latencyRangeOf(ms: number): number {
  return ms < 1 ? 0 : Math.min(latencyRanges - 1, 1 + Math.floor(Math.log2(ms) * rangesPerDoubling))
}

function startOf(range: number): number {
  return range === 0 ? 0 : 2 ** ((range - 1) / rangesPerDoubling)
}

const latencyPrefix = 'latency:'
const reasonPrefix = 'reason:'

interface ActivityFigures {
  requests: number
  tokens: number
  /** By range. */
  latencies: ArrayLike<number>
  /** Requests that were not answered, by the code of their error. */
  reasons: ReadonlyMap<string, number>
}

export function writeActivity({ requests, tokens, latencies, reasons }: ActivityFigures): Record<string, number> {
  const counts: Record<string, number> = { requests, tokens }
  for (let range = 0; range < latencyRanges; range++) {
    const count = latencies[range] ?? 0
    if (count > 0) counts[latencyPrefix + range] = count
  }
  for (const [reason, count] of reasons) counts[reasonPrefix + reason] = count
  return counts
}

interface ShownActivity {
  requests: number
  /** By reason: failures of a provider, of the network or of Sallyport. */
  errors: Record<string, number>
  /** By reason: requests that were rejected. */
  refusals: Record<string, number>
  tokens: number
  /** Null without an answered completion. */
  latency_ms: { p50: number; p95: number } | null
}

/** Sums up any number of minutes. */
export function showActivity(minutes: readonly Counts[]): ShownActivity {
  const sums = new Map<string, number>()
  for (const counts of minutes) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
  }
  const errors: Record<string, number> = {}
  const refusals: Record<string, number> = {}
  const latencies = new Array<number>(latencyRanges).fill(0)
  for (const [name, count] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name.startsWith(latencyPrefix)) latencies[Number(name.slice(latencyPrefix.length))] = count
    if (!name.startsWith(reasonPrefix)) continue
    const reason = name.slice(reasonPrefix.length)
    const kind = isError(reason) ? errors : refusals
    kind[reason] = count
  }
  const [requests = 0, tokens = 0] = [sums.get('requests'), sums.get('tokens')]
  return { requests, errors, refusals, tokens, latency_ms: percentilesOf(latencies) }
}

const statusPrefix = 'status_'

/** The reason of an error that only its status tells: that of an inference service which is not ours. */
export function reasonOfStatus(status: number): string {
  return `${statusPrefix}${status}`
}

function isError(reason: string): boolean {
  const status = reason.startsWith(statusPrefix) ? Number(reason.slice(statusPrefix.length)) : findRefusalStatus(reason)
  // An unknown code is one of another version.
  return status === null || status >= 500
}

function percentilesOf(latencies: readonly number[]): ShownActivity['latency_ms'] {
  const count = latencies.reduce((sum, one) => sum + one, 0)
  if (count === 0) return null
  return { p50: percentileOf(latencies, count * 0.5), p95: percentileOf(latencies, count * 0.95) }
}

/** The time within which `rank` of the answers came, as if those of a range were spread evenly over it. */
function percentileOf(latencies: readonly number[], rank: number): number {
  let before = 0
  for (const [range, count] of latencies.entries()) {
    if (count > 0 && before + count >= rank) {
      const [start, end] = [startOf(range), startOf(range + 1)]
      return Math.round(start + ((end - start) * (rank - before)) / count)
    }
    before += count
  }
  return Math.round(startOf(latencies.length))
}
