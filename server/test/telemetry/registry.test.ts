// The registry and its text: what is recorded comes out, once, in the form that scrapers read, and no stream of new
// words makes a new series.
import { describe, expect, test } from 'vitest'
import { fixedLabel, openLabel } from '../../src/telemetry/label.ts'
import { createRegistry } from '../../src/telemetry/registry.ts'
import { renderPrometheus } from '../../src/telemetry/render-prometheus.ts'
import { parseMetrics } from './parse-metrics.ts'

const read = (registry: ReturnType<typeof createRegistry>) => parseMetrics(renderPrometheus(registry.families()))

test('counts by two labels, and shows a small family before its first step', () => {
  const registry = createRegistry()
  const labels = [fixedLabel('colour', ['red', 'blue']), fixedLabel('size', ['small', 'large'])]
  const counter = registry.counter({ name: 'things_total', help: 'Things.', labels })
  counter.add(1, 'red', 'large')
  counter.add(2.5, 'red', 'large')
  counter.add(1, 'green', 'small')
  expect(Object.fromEntries(read(registry).samples)).toEqual({
    'things_total{colour="red",size="small"}': 0,
    'things_total{colour="red",size="large"}': 3.5,
    'things_total{colour="blue",size="small"}': 0,
    'things_total{colour="blue",size="large"}': 0,
    'things_total{colour="other",size="small"}': 1,
  })
})

test('puts a value into the bucket whose bound it does not exceed', () => {
  const registry = createRegistry()
  const histogram = registry.histogram({ name: 'wait_seconds', help: 'Waits.', bounds: [0.1, 1] })
  for (const value of [0, 0.1, 0.100001, 1, 7, -3]) histogram.observe(value)
  expect(Object.fromEntries(read(registry).samples)).toEqual({
    'wait_seconds_bucket{le="0.1"}': 3,
    'wait_seconds_bucket{le="1"}': 5,
    'wait_seconds_bucket{le="+Inf"}': 6,
    wait_seconds_sum: 8.200001,
    wait_seconds_count: 6,
  })
})

test('reads when it is asked, and leaves out what has nothing to say', () => {
  const registry = createRegistry()
  let value: number | null = null
  registry.reading('gauge', { name: 'level', help: 'Level.' }, () => value)
  expect(renderPrometheus(registry.families())).toBe('')
  value = Number.POSITIVE_INFINITY
  expect(read(registry).value('level')).toBe(Number.POSITIVE_INFINITY)
})

test('escapes what would break a line', () => {
  const registry = createRegistry()
  const words = 'a "quoted" back\\slash\nand a line'
  registry.reading('gauge', { name: 'level', help: words, label: 'word' }, () => [[words, 1]])
  const text = renderPrometheus(registry.families())
  expect(text.split('\n')).toHaveLength(4)
  expect([...parseMetrics(text).samples.keys()]).toEqual(['level{word="a \\"quoted\\" back\\\\slash\\nand a line"}'])
})

describe('new words', () => {
  test('beyond the room are one series together', () => {
    const registry = createRegistry()
    const counter = registry.counter({ name: 'words_total', help: 'Words.', labels: [openLabel('word', 3)] })
    for (let word = 0; word < 10_000; word++) counter.add(1, `word-${word}`)
    counter.add(1, 'word-0')
    const { samples, value } = read(registry)
    expect(samples.size).toBe(4)
    expect(value('words_total{word="word-0"}')).toBe(2)
    expect(value('words_total{word="other"}')).toBe(9_997)
  })

  test.each(['__proto__', 'constructor', 'toString', ''])('such as %j are words like all others', word => {
    const label = fixedLabel('word', ['known'])
    expect(label.values[label.places.get(word) ?? label.meet(word)]).toBe('other')
  })
})

describe('the reader of these tests refuses', () => {
  test.each([
    ['a family twice', '# HELP a b\n# TYPE a gauge\na 1\n# HELP a b\n# TYPE a gauge\na 1\n'],
    ['a series twice', '# HELP a b\n# TYPE a gauge\na 1\na 2\n'],
    ['a sample without a type', 'a 1\n'],
    [
      'buckets that fall',
      '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    ],
    ['a count of its own', '# HELP a b\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n'],
    ['a label with a bare quote', '# HELP a b\n# TYPE a gauge\na{x="""} 1\n'],
    ['a number that is none', '# HELP a b\n# TYPE a gauge\na NaNa\n'],
    ['a text that does not end', '# HELP a b\n# TYPE a gauge\na 1'],
  ])('%s', (_, text) => {
    expect(() => parseMetrics(text)).toThrow()
  })
})
