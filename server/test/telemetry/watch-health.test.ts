// The gauges of what the process stands on: up, down, hanging, and up again.
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRegistry } from '../../src/telemetry/registry.ts'
import { renderPrometheus } from '../../src/telemetry/render-prometheus.ts'
import { watchHealth } from '../../src/telemetry/watch-health.ts'
import { parseMetrics } from './parse-metrics.ts'

const patience = { timeout: 60_000, interval: 10 }

test('a part that fails or hangs is down while it does, and the others are not', async () => {
  const registry = createRegistry()
  let behaviour: 'answers' | 'fails' | 'hangs' = 'answers'
  let asked = 0
  const store = {
    ping() {
      asked++
      if (behaviour === 'fails') return Promise.reject(new Error('away'))
      return behaviour === 'hangs' ? new Promise<void>(() => undefined) : Promise.resolve()
    },
  }
  const database = { ping: () => Promise.resolve() }
  onTestFinished(watchHealth(registry, { store, database }, { everyMs: 10, timeoutMs: 40 }))
  const up = (part: string) => parseMetrics(renderPrometheus(registry.families())).value(`sallyport_up{part="${part}"}`)
  for (const next of ['fails', 'answers', 'hangs', 'answers'] as const) {
    behaviour = next
    await vi.waitFor(() => expect(up('store')).toBe(next === 'answers' ? 1 : 0), patience)
    expect(up('database')).toBe(1)
  }
  // One at a time, also while it hangs.
  behaviour = 'hangs'
  await vi.waitFor(() => expect(up('store')).toBe(0), patience)
  const before = asked
  await new Promise(resolve => setTimeout(resolve, 30))
  expect(asked - before).toBeLessThanOrEqual(2)
})
