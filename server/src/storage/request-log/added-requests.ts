// What requests add up to, by a key, from groups that the database counted by ranges of time: percentiles follow from
// these.

import { middleOfRange } from '../../domain/requests/request-record.ts'

const numbers = [
  'requests',
  'errors',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_nanousd',
] as const
type Numbers = Record<(typeof numbers)[number], number>

interface Percentiles {
  p50: number
  p95: number
  p99: number
}

export interface RequestSums extends Numbers {
  /** Null without a request. */
  latency_ms: Percentiles | null
  /** Null without a stream. */
  first_token_ms: Percentiles | null
}

export interface LatencyGroup<Key> extends Numbers {
  key: Key
  latency_range: number
}

export interface FirstTokenGroup<Key> {
  key: Key
  first_token_range: number
  requests: number
}

export class AddedRequests<Key> {
  readonly #byKey = new Map<Key, Sums>()
  readonly #totals = new Sums()

  addLatencies(groups: readonly LatencyGroup<Key>[]): void {
    for (const { key, latency_range, ...group } of groups) {
      for (const each of this.#sumsOf(key)) each.add(latency_range, group)
    }
  }

  addFirstTokens(groups: readonly FirstTokenGroup<Key>[]): void {
    for (const { key, first_token_range, requests } of groups) {
      for (const each of this.#sumsOf(key)) each.firstTokens.add(first_token_range, requests)
    }
  }

  #sumsOf(key: Key): [Sums, Sums] {
    const sums = this.#byKey.get(key) ?? new Sums()
    this.#byKey.set(key, sums)
    return [sums, this.#totals]
  }

  /** In the order in which the keys were added. */
  show(): [key: Key, sums: RequestSums][] {
    return [...this.#byKey].map(([key, sums]) => [key, sums.show()])
  }

  showTotals(): RequestSums {
    return this.#totals.show()
  }
}

class Sums {
  readonly #numbers: Numbers = {
    requests: 0,
    errors: 0,
    prompt_tokens: 0,
    cached_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 0,
  }
  readonly #latencies = new Ranges()
  readonly firstTokens = new Ranges()

  add(latencyRange: number, group: Numbers): void {
    for (const name of numbers) this.#numbers[name] += group[name]
    this.#latencies.add(latencyRange, group.requests)
  }

  show(): RequestSums {
    return { ...this.#numbers, latency_ms: this.#latencies.show(), first_token_ms: this.firstTokens.show() }
  }
}

class Ranges {
  readonly #counts = new Map<number, number>()
  #all = 0

  add(range: number, count: number): void {
    this.#counts.set(range, (this.#counts.get(range) ?? 0) + count)
    this.#all += count
  }

  show(): Percentiles | null {
    if (this.#all === 0) return null
    const ordered = [...this.#counts].sort(([a], [b]) => a - b)
    const percentile = (share: number): number => {
      let before = 0
      const found = ordered.find(([, count]) => {
        before += count
        return before >= share * this.#all
      })
      return Math.round(middleOfRange(found?.[0] ?? 0))
    }
    return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
  }
}
