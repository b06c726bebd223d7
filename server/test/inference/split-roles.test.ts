// Tests the inference role in a separate process behind a gateway: it gives the same answers, ends calls whose client
// disconnects, reports what they cost, and rejects requests without the internal secret.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { usageHeader } from '../../src/call/inference-port.ts'
import { sendRaw } from '../http/raw-request.ts'
import { openaiEvents, say, wholeUsage } from '../support/simulated/provider-answers.ts'
import { roomFor } from '../support/slowness.ts'
import type { Product } from '../support/start-product.ts'
import { makeProjectOf, mistral } from '../surfaces/responses/response-stage.ts'
import { contentOf, eventsOfRequest, mail, repeatLast, ssn, tokens, user } from './guard/guard-stage.ts'
import { eventsOf, type Stage, type TestProject, textOf } from './inference-stage.ts'
import { internalSecret, startSplitRoles } from './split-roles-stage.ts'

let stage: Stage
let project: TestProject
let inference: Product
let gateway: Product

beforeAll(async () => {
  const roles = await startSplitRoles()
  ;({ stage, project, inference, gateway } = roles)
  return roles.stop
})

const at = () => ({ port: gateway.port })

test('plain, streamed, remembered and listed, as in one process', async () => {
  stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
  expect(await project.complete({}, at())).toMatchObject({
    status: 200,
    headers: { 'x-sallyport-model': 'openai/gpt-4o-mini' },
    body: { choices: [{ message: { content: 'Hello' } }], usage: wholeUsage },
  })
  const named = { ...at(), headers: { 'x-thread-id': 'apart' } }
  const stream = await project.open({}, named)
  expect(await stream.ended).toBe(true)
  expect(stream.headers['x-sallyport-model']).toBe('openai/gpt-4o-mini')
  expect(textOf(eventsOf(stream.text()))).toBe('Hello')
  expect(eventsOf(stream.text()).at(-1)).toBe('[DONE]')
  expect(stream.text()).not.toMatch(/^data:.*total_tokens/m)
  await project.complete({}, named)
  expect(stage.asked().at(-1)?.messages).toHaveLength(3)
  expect(await project.ask('GET', '/v1/threads/apart', at())).toMatchObject({ status: 200, body: { message_count: 4 } })
  expect((await project.ask('GET', '/v1/models', at())).status).toBe(200)
  expect((await project.ask('DELETE', '/v1/threads/apart', at())).status).toBe(204)
  expect(await project.usage(at())).toMatchObject({ requests: 3, total_tokens: 54 })
  await expect.poll(() => spent()).toBe(54)
})

test('an answer of the cache costs a request and no tokens, in every format', async () => {
  stage.script(({ body }) => say('openai', { text: ['Hel', 'lo'] }, JSON.parse(body).stream === true))
  const own = await makeProjectOf(stage, mistral, { cache: { ttl_seconds: 600 } })
  const send = async (path: string, body: object, value = 'use') => {
    const { status, headers } = await own.ask('POST', path, { ...at(), headers: { 'x-sallyport-cache': value }, body })
    return [status, headers['x-sallyport-cache']]
  }
  const messages = [{ role: 'user', content: 'Hello' }]
  const bodies = { chat: { messages }, messages: { messages, max_tokens: 9 }, responses: { input: 'Hello' } }
  let expected = 0
  for (const [path, body] of [
    ['/v1/chat/completions', bodies.chat],
    ['/v1/messages', bodies.messages],
    ['/v1/responses', bodies.responses],
  ] as const) {
    expect(await send(path, body)).toEqual([200, 'miss'])
    for (const more of [{}, { stream: true }, { stream: true, stream_options: { include_usage: true } }]) {
      // Another format does not know that field.
      if ('stream_options' in more && path !== '/v1/chat/completions') continue
      expect(await send(path, { ...body, ...more })).toEqual([200, 'hit'])
    }
    expected += 18
  }
  expect(await own.usage(at())).toMatchObject({ requests: 10, total_tokens: expected })
  // Settled after all others.
  expect(await send('/v1/chat/completions', bodies.chat, 'no')).toEqual([200, undefined])
  await expect.poll(() => spent(own)).toBe(expected + 18)
  expect(await send('/v1/chat/completions', bodies.chat, 'yes')).toEqual([400, undefined])
})

test("a project's own types are masked and restored", async () => {
  const settings = {
    pii_mode: 'enforce',
    pii_entities: { EMPLOYEE_ID: 'MASK' },
    custom_entities: [{ name: 'EMPLOYEE_ID', patterns: ['EMP-\\d{6}'] }],
  }
  repeatLast(stage)
  const own = await stage.makeProject({ tenantId: project.tenantId, settings })
  const answer = await own.complete(user('Ask EMP-004217.'), at())
  expect(contentOf(answer)).toBe('Ask EMP-004217.')
  expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(/^Ask <EMPLOYEE_ID_[0-9a-f]{12}>\.$/)
})

test('refusals keep their status, words and headers', async () => {
  stage.script({ status: 401, body: { error: { message: 'no' } } })
  const refused = await project.complete({}, at())
  expect(refused).toMatchObject({ status: 502, body: { error: { code: 'provider_auth_error' } } })
  expect(refused.headers['x-should-retry']).toBe('false')
  stage.script({ status: 429, headers: { 'retry-after': '7' }, body: {} })
  expect((await project.complete({}, at())).headers['retry-after']).toBe('7')
  expect(await project.complete({}, { ...at(), headers: { 'x-thread-id': 'a b' } })).toMatchObject({
    status: 400,
    body: { error: { param: 'X-Thread-Id' } },
  })
  expect(await project.complete({ messages: [{ role: 'user' }] }, at())).toMatchObject({
    status: 400,
    body: { error: { param: 'messages[0].content' } },
  })
})

test('guarded in the inference process: masked, restored, refused in the same words, at the cost of a request', async () => {
  const pii_entities = { EMAIL_ADDRESS: 'MASK', US_SSN: 'BLOCK' }
  const own = await stage.makeProject({ settings: { pii_mode: 'enforce', pii_entities } })
  repeatLast(stage)
  expect(contentOf(await own.complete(user(mail), at()))).toBe(mail)
  expect(stage.asked().at(-1)?.messages.at(-1)?.content).toMatch(new RegExp(`^${tokens.mail}$`))
  const stream = await own.open(user(mail), at())
  expect(await stream.ended).toBe(true)
  expect(textOf(eventsOf(stream.text()))).toBe(mail)
  const before = await spent(own)
  const refused = await own.complete(user(`SSN ${ssn}`), at())
  expect(refused).toMatchObject({
    status: 403,
    body: { error: { type: 'guardrail_error', code: 'SERVICE_PII_BLOCKED', param: null } },
  })
  expect(refused.headers['x-should-retry']).toBe('false')
  await expect.poll(() => spent(own)).toBe(before)
  expect(await eventsOfRequest(stage, own, refused, 1)).toMatchObject([{ type: 'pii_block', action_taken: 'blocked' }])
})

test('a stream whose provider counts nothing costs in the budget what its row says', async () => {
  const own = await stage.makeProject({ settings: { tokens_per_day: 1_000_000 } })
  const events = openaiEvents({ text: ['a few words', ' and more of them'] }).filter(
    event => !event.includes('"usage"'),
  )
  stage.script({ headers: { 'content-type': 'text/event-stream' }, body: events.join('') })
  const answer = await own.open({}, at())
  expect(await answer.ended).toBe(true)
  expect(eventsOf(answer.text()).at(-1)).toBe('[DONE]')
  const { requests, total_tokens } = await own.usage(at())
  expect(requests).toBe(1)
  await expect.poll(() => spent(own)).toBe(total_tokens)
})

test.each([
  ['nothing', undefined],
  ['nothing it could add up', {}],
  ['the prompt alone', { prompt_tokens: 11 }],
])('a whole answer whose provider counts %s costs in the budget what its row says', async (_name, usage) => {
  const own = await stage.makeProject({ settings: { tokens_per_day: 1_000_000 } })
  const message = { role: 'assistant', content: 'a few words and more of them '.repeat(20) }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  stage.script({ body: { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, usage } })
  const answer = await own.complete({}, at())
  expect(answer).toMatchObject({ status: 200, body: { choices } })
  expect(Object.keys(answer.headers)).not.toContain(usageHeader)
  const { requests, total_tokens } = await own.usage(at())
  expect(requests).toBe(1)
  await expect.poll(() => spent(own)).toBe(total_tokens)
})

test('a client that resets its connection is felt by the provider within a second, and a row is written', async () => {
  const own = await stage.makeProject()
  let closedAt = 0
  stage.script({
    async write(response: ServerResponse) {
      response.once('close', () => {
        closedAt = performance.now()
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of openaiEvents({ text: ['a', 'b'] }).slice(0, 3)) response.write(event)
      while (!response.destroyed) await sleep(5)
    },
  })
  const answer = await own.open({}, at())
  while (!answer.text().includes('"b"')) await sleep(5)
  const leftAt = performance.now()
  answer.reset()
  await expect.poll(() => closedAt, { interval: 5 }).toBeGreaterThan(0)
  expect(closedAt - leftAt).toBeLessThan(roomFor(1_000))
  await expect.poll(async () => (await own.usage(at())).requests).toBe(1)
})

test('nobody gets in without the secret, whoever he says he is', async () => {
  const identity = {
    'x-request-id': crypto.randomUUID(),
    'x-tenant-id': project.tenantId,
    'x-project-id': project.id,
    'x-end-user-id': 'alice',
    'x-role': 'admin',
    'x-tier': '',
    'x-scopes': '[]',
    'x-auth-provider': 'service',
  }
  const ask = (path: string, headers: Record<string, string>) => fetch(`${inference.baseUrl}${path}`, { headers })
  for (const path of ['/v1/models', '/v1/threads', '/v1/threads/x', '/v1/billing/usage', '/v1/chat/completions']) {
    expect((await ask(path, identity)).status, path).toBe(401)
    expect((await ask(path, { ...identity, 'x-internal-secret': `${internalSecret}x` })).status, path).toBe(401)
  }
  expect((await ask('/v1/models', { ...identity, 'x-internal-secret': internalSecret })).status).toBe(200)
  expect((await ask('/v1/models', { 'x-internal-secret': internalSecret })).status).toBe(400)
  expect((await ask('/v1/nothing', { ...identity, 'x-internal-secret': internalSecret })).status).toBe(404)
  // The inference process accepts any host name; only the secret decides.
  for (const host of ['amber-falcon-4821.localhost', 'inference.internal', 'localhost']) {
    const send = (path: string, headers: Record<string, string>) => sendTo(host, path, headers)
    expect(await send('/v1/models', identity), host).toBe(401)
    expect(await send('/v1/models', { ...identity, 'x-internal-secret': internalSecret }), host).toBe(200)
    const chunked = { ...identity, 'x-internal-secret': internalSecret, 'transfer-encoding': 'chunked' }
    expect(await send('/v1/models', chunked), host).toBe(200)
    expect(await send('/auth/v1/tenants', identity), host).toBe(404)
  }
  // A process that also has the gateway role has no such paths outside of projects.
  expect((await fetch(`${stage.harness.baseUrl}/v1/models`, { headers: identity })).status).toBe(404)
})

async function sendTo(host: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const body = headers['transfer-encoding'] === undefined ? '' : '0\r\n\r\n'
  const text = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  return (await sendRaw(inference.port, text, { quietMs: 5_000 })).answers[0]?.status
}

/** Reads the spent tokens from the headers of a request that costs none. */
async function spent(own = project): Promise<number> {
  const { headers } = await own.ask('GET', '/v1/models')
  const [limit, remaining] = ['limit', 'remaining'].map(name => Number(headers[`x-ratelimit-${name}-tokens`]))
  return (limit ?? 0) - (remaining ?? 0)
}

test('the activity of the project has the reasons that the inference role had', async () => {
  const own = await stage.makeProject({ settings: { pii_mode: 'enforce', pii_entities: { US_SSN: 'BLOCK' } } })
  expect((await own.complete(user(`SSN ${ssn}`), at())).status).toBe(403)
  stage.script({ status: 500, body: '{}' })
  expect((await own.complete({}, at())).status).toBe(502)
  stage.script(say('openai', { text: ['Hello'] }, false))
  const answer = await own.complete({}, at())
  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('x-refusal-code')
  const path = `/auth/v1/projects/${own.id}/activity`
  const read = async () => (await stage.harness.call('GET', path, { session: stage.harness.owner.session })).body
  await expect.poll(read).toMatchObject({
    totals: {
      requests: 3,
      errors: { provider_unavailable: 1 },
      refusals: { pii_blocked: 1 },
      tokens: 18,
      latency_ms: { p50: expect.any(Number), p95: expect.any(Number) },
    },
  })
})

test('an answer that a guardrail blocks is refused here too, and charged', async () => {
  const settings = { pii_answer_mode: 'enforce', pii_entities: { EMAIL_ADDRESS: 'BLOCK' } }
  const own = await stage.makeProject({ settings: { ...settings, tokens_per_day: 1_000_000 } })
  const code = 'SERVICE_PII_BLOCKED'
  stage.script(say('openai', { text: [`Write to ${mail}.`] }, false))
  expect(await own.complete({}, at())).toMatchObject({ status: 403, body: { error: { code } } })
  expect(await spent(own)).toBe(wholeUsage.total_tokens)
  let goOn = (): void => undefined
  const [first = '', ...others] = openaiEvents({ text: ['Write to ', mail, '. And so on.'] })
  stage.script({
    async write(response: ServerResponse) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first)
      await new Promise<void>(resolve => (goOn = resolve))
      response.end(others.join(''))
    },
  })
  const stream = await own.open({}, at())
  goOn()
  expect(await stream.ended).toBe(true)
  expect(eventsOf(stream.text()).at(-1)).toMatchObject({ error: { code, type: 'guardrail_error' } })
  expect(stream.text()).not.toContain(mail)
  await expect.poll(() => spent(own)).toBeGreaterThan(wholeUsage.total_tokens)
})
