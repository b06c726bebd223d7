// Gateway and inference in processes of their own: one trace through both, metrics on each of them, and what they say
// when the store goes away.
import { beforeAll, expect, test, vi } from 'vitest'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type Product, processesOfProduct, startProduct } from '../support/start-product.ts'
import { spansOf } from './collected-spans.ts'
import { parseMetrics } from './parse-metrics.ts'

const patience = { timeout: 60_000, interval: 50 }

let stage: Stage
let collector: ScriptedUpstream
let gateway: Product
let inference: Product
let project: TestProject

beforeAll(async () => {
  collector = await startUpstream()
  collector.on('*', { body: {} })
  stage = await openStage('postgres', { INTERNAL_SECRET: 'a-secret-between-two-services' }, { own: true })
  const { env, baseUrl, product } = stage.harness
  const common = { ...env, BASE_URL: baseUrl, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  inference = await startProduct({ env: { ...common, ROLE: 'inference' } })
  const own = { INFERENCE_URL: inference.baseUrl, API_URL: baseUrl, JWKS_URL: `${baseUrl}/.well-known/jwks.json` }
  const issuer = `http://localhost:${product.port}`
  gateway = await startProduct({ env: { ...common, ...own, JWT_ISSUER: issuer, ROLE: 'gateway' } })
  project = await stage.makeProject()
  stage.script(({ body }) => say('openai', { text: ['Good ', 'day'] }, body.includes('"stream":true')))
  return async () => {
    // Without their store they would wait for it at their end.
    await Promise.all([gateway.kill(), inference.kill()])
    await stage.stop()
    await collector.close()
  }
})

/** What a gauge must be in every process of one product. */
const inEach = (value: number): number[] => Array.from({ length: processesOfProduct }, () => value)

async function readMetrics({ baseUrl }: Product) {
  const answer = await fetch(`${baseUrl}/metrics`)
  expect(answer.status).toBe(200)
  return parseMetrics(await answer.text())
}

test('one trace goes through both processes and ends before the provider', async () => {
  const traceId = 'a'.repeat(32)
  const caller = '00f067aa0ba902b7'
  const headers = { traceparent: `00-${traceId}-${caller}-01`, tracestate: 'vendor=kept' }
  expect((await project.complete({ stream: true }, { headers, port: gateway.port })).status).toBe(200)
  const own = () => spansOf(collector.requests).filter(span => span.traceId === traceId)
  await vi.waitFor(() => expect(own()).toHaveLength(3), patience)
  const outer = own().find(({ parentSpanId }) => parentSpanId === caller)
  const inner = own().find(({ parentSpanId }) => parentSpanId === outer?.spanId)
  const tried = own().find(({ parentSpanId }) => parentSpanId === inner?.spanId)
  expect([outer, inner, tried].map(span => span?.kind)).toEqual([2, 2, 3])
  expect(tried?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'gen_ai.usage.output_tokens': 7 })
  expect(stage.upstream.requests.some(({ headers: sent }) => sent['traceparent'] ?? sent['tracestate'])).toBe(false)
})

test('each process tells of its own part', async () => {
  await vi.waitFor(async () => {
    const [outer, inner] = [await readMetrics(gateway), await readMetrics(inference)]
    expect(outer.value('sallyport_requests_total{route="completions",status="200"}')).toBe(1)
    expect(outer.value('sallyport_provider_tries_total{provider="openai",outcome="complete"}')).toBe(0)
    expect(inner.value('sallyport_requests_total{route="internal",status="200"}')).toBe(1)
    expect(inner.value('sallyport_provider_tries_total{provider="openai",outcome="complete"}')).toBe(1)
    for (const [role, metrics] of Object.entries({ gateway: outer, inference: inner })) {
      expect(metrics.gauges(`sallyport_role{role="${role}"}`)).toEqual(inEach(1))
      expect(metrics.gauges('sallyport_role{role="worker"}')).toEqual([])
      for (const part of ['store', 'database']) {
        expect(metrics.gauges(`sallyport_up{part="${part}"}`)).toEqual(inEach(1))
      }
    }
  }, patience)
})

test('a store that is gone is down, and what went on without it is counted', async () => {
  await stage.harness.redis?.stop()
  await vi.waitFor(
    async () => expect((await readMetrics(gateway)).gauges('sallyport_up{part="store"}')).toEqual(inEach(0)),
    patience,
  )
  expect((await project.complete({}, { port: gateway.port })).status).toBe(200)
  const { value, gauges } = await readMetrics(gateway)
  expect(value('sallyport_admissions_total{outcome="unavailable"}')).toBeGreaterThan(0)
  expect(value('sallyport_local_admissions_total')).toBeGreaterThan(0)
  // One for each process that has noticed it.
  expect(value('sallyport_store_outages_total')).toBeGreaterThanOrEqual(1)
  expect(value('sallyport_store_outages_total')).toBeLessThanOrEqual(processesOfProduct)
  expect(value('sallyport_store_failures_total{intention="admit"}')).toBeGreaterThan(0)
  expect(gauges('sallyport_up{part="database"}')).toEqual(inEach(1))
})
