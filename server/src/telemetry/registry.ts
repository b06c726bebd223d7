// The metrics registry of this process: counters and histograms as numbers in preallocated arrays, and readings taken
// on demand. Recording is a look-up and an addition.
import type { Label } from './label.ts'

type LabelPairs = ReadonlyArray<readonly [name: string, value: string]>

export interface Point {
  labels: LabelPairs
  value: number
}

export interface HistogramPoint {
  labels: LabelPairs
  /** One for each bound and one for values above them all; not cumulative. */
  counts: number[]
  sum: number
}

interface Named {
  name: string
  help: string
}

export type Family = Named &
  (
    | { kind: 'counter' | 'gauge'; points: Point[] }
    | { kind: 'histogram'; bounds: readonly number[]; points: HistogramPoint[] }
  )

interface Described extends Named {
  labels?: readonly Label[]
}

export interface Counter {
  add(amount: number, first?: string, second?: string, third?: string): void
}

export interface Histogram {
  observe(value: number, first?: string, second?: string, third?: string): void
}

/** One value, or one for each value of the label; null if there is none. */
export type Sample = number | null | ReadonlyArray<readonly [value: string, amount: number]>

export interface Registry {
  counter(described: Described): Counter
  histogram(described: Described & { bounds: readonly number[] }): Histogram
  /** Read at each export; a reading of kind `counter` must only rise. */
  reading(kind: 'counter' | 'gauge', named: Named & { label?: string }, read: () => Sample): void
  /** A snapshot, in the order of creation. */
  families(): Family[]
}

/** Counters with at most this many series are exported before their first use, so that the first step is visible. */
const maxShownUnused = 16

export function createRegistry(): Registry {
  const reads: (() => Family)[] = []
  return {
    counter(described) {
      const { name, help, labels = [] } = described
      const series = createSeries(labels)
      const values = new Float64Array(series.size)
      const showsUnused = series.size <= maxShownUnused
      reads.push(() => ({
        kind: 'counter',
        name,
        help,
        points: series
          .list()
          .filter(({ at, isOther }) => values[at] !== 0 || (showsUnused && !isOther))
          .map(({ at, labels }) => ({ labels, value: values[at]! })),
      }))
      return {
        add(amount, first, second, third) {
          values[series.at(first, second, third)]! += amount
        },
      }
    },
    histogram(described) {
      const { name, help, bounds, labels = [] } = described
      const series = createSeries(labels)
      const buckets = createBuckets(series, bounds)
      reads.push(() => ({
        kind: 'histogram',
        name,
        help,
        bounds,
        points: series
          .list()
          .map(({ at, labels }) => ({ labels, ...buckets.read(at) }))
          .filter(({ counts }) => counts.some(count => count > 0)),
      }))
      return { observe: buckets.observe }
    },
    reading(kind, { name, help, label }, read) {
      reads.push(() => ({ kind, name, help, points: pointsOf(read(), label) }))
    },
    families: () => reads.map(read => read()),
  }
}

function pointsOf(reading: Sample, label: string | undefined): Point[] {
  if (reading === null) return []
  if (typeof reading === 'number') return [{ labels: [], value: reading }]
  return reading.map(([value, amount]) => ({ labels: label === undefined ? [] : [[label, value]], value: amount }))
}

interface Series {
  readonly size: number
  at(first: string | undefined, second: string | undefined, third?: string): number
  list(): { at: number; labels: LabelPairs; isOther: boolean }[]
}

/** At most three labels. */
function createSeries(labels: readonly Label[]): Series {
  const [first, second, third] = labels
  const depth = third?.capacity ?? 1
  const width = (second?.capacity ?? 1) * depth
  return {
    size: (first?.capacity ?? 1) * width,
    at(a, b, c) {
      let at = 0
      if (first !== undefined && a !== undefined) at = (first.places.get(a) ?? first.meet(a)) * width
      if (second !== undefined && b !== undefined) at += (second.places.get(b) ?? second.meet(b)) * depth
      return third === undefined || c === undefined ? at : at + (third.places.get(c) ?? third.meet(c))
    },
    list() {
      let series: { at: number; labels: LabelPairs }[] = [{ at: 0, labels: [] }]
      for (const label of labels) {
        series = series.flatMap(({ at, labels: before }) =>
          label.values.map((value, place) => ({
            at: at * label.capacity + place,
            labels: [...before, [label.name, value] as const],
          })),
        )
      }
      return series.map(one => ({ ...one, isOther: one.labels.some(([, value]) => value === 'other') }))
    },
  }
}

function createBuckets(series: Pick<Series, 'size' | 'at'>, bounds: readonly number[]) {
  const width = bounds.length + 1
  const counts = new Float64Array(series.size * width)
  const sums = new Float64Array(series.size)
  return {
    observe(value: number, first?: string, second?: string, third?: string): void {
      const at = series.at(first, second, third)
      // A clock that was set back must not decrease a counter.
      const amount = value >= 0 ? value : 0
      let bucket = 0
      while (bucket < bounds.length && amount > bounds[bucket]!) bucket++
      counts[at * width + bucket]! += 1
      sums[at]! += amount
    },
    read: (at: number) => ({ counts: [...counts.subarray(at * width, (at + 1) * width)], sum: sums[at]! }),
  }
}
