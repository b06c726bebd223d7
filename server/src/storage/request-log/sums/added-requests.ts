// What requests add up to, by a key, from groups that the database counted by ranges of time, from which percentiles
// follow.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { middleOfRange } from '../../../domain/requests/request-record.ts'
import { readCounts } from './counted-ranges.ts'

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

/** A part of the requests of a key. */
interface RequestGroup<Key> extends Numbers {
  key: Key
  /** By range, see counted-ranges.ts. */
  latencies: string | null
  first_tokens: string | null
}

/** After so much time, other work comes in between. */
const longestTurnMs = 10

export class AddedRequests<Key> {
  readonly #byKey = new Map<Key, Sums>()

  async add(groups: readonly RequestGroup<Key>[]): Promise<void> {
    let began = performance.now()
    for (const { key, ...group } of groups) {
      const sums = this.#byKey.get(key) ?? new Sums()
      this.#byKey.set(key, sums)
      sums.addNumbers(group)
      sums.latencies.addCounts(group.latencies)
      sums.firstTokens.addCounts(group.first_tokens)
      if (performance.now() - began < longestTurnMs) continue
      await nextTurn()
      began = performance.now()
    }
  }

  /** In the order in which the keys were added. */
  show(): [key: Key, sums: RequestSums][] {
    return [...this.#byKey].map(([key, sums]) => [key, sums.show()])
  }

  showTotals(): RequestSums {
    const totals = new Sums()
    for (const sums of this.#byKey.values()) totals.add(sums)
    return totals.show()
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
  readonly latencies = new Ranges()
  readonly firstTokens = new Ranges()

  addNumbers(group: Numbers): void {
    for (const name of numbers) this.#numbers[name] += group[name]
  }

  add(other: Sums): void {
    this.addNumbers(other.#numbers)
    this.latencies.addRanges(other.latencies)
    this.firstTokens.addRanges(other.firstTokens)
  }

  show(): RequestSums {
    return { ...this.#numbers, latency_ms: this.latencies.show(), first_token_ms: this.firstTokens.show() }
  }
}

class Ranges {
  /** By range. A map would take several times as long. */
  readonly #counts: number[] = []

  addCounts(text: string | null): void {
    readCounts(text, (range, count) => this.#add(range, count))
  }

  addRanges(others: Ranges): void {
    for (const [range, count] of others.#counts.entries()) this.#add(range, count)
  }

  #add(range: number, count: number): void {
    while (this.#counts.length <= range) this.#counts.push(0)
    this.#counts[range] = (this.#counts[range] ?? 0) + count
  }

  show(): Percentiles | null {
    const all = this.#counts.reduce((sum, count) => sum + count, 0)
    if (all === 0) return null
    const percentile = (share: number): number => {
      let before = 0
      const found = this.#counts.findIndex(count => {
        before += count
        return before >= share * all
      })
      return Math.round(middleOfRange(found))
    }
    return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
  }
}
