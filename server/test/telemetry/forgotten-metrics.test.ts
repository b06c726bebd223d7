// Nothing is forgotten on the way of a metric or an event: every instrument records something, every name and word of
// a label is documented, every event type is, too.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { guardrailEventTypes } from '../../src/domain/guardrails/guardrails.ts'
import {
  dnsActions,
  eventOutcomes,
  guardrailVerdicts,
  jobOutcomes,
  usageRowOutcomes,
} from '../../src/domain/metrics.ts'
import { createMetrics, type Recorder } from '../../src/telemetry/create-metrics.ts'
import { createInstruments } from '../../src/telemetry/instruments.ts'
import { createRegistry, type Registry } from '../../src/telemetry/registry.ts'

/** A registry that notes which of its instruments were used. */
function createWatchedRegistry() {
  const registry = createRegistry()
  const made = new Set<string>()
  const used = new Set<string>()
  const watched: Registry = {
    ...registry,
    counter(described) {
      made.add(described.name)
      const counter = registry.counter(described)
      return {
        add(...given) {
          used.add(described.name)
          counter.add(...given)
        },
      }
    },
    histogram(described) {
      made.add(described.name)
      const histogram = registry.histogram(described)
      return {
        observe(...given) {
          used.add(described.name)
          histogram.observe(...given)
        },
      }
    },
  }
  return { watched, made, used }
}

/** One for each intention: a new one without an entry here does not compile. */
const recordings: { [Intention in keyof Recorder]: (metrics: Recorder) => void } = {
  guardrailChecked: metrics => metrics.guardrailChecked({ guardrail: 'pii', direction: 'input' }, 'passed', 1),
  verdictReused: metrics => metrics.verdictReused('pii'),
  anonymousAsked: metrics => metrics.anonymousAsked('proof_of_work', 'issued'),
  recogniserCalled: metrics => metrics.recogniserCalled('answered', 1),
  watchCall(metrics) {
    const watch = metrics.watchCall(
      {},
      { endpoint: 'chat_completions', provider: 'openai', model: null, isStream: true },
    )
    watch.attemptStarted()
    watch.attemptAnswered()
    watch.answerEnded('complete')
    watch.usageRecorded({ promptTokens: 5, completionTokens: 7 })
  },
  cacheLookedUp: metrics => metrics.cacheLookedUp('hit'),
  requestRows: metrics => metrics.requestRows('written', 1),
  requestRowsDelayed: metrics => metrics.requestRowsDelayed(1),
  usageRows: metrics => metrics.usageRows('written', 1),
  queryEnded: metrics => metrics.queryEnded(1, true),
  storeCalled: metrics => metrics.storeCalled('admit', 1, true),
  admitted: metrics => metrics.admitted('admitted'),
  budgetRefused: metrics => metrics.budgetRefused('project', 'spent'),
  eventEmitted: metrics => metrics.eventEmitted('stored'),
  configSeen: metrics => metrics.configSeen(1),
  killSwitchesSeen: metrics => metrics.killSwitchesSeen(1, { global: 0, tenant: 0, project: 0 }),
  jobEnded: metrics => metrics.jobEnded('sync-stores', 'done', 1),
  auditEntryAdded: metrics => metrics.auditEntryAdded('done'),
  signOnEnded: metrics => metrics.signOnEnded('tenant', 'done'),
  webhookAttempted: metrics => metrics.webhookAttempted('delivered'),
  meterEvents: metrics => metrics.meterEvents('sent', 1),
  dnsAttempted: metrics => metrics.dnsAttempted('register', 'done'),
  requestEnded(metrics) {
    const response = { headersSent: true, statusCode: 200, writableFinished: true }
    metrics.requestEnded({} as never, response as never, { plane: 'data', route: undefined, durationMs: 1 } as never)
  },
}

test('the intentions of the product together use every instrument', () => {
  const { watched, made, used } = createWatchedRegistry()
  const metrics = createMetrics({ registry: watched, tracer: null })
  for (const record of Object.values(recordings)) record(metrics)
  // Recorded from what the response was refused with, which only a real response knows.
  expect([...made].filter(name => !used.has(name))).toEqual(['sallyport_refusals_total'])
})

describe('the words of a label', () => {
  const families = () => {
    const registry = createRegistry()
    const instruments = createInstruments(registry)
    return { registry, instruments }
  }

  test.each(guardrailVerdicts)('the verdict %s has a series of its own', verdict => {
    const { registry, instruments } = families()
    instruments.verdicts.add(1, 'pii', 'output', verdict)
    const family = registry.families().find(({ name }) => name === 'sallyport_guardrail_verdicts_total')
    expect(family?.points.filter(({ labels }) => labels.some(([, value]) => value === verdict))).not.toEqual([])
  })
})

describe('the docs name', () => {
  const root = join(import.meta.dirname, '../../..')
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const observability = read('docs/observability.md')
  const literals = globSync('server/src/**/*.ts', { cwd: root }).flatMap(
    path => read(path).match(/'sallyport_[a-z_]+'/g) ?? [],
  )
  const names = [...new Set(literals.map(literal => literal.slice(1, -1)))].sort()

  test('every metric of the source', () => {
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter(name => !observability.includes(name))).toEqual([])
  })

  test.each([...guardrailVerdicts, ...eventOutcomes, ...usageRowOutcomes, ...jobOutcomes, ...dnsActions])(
    'the word %s of a label',
    word => expect(observability).toContain(`\`${word}\``),
  )

  test.each([...guardrailEventTypes])('the guardrail event %s', type => {
    for (const page of ['docs/kv-schema.md', 'docs/guardrails.md']) expect(read(page), page).toContain(`\`${type}\``)
  })
})
