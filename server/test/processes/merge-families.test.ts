// The metrics of several processes as one: sums where a sum says something, a label where it does not.
import { expect, test } from 'vitest'
import { mergeFamilies } from '../../src/processes/merge-families.ts'
import { fixedLabel } from '../../src/telemetry/label.ts'
import { createRegistry, type Family } from '../../src/telemetry/registry.ts'
import { renderPrometheus } from '../../src/telemetry/render-prometheus.ts'

function familiesOf(factor: number): Family[] {
  const registry = createRegistry()
  const label = fixedLabel('kind', ['a', 'b'])
  const counter = registry.counter({ name: 'calls_total', help: 'Calls.', labels: [label] })
  counter.add(factor, 'a')
  if (factor > 1) counter.add(factor, 'b')
  registry.histogram({ name: 'seconds', help: 'Time.', bounds: [1, 2] }).observe(factor)
  registry.reading('gauge', { name: 'bytes', help: 'Memory.' }, () => factor * 100)
  registry.reading('gauge', { name: 'sallyport_open_requests', help: 'Requests in flight.' }, () => factor)
  registry.reading('counter', { name: 'process_cpu_seconds_total', help: 'CPU time.' }, () => factor)
  return registry.families()
}

test('sums counters and histograms, and labels gauges with their process', () => {
  const merged = mergeFamilies([
    { process: 1, families: familiesOf(1) },
    { process: 2, families: familiesOf(2) },
    { process: null, families: familiesOf(4) },
  ])
  const lines = renderPrometheus(merged)
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  expect(lines).toEqual([
    'calls_total{kind="a"} 7',
    'calls_total{kind="b"} 6',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="2"} 2',
    'seconds_bucket{le="+Inf"} 3',
    'seconds_sum 7',
    'seconds_count 3',
    'bytes{process="1"} 100',
    'bytes{process="2"} 200',
    'sallyport_open_requests 3',
    'sallyport_process_open_requests{process="1"} 1',
    'sallyport_process_open_requests{process="2"} 2',
    'process_cpu_seconds_total 7',
    'sallyport_process_cpu_seconds_total{process="1"} 1',
    'sallyport_process_cpu_seconds_total{process="2"} 2',
  ])
})

test('leaves the families of one process as they were', () => {
  const before = familiesOf(3)
  const copy = structuredClone(before)
  mergeFamilies([
    { process: 1, families: before },
    { process: 2, families: familiesOf(2) },
  ])
  expect(before).toEqual(copy)
})
