// The exporter against collectors that answer, refuse, hang or are not there: everything arrives that can, nothing
// waits for it, and what was dropped is counted.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { fixedLabel } from '../../src/telemetry/label.ts'
import { createOtlpExporter } from '../../src/telemetry/otlp-exporter.ts'
import { createRegistry } from '../../src/telemetry/registry.ts'
import { renderPrometheus } from '../../src/telemetry/render-prometheus.ts'
import type { Span } from '../../src/telemetry/span.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { findFreePort } from '../support/server-process.ts'
import { startUpstream, type UpstreamRequest } from '../support/simulated/scripted-upstream.ts'
import { roomFor } from '../support/slowness.ts'
import { parseMetrics } from './parse-metrics.ts'

type Options = Partial<Parameters<typeof createOtlpExporter>[0]>

const patience = { timeout: 60_000, interval: 20 }

function openExporter(endpoint: string, options: Options = {}) {
  const { log, lines } = createMemoryLog()
  const outbound = createOutbound({ allow: parseOutboundAllow(''), log })
  onTestFinished(() => outbound.close())
  const registry = createRegistry()
  const exporter = createOtlpExporter({
    endpoint,
    headers: { 'x-api-key': 'a key' },
    metricsEveryMs: 3_600_000,
    spansEveryMs: 20,
    resource: { 'service.name': 'sallyport' },
    registry,
    outbound,
    log,
    ...options,
  })
  onTestFinished(() => exporter.stop())
  return { exporter, registry, lines, metrics: () => parseMetrics(renderPrometheus(registry.families())) }
}

async function openCollector() {
  const collector = await startUpstream()
  onTestFinished(() => collector.close())
  collector.on('*', { body: {} })
  return collector
}

function spanOf(number: number): Span {
  return {
    traceId: 'a'.repeat(32),
    spanId: number.toString(16).padStart(16, '0'),
    parentSpanId: null,
    name: 'chat',
    kind: 'client',
    startedAt: 1_795_000_000_000.25,
    endedAt: 1_795_000_000_001.5,
    attributes: { 'gen_ai.usage.input_tokens': 3, 'gen_ai.request.stream': true, 'error.type': 'timeout', share: 0.5 },
    isFailed: true,
  }
}

interface TracesBody {
  resourceSpans: { scopeSpans: { spans: { spanId: string }[] }[] }[]
}

function spanIdsOf(requests: readonly UpstreamRequest[]): string[] {
  return requests
    .filter(({ path }) => path.endsWith('/v1/traces'))
    .flatMap(({ body }) => (JSON.parse(body) as TracesBody).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)))
}

test('a span is sent in the form of the protocol, below the path of the address', async () => {
  const collector = await openCollector()
  const { exporter } = openExporter(`${collector.url}/otlp`)
  exporter.add(spanOf(7))
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), patience)
  const [{ method, path, headers, body } = {} as UpstreamRequest] = collector.requests
  expect({ method, path }).toEqual({ method: 'POST', path: '/otlp/v1/traces' })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-api-key': 'a key' })
  const attribute = (key: string, value: unknown) => ({ key, value })
  expect(JSON.parse(body)).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [attribute('service.name', { stringValue: 'sallyport' })] },
        scopeSpans: [
          {
            scope: { name: 'sallyport' },
            spans: [
              {
                traceId: 'a'.repeat(32),
                spanId: '0000000000000007',
                name: 'chat',
                kind: 3,
                startTimeUnixNano: '1795000000000250000',
                endTimeUnixNano: '1795000000001500000',
                attributes: [
                  attribute('gen_ai.usage.input_tokens', { intValue: '3' }),
                  attribute('gen_ai.request.stream', { boolValue: true }),
                  attribute('error.type', { stringValue: 'timeout' }),
                  attribute('share', { doubleValue: 0.5 }),
                ],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  })
})

test('metrics are sent under the names of the conventions, cumulative from the start of the process', async () => {
  const collector = await openCollector()
  const { registry, exporter } = openExporter(collector.url, { metricsEveryMs: 30 })
  const labels = [
    fixedLabel('provider', ['google']),
    fixedLabel('direction', ['input']),
    fixedLabel('endpoint', ['embeddings']),
  ]
  registry
    .histogram({ name: 'sallyport_answer_tokens', help: 'Tokens.', labels, bounds: [1, 10] })
    .observe(4, 'google', 'input', 'embeddings')
  registry.counter({ name: 'sallyport_things_total', help: 'Things.' }).add(2)
  const isMetrics = ({ path, body }: UpstreamRequest) => path === '/v1/metrics' && body.includes('things')
  await vi.waitFor(() => expect(collector.requests.filter(isMetrics).length).toBeGreaterThan(1), patience)
  await exporter.stop()
  const { body } = collector.requests.findLast(isMetrics)!
  const [{ scopeMetrics }] = JSON.parse(body).resourceMetrics
  const metrics = new Map(scopeMetrics[0].metrics.map((metric: { name: string }) => [metric.name, metric]))
  const times = {
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    timeUnixNano: expect.stringMatching(/^\d{19}$/),
  }
  expect(metrics.get('gen_ai.client.token.usage')).toEqual({
    name: 'gen_ai.client.token.usage',
    description: 'Tokens.',
    unit: '{token}',
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          ...times,
          attributes: [
            { key: 'gen_ai.provider.name', value: { stringValue: 'gcp.gemini' } },
            { key: 'gen_ai.token.type', value: { stringValue: 'input' } },
            { key: 'endpoint', value: { stringValue: 'embeddings' } },
            { key: 'gen_ai.operation.name', value: { stringValue: 'embeddings' } },
          ],
          count: '1',
          sum: 4,
          bucketCounts: ['0', '1', '0'],
          explicitBounds: [1, 10],
        },
      ],
    },
  })
  expect(metrics.get('sallyport_things_total')).toMatchObject({
    unit: '1',
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...times, attributes: [], asDouble: 2 }] },
  })
})

test('while there is no collector, nothing waits, the queue is bounded and drops are counted; then all of it arrives', async () => {
  const port = await findFreePort()
  const { exporter, lines, metrics } = openExporter(`http://127.0.0.1:${port}`, { maxSpans: 300 })
  for (let number = 0; number < 1_000; number++) exporter.add(spanOf(number))
  await vi.waitFor(() => expect(lines).toHaveLength(1), patience)
  expect(metrics().value('sallyport_spans_waiting')).toBe(300)
  expect(metrics().value('sallyport_spans_dropped_total{reason="queue_full"}')).toBe(700)
  const received: string[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    received.push(
      ...spanIdsOf([{ method: 'POST', path, query: {}, headers: {}, body: Buffer.concat(chunks).toString() }]),
    )
    response.end('{}')
  })
  await new Promise<void>(resolve => collector.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void collector.close())
  expect((collector.address() as AddressInfo).port).toBe(port)
  await vi.waitFor(() => expect(received).toHaveLength(300), patience)
  // Each once and in its order, however many tries it took.
  expect(received).toEqual(Array.from({ length: 300 }, (_, number) => spanOf(number).spanId))
  await vi.waitFor(() => expect(metrics().value('sallyport_spans_waiting')).toBe(0), patience)
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'warn telemetry export failed, check the OTLP collector',
    'info telemetry export works again',
  ])
})

test('what is refused for good is let go and counted; what may be taken later is tried again', async () => {
  const collector = await openCollector()
  const answers = [{ status: 503 }, { status: 400 }, { body: { partialSuccess: { rejectedSpans: '1' } } }]
  collector.on('POST /v1/traces', () => answers.shift() ?? { body: {} })
  const { exporter, metrics } = openExporter(collector.url)
  exporter.add(spanOf(1))
  await vi.waitFor(
    () => expect(spanIdsOf(collector.requests)).toEqual([1, 1].map(number => spanOf(number).spanId)),
    patience,
  )
  exporter.add(spanOf(2))
  exporter.add(spanOf(3))
  await vi.waitFor(() => expect(metrics().value('sallyport_spans_dropped_total{reason="refused"}')).toBe(2), patience)
  expect(spanIdsOf(collector.requests)).toEqual([1, 1, 2, 3].map(number => spanOf(number).spanId))
})

test('a collector that takes everything and says nothing is waited for once at a time, and never at the end', async () => {
  const collector = await openCollector()
  collector.on('*', { write: () => undefined })
  const { exporter } = openExporter(collector.url, { timeoutMs: 30_000 })
  exporter.add(spanOf(1))
  await vi.waitFor(() => expect(collector.requests).toHaveLength(1), patience)
  for (let number = 0; number < 500; number++) exporter.add(spanOf(number))
  const startedAt = performance.now()
  await exporter.stop()
  expect(performance.now() - startedAt).toBeLessThan(roomFor(5_000))
  expect(collector.requests.filter(({ path }) => path === '/v1/traces')).toHaveLength(1)
})

test('what is left when the process stops is sent', async () => {
  const collector = await openCollector()
  const { exporter } = openExporter(collector.url, { spansEveryMs: 3_600_000 })
  exporter.add(spanOf(1))
  await exporter.stop()
  expect(spanIdsOf(collector.requests)).toEqual([spanOf(1).spanId])
  expect(collector.requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
})
