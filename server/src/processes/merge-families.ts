// Adds up the metrics of the processes of one machine: counters and histograms are summed, and most gauges get a label
// with the number of their process, because their sum says nothing.
import type { Family, HistogramPoint, Point } from '../telemetry/registry.ts'

export interface ProcessFamilies {
  /** Null for processes that have ended: their gauges no longer count. */
  process: number | null
  families: readonly Family[]
}

/** Gauges whose sum is the machine's figure. */
const summedGauges: ReadonlySet<string> = new Set(['sallyport_open_requests', 'sallyport_open_streams'])
/** Also listed for each process, to show whether the work is spread. */
const listed: ReadonlyMap<string, string> = new Map([
  ['process_cpu_seconds_total', 'sallyport_process_cpu_seconds_total'],
  ['sallyport_open_requests', 'sallyport_process_open_requests'],
])

export function mergeFamilies(all: readonly ProcessFamilies[]): Family[] {
  const merged = new Map<string, Family>()
  for (const { process, families } of all) {
    for (const family of families) {
      const { name } = family
      if (process === null && family.kind === 'gauge') continue
      const added =
        process !== null && family.kind === 'gauge' && !summedGauges.has(name) ? labelled(family, process) : family
      merged.set(name, addUp(merged.get(name), added))
      const ownName = listed.get(name)
      if (ownName === undefined || process === null || family.kind === 'histogram') continue
      const own = labelled({ ...family, name: ownName, help: `${family.help} Of each process.` }, process)
      merged.set(ownName, addUp(merged.get(ownName), own))
    }
  }
  return [...merged.values()]
}

function labelled(family: Exclude<Family, { kind: 'histogram' }>, process: number): Family {
  const withLabel = (point: Point): Point => ({ ...point, labels: [...point.labels, ['process', String(process)]] })
  return { ...family, points: family.points.map(withLabel) }
}

function addUp(known: Family | undefined, added: Family): Family {
  if (known === undefined) return added
  if (known.kind === 'histogram') {
    if (added.kind !== 'histogram') return known
    return { ...known, points: sumPoints(known.points, added.points, addHistograms) }
  }
  if (added.kind === 'histogram') return known
  return { ...known, points: sumPoints(known.points, added.points, (a, b) => ({ ...a, value: a.value + b.value })) }
}

function sumPoints<P extends Point | HistogramPoint>(known: P[], added: P[], add: (a: P, b: P) => P): P[] {
  const sums = new Map(known.map(point => [keyOf(point), point]))
  for (const point of added) {
    const key = keyOf(point)
    const same = sums.get(key)
    sums.set(key, same === undefined ? point : add(same, point))
  }
  return [...sums.values()]
}

function addHistograms(a: HistogramPoint, b: HistogramPoint): HistogramPoint {
  return { labels: a.labels, counts: a.counts.map((count, at) => count + (b.counts[at] ?? 0)), sum: a.sum + b.sum }
}

function keyOf({ labels }: Point | HistogramPoint): string {
  return JSON.stringify(labels)
}
