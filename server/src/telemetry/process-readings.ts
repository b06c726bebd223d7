// Metrics of the process itself, under the names of Prometheus's own clients.
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { openLabel } from './label.ts'
import type { Registry } from './registry.ts'

const gcBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
/** The constants of node:perf_hooks. */
const gcKinds: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb', 2: 'minor' }

interface Build {
  version: string
  roles: Iterable<string>
}

/** Returns a function that stops the measurement. */
export function readProcess(registry: Registry, build: Build): () => void {
  const { reading } = registry
  reading(
    'gauge',
    { name: 'sallyport_build_info', help: '1, labelled with the version of Sallyport.', label: 'version' },
    () => [[build.version, 1]],
  )
  reading(
    'gauge',
    { name: 'nodejs_version_info', help: '1, labelled with the version of Node.', label: 'version' },
    () => [[process.versions.node, 1]],
  )
  reading('gauge', { name: 'sallyport_role', help: '1 for each role of this process.', label: 'role' }, () =>
    [...build.roles].map(role => [role, 1] as const),
  )
  const startedAt = performance.timeOrigin / 1_000
  reading(
    'gauge',
    { name: 'process_start_time_seconds', help: 'Start of the process, in epoch seconds.' },
    () => startedAt,
  )
  reading('counter', { name: 'process_cpu_seconds_total', help: 'CPU time, user and system.' }, () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  reading('gauge', { name: 'process_resident_memory_bytes', help: 'Resident memory of the process.' }, () =>
    process.memoryUsage.rss(),
  )
  reading('gauge', { name: 'nodejs_memory_bytes', help: 'Memory of the runtime, by kind.', label: 'kind' }, () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    return Object.entries({ heap_used: heapUsed, heap_total: heapTotal, external, array_buffers: arrayBuffers })
  })
  const stops = [readEventLoop(registry), watchCollections(registry)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Two scrapers must not reset each other's figures: only a window of this age is reset. */
const windowMs = 15_000

function readEventLoop({ reading }: Registry): () => void {
  const resolutionMs = 20
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let beganAt = performance.now()
  // The histogram includes the timer's own interval.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3)
  reading(
    'gauge',
    {
      name: 'nodejs_eventloop_delay_seconds',
      help: 'Delay of the event loop, in a window of 15 seconds or since the last scrape.',
      label: 'quantile',
    },
    () => {
      // There is no figure before the first sample.
      if (delay.count === 0) return null
      const values = [50, 90, 99].map(percent => [String(percent / 100), seconds(delay.percentile(percent))] as const)
      const found = [...values, ['1', seconds(delay.max)] as const]
      if (performance.now() - beganAt >= windowMs) {
        delay.reset()
        beganAt = performance.now()
      }
      return found
    },
  )
  return () => void delay.disable()
}

function watchCollections({ histogram }: Registry): () => void {
  const duration = histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Pauses for garbage collection.',
    labels: [openLabel('kind', 4)],
    bounds: gcBounds,
  })
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const kind = (entry as PerformanceEntry & { detail?: { kind?: number } }).detail?.kind
      duration.observe(entry.duration / 1_000, gcKinds[kind ?? 0] ?? 'other')
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
