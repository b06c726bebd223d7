// Routes with gateway and inference in processes of their own: the gateway passes on which target answered, charges
// once, and each attempt is a span and a metric of the inference process.
import { beforeAll, expect, test } from 'vitest'
import { errorResponse } from '../../support/simulated/provider-answers.ts'
import { startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { spansOf } from '../../telemetry/collected-spans.ts'
import { parseMetrics } from '../../telemetry/parse-metrics.ts'
import type { TestProject } from '../inference-stage.ts'
import { inOrder, models, openRouteStage, routeOf, saying } from './route-stage.ts'

let project: TestProject
let gateway: Product
let inference: Product
let collector: Awaited<ReturnType<typeof startUpstream>>

beforeAll(async () => {
  collector = await startUpstream()
  collector.on('*', { body: {} })
  const troubles = { 500: () => errorResponse('openai', 500, 'no'), 429: () => errorResponse('openai', 429, 'no') }
  const routes = await openRouteStage('postgres', troubles, { INTERNAL_SECRET: 'a-secret-between-two-services' })
  const { env, baseUrl, product } = routes.stage.harness
  const common = { ...env, BASE_URL: baseUrl, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  inference = await startProduct({ env: { ...common, ROLE: 'inference' } })
  gateway = await startProduct({
    env: {
      ...common,
      ROLE: 'gateway',
      INFERENCE_URL: inference.baseUrl,
      API_URL: baseUrl,
      JWKS_URL: `${baseUrl}/.well-known/jwks.json`,
      JWT_ISSUER: `http://localhost:${product.port}`,
    },
  })
  project = await routes.makeProject({ ...inOrder(), tokens_per_day: 1_000_000 })
  return async () => {
    await Promise.all([gateway.stop(), inference.stop()])
    await routes.stop()
    await collector.close()
  }
})

test('the headers, one charge, and a span and a metric for each attempt', async () => {
  const traceId = 'b'.repeat(32)
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const before = await project.usage({ port: gateway.port })
  const answer = await project.complete(saying('tag=apart openai!500 anthropic!429'), { port: gateway.port, headers })
  expect([answer.status, ...routeOf(answer)]).toEqual([200, models.mistral, '3'])
  const stream = await project.open(saying('tag=apart-2 openai!500'), { port: gateway.port })
  expect(await stream.ended).toBe(true)
  expect([stream.status, ...routeOf(stream)]).toEqual([200, models.anthropic, '2'])
  const failed = await project.complete(saying('openai!500 anthropic!429 mistral!500'), { port: gateway.port })
  expect([failed.status, ...routeOf(failed)]).toEqual([502, models.mistral, '3'])
  const after = await project.usage({ port: gateway.port })
  expect([after.requests - before.requests, after.total_tokens - before.total_tokens]).toEqual([2, 36])
  const limits = await project.ask('GET', '/v1/models', { port: gateway.port })
  expect(limits.headers['x-ratelimit-remaining-tokens']).toBe('999964')

  const attempts = () =>
    spansOf(collector.requests)
      .filter(span => span.traceId === traceId && span.kind === 3)
      .sort((a, b) => a.startedAt - b.startedAt)
      .map(({ isFailed, attributes }) => [attributes['gen_ai.provider.name'], isFailed, attributes['error.type']])
  await expect.poll(attempts, { interval: 100 }).toEqual([
    ['openai', true, 'server_error'],
    ['anthropic', true, 'rate_limit'],
    ['mistral_ai', false, undefined],
  ])
  const { value } = parseMetrics(await (await fetch(`${inference.baseUrl}/metrics`)).text())
  const tries = (provider: string, outcome: string) =>
    value(`sallyport_provider_tries_total{provider="${provider}",outcome="${outcome}"}`)
  expect(tries('openai', 'server_error')).toBe(3)
  expect([tries('anthropic', 'rate_limit'), tries('anthropic', 'complete')]).toEqual([2, 1])
  expect([tries('mistral', 'complete'), tries('mistral', 'server_error')]).toEqual([1, 1])
})
