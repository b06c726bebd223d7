// Tests /v1/messages with the inference role in a separate process behind a gateway: the same bytes, the client's version
// and betas, errors in the format of Anthropic, and what answers cost.
import { beforeAll, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import {
  anthropicEvents,
  makeProjectOf,
  type ProviderWire,
  play,
  script,
  scriptKeyChecks,
  sixWires,
} from '../../inference/six-wires.ts'
import { type Product, startProduct } from '../../support/start-product.ts'
import { grammarOf, messageOf } from './messages-stream.ts'

const prompt = { max_tokens: 500, messages: [{ role: 'user', content: 'Hello' }] }
const wireOf = (name: string) => sixWires.find(({ provider }) => provider === name) as ProviderWire
const wires = [wireOf('anthropic'), wireOf('openai')]
const patience = { UPSTREAM_TIMEOUT: '5', UPSTREAM_IDLE_TIMEOUT: '5', UPSTREAM_TOTAL_TIMEOUT: '20' }
const projects = new Map<string, TestProject>()
let stage: Stage
let gateway: Product

beforeAll(async () => {
  stage = await openStage('postgres', { INTERNAL_SECRET: 'a-secret-between-two-services', ...patience }, { own: true })
  scriptKeyChecks(stage)
  const common = { ...stage.harness.env, BASE_URL: stage.harness.baseUrl }
  const inference = await startProduct({ env: { ...common, ROLE: 'inference' } })
  gateway = await startProduct({
    env: {
      ...common,
      ROLE: 'gateway',
      INFERENCE_URL: inference.baseUrl,
      API_URL: stage.harness.baseUrl,
      JWKS_URL: `${stage.harness.baseUrl}/.well-known/jwks.json`,
      JWT_ISSUER: `http://localhost:${stage.harness.product.port}`,
    },
  })
  for (const wire of wires) projects.set(wire.provider, await makeProjectOf(stage, wire, { tokens_per_day: 1_000_000 }))
  return async () => {
    await Promise.all([gateway.stop(), inference.stop()])
    await stage.stop()
  }
})

const projectOf = ({ provider }: ProviderWire) => projects.get(provider) as TestProject
const post = (wire: ProviderWire, body: object = {}, headers: Record<string, string> = {}) =>
  projectOf(wire).ask('POST', '/v1/messages', { body: { ...prompt, ...body }, headers, port: gateway.port })

/** What the day's budget has been charged. */
async function spentOf(wire: ProviderWire): Promise<number> {
  const { headers } = await projectOf(wire).ask('GET', '/v1/models', { port: gateway.port })
  return 1_000_000 - Number(headers['x-ratelimit-remaining-tokens'])
}

test.each(wires)('whole and streamed answers of $provider, and what they cost', async wire => {
  play(stage, wire, { text: ['Hel', 'lo'] })
  const whole = await post(wire)
  expect(whole).toMatchObject({ status: 200, body: { content: [{ text: 'Hello' }] } })
  expect(whole.headers['request-id']).toBe(whole.headers['x-request-id'])
  const stream = await post(wire, { stream: true })
  expect(messageOf(grammarOf(stream.text))).toMatchObject({ content: [{ text: 'Hello' }], stop_reason: 'end_turn' })
  await expect.poll(() => spentOf(wire)).toBe(36)
})

test.each(wires)('a stream of $provider that breaks off is charged what it cost, and ends in an error', async wire => {
  const before = await spentOf(wire)
  script(stage, wire, wire.broken())
  const { text, headers } = await post(wire, { stream: true })
  expect(text).toMatch(/event: error\ndata: .*"request_id"/)
  expect(text).toContain(String(headers['x-request-id']))
  await expect.poll(() => spentOf(wire)).toBeGreaterThan(before)
  const { totals } = (await projectOf(wire).ask('GET', '/v1/billing/usage', { port: gateway.port })).body as {
    totals: { total_tokens: number }
  }
  await expect.poll(() => spentOf(wire)).toBe(totals.total_tokens)
})

test('the bytes of anthropic, with version and betas', async () => {
  const [anthropic] = wires as [ProviderWire]
  play(stage, anthropic, { thinking: 'Hm', text: ['Hi'] })
  const headers = { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'one-2025' }
  const stream = await post(anthropic, { stream: true }, headers)
  const events = stream.text.replace(/^: .*\n\n/gm, '')
  expect(events).toBe(anthropicEvents({ thinking: 'Hm', text: ['Hi'] }).join(''))
  expect(stage.upstream.requests.at(-1)?.headers).toMatchObject(headers)
})

test('errors and estimates', async () => {
  const [anthropic, openai] = wires as [ProviderWire, ProviderWire]
  expect(await post(anthropic, { max_tokens: 0 })).toMatchObject({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error' } },
  })
  const deep = { messages: [{ role: 'user', content: [{ type: 'text' }] }] }
  const late = await post(anthropic, deep)
  expect(late).toMatchObject({
    status: 400,
    body: { type: 'error', error: { message: 'messages.0.content.0.text: Field required' } },
  })
  expect((late.body as { request_id: string }).request_id).toBe(late.headers['request-id'])
  const { max_tokens: _, ...body } = prompt
  const counted = await projectOf(openai).ask('POST', '/v1/messages/count_tokens', { body, port: gateway.port })
  expect(counted.headers['x-sallyport-estimate']).toBe('true')
  expect((counted.body as { input_tokens: number }).input_tokens).toBeGreaterThan(0)
})
