// The data plane's document is true of a gateway that forwards to an inference service and to the mint of another
// process.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi-types.ts'
import { openStage, type Stage, type TestProject } from '../inference/inference-stage.ts'
import { breakOff, errorResponse, say } from '../support/simulated/provider-answers.ts'
import { type Product, startProduct } from '../support/start-product.ts'
import { type Conformance, createConformance } from './conformance.ts'

let stage: Stage
let project: TestProject
let port: number
let conformance: Conformance
const apart: Product[] = []
beforeAll(async () => {
  stage = await openStage('postgres', { INTERNAL_SECRET: 'between-two-services' }, { own: true })
  const baseUrl = `http://localhost:${stage.harness.product.port}`
  const shared = { ...stage.harness.env, BASE_URL: baseUrl }
  const inference = await startProduct({ env: { ...shared, ROLE: 'inference' } })
  apart.push(inference)
  const gateway = await startProduct({ env: { ...shared, ROLE: 'gateway', INFERENCE_URL: inference.baseUrl } })
  apart.push(gateway)
  port = gateway.port
  conformance = createConformance((await stage.harness.call('GET', '/openapi.json')).body as OpenApiDocument)
  project = await stage.makeProject()
})
afterAll(async () => {
  await Promise.all(apart.map(product => product.stop()))
  await stage?.stop()
})

test('completions, whole, as streams and broken off', async () => {
  stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
  for (const stream of [false, true]) {
    const answer = await project.complete({ stream }, { port, headers: { 'x-thread-id': 'talk' } })
    expect(answer.status).toBe(200)
    conformance.expectDocumented('createChatCompletion', answer)
  }
  stage.script(breakOff('openai', { text: ['one', 'two'] }, 3))
  const broken = await project.complete({ stream: true }, { port })
  expect(broken.text).toContain('provider_unavailable')
  conformance.expectDocumented('createChatCompletion', broken)
})

test('errors of the gateway, of the inference service and of the provider', async () => {
  const expectError = async (body: Record<string, unknown>, options: object, code: string) => {
    conformance.expectDocumented('createChatCompletion', await project.complete(body, { port, ...options }), code)
  }
  await expectError({}, { token: 'no.token.here' }, 'invalid_token')
  await expectError({ messages: [] }, {}, 'invalid_request')
  await expectError({ temperature: 3 }, {}, 'invalid_request')
  stage.script(errorResponse('openai', 401, 'Incorrect key'))
  await expectError({}, {}, 'provider_auth_error')
  stage.script(errorResponse('openai', 429, 'Slow down', { 'retry-after': '30' }))
  await expectError({ stream: true }, {}, 'provider_rate_limited')
})

test('threads and usage', async () => {
  stage.script(say('openai', { text: ['Hello'] }, false))
  expect((await project.complete({}, { port, headers: { 'x-thread-id': 'talk' } })).status).toBe(200)
  conformance.expectDocumented('getThread', await project.ask('GET', '/v1/threads/talk', { port }))
  conformance.expectDocumented('getUsage', await project.ask('GET', '/v1/billing/usage', { port }))
  conformance.expectDocumented('getThread', await project.ask('GET', '/v1/threads/no', { port }), 'thread_not_found')
  conformance.expectDocumented(
    'getUsage',
    await project.ask('GET', '/v1/billing/usage?uid=x', { port }),
    'not_own_user',
  )
})

test('mints', async () => {
  const { api_key: token } = await stage.harness.makeApiKey(project.id)
  const mint = (key: string) => project.ask('POST', '/v1/auth/mint', { port, token: key, body: { user_id: 'ann' } })
  const minted = await mint(token)
  expect(minted.status).toBe(200)
  conformance.expectDocumented('mintTokenOnProjectHost', minted)
  conformance.expectDocumented('mintTokenOnProjectHost', await mint('x'), 'invalid_key_shape')
})

test('a mint that no process answers', async () => {
  const env = {
    ...stage.harness.env,
    ROLE: 'gateway',
    INFERENCE_URL: 'http://127.0.0.1:9',
    API_URL: 'http://127.0.0.1:9',
  }
  const alone = await startProduct({ env })
  apart.push(alone)
  const options = { port: alone.port, token: 'x', body: { user_id: 'ann' } }
  const answer = await project.ask('POST', '/v1/auth/mint', options)
  expect(answer.status).toBe(503)
  conformance.expectDocumented('mintTokenOnProjectHost', answer, 'mint_unreachable')
})
