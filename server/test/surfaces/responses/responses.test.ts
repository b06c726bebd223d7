// Responses through the real product: OpenAI's own events passed on and stored under its id, other providers' answers
// as events, errors in a stream, masked values in every channel and cut at every place, limits and kill switches.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { mail, maskAll } from '../../inference/guard/guard-stage.ts'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import {
  answerOf,
  callItem,
  eventsOf,
  messageItem,
  reasoningItem,
  streamOf,
} from '../../providers/protocols/responses/responses-wire.ts'
import { type Backend, describeEachBackend } from '../../support/management-harness.ts'
import { breakOff, eventStream, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import {
  getResponse,
  makeProjectOf,
  mistral,
  openrouter,
  respond,
  responseEventsOf,
  textOfResponse,
  type WireItem,
  type WireResponse,
} from './response-stage.ts'

const native = 'POST /v1/responses'
const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
const output = [
  reasoningItem('rs_1', ['They ask.'], 'gAAA'),
  messageItem('msg_1', 'It rains in Oslo, naïve 🦊.'),
  callItem('fc_1', 'call_1', 'get_weather', '{"city":"Oslo"}'),
]

function answerNamed(id: string, items: readonly JsonObject[] = output): JsonObject {
  return { ...answerOf(items), id }
}

/** The events of an answer with that id. */
function nativeStream(id: string, items: readonly JsonObject[] = output): string {
  return streamOf(eventsOf(items)).replaceAll('"resp_1"', `"${id}"`)
}

describeEachBackend('responses', (_start, backend: Backend) => {
  let stage: Stage
  let openai: TestProject
  beforeAll(async () => {
    stage = await openStage(backend, { UPSTREAM_IDLE_TIMEOUT: '5' })
    openai = await stage.makeProject()
  })
  afterAll(() => stage.stop())
  beforeEach(() => {
    stage.upstream.requests.length = 0
  })

  const sent = () => stage.upstream.requests.at(-1)?.body ?? ''

  describe('to OpenAI', () => {
    test('its own stream passes byte for byte, and is stored under its id', async () => {
      const text = nativeStream('resp_streamed')
      stage.upstream.on(native, eventStream([text]))
      const answer = await respond(openai, { stream: true })
      expect(answer.text).toBe(text)
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      const stored = await openai.ask('GET', '/v1/responses/resp_streamed')
      expect(stored).toMatchObject({ status: 200, body: { id: 'resp_streamed', output } })
    })

    test('its own answer passes byte for byte, and the request but for what the gateway sets', async () => {
      const text = JSON.stringify(answerNamed('resp_whole'), null, 1)
      stage.upstream.on(native, { body: text, headers: { 'content-type': 'application/json' } })
      const body = '{ "input":"Hello",  "temperature":1.0, "service_tier":"flex", "store":true }'
      const answer = await openai.ask('POST', '/v1/responses', { body })
      expect(answer.text).toBe(text)
      expect(sent()).toContain('"temperature":1.0, "service_tier":"flex"')
      expect(JSON.parse(sent())).toMatchObject({ store: false, model: 'gpt-4o-mini' })
      expect((await openai.ask('GET', '/v1/responses/resp_whole')).body).toMatchObject({ output })
    })

    test('is never sent an id of ours: what came before is sent itself', async () => {
      stage.upstream.on(native, { body: answerNamed('resp_first') })
      await respond(openai, { input: 'Weather?', instructions: 'Be brief.', tools: [tool] })
      stage.upstream.on(native, { body: answerNamed('resp_second') })
      const result = { type: 'function_call_output', call_id: 'call_1', output: 'rain' }
      const body = { input: [result], tools: [tool], previous_response_id: 'resp_first' }
      expect(await respond(openai, body)).toMatchObject({ status: 200 })
      const asked = JSON.parse(sent())
      expect(asked).not.toHaveProperty('previous_response_id')
      expect(JSON.stringify(asked)).not.toContain('Be brief.')
      expect(asked.input.map(({ type, role }: JsonObject) => role ?? type)).toEqual([
        'user',
        'reasoning',
        'assistant',
        'function_call',
        'function_call_output',
      ])
      expect(asked.input[1]).toMatchObject({ id: 'rs_1', encrypted_content: 'gAAA' })
    })

    test('its answer names the response that it continues, and so does what is stored', async () => {
      stage.upstream.on(native, { body: answerNamed('resp_before') })
      await respond(openai, {})
      const said = [messageItem('msg_1', '{"previous_response_id":null}')]
      const next = { input: 'And then?', previous_response_id: 'resp_before' }
      stage.upstream.on(native, { body: answerNamed('resp_after', said) })
      const whole = await respond(openai, next)
      const named = { ...answerNamed('resp_after', said), previous_response_id: 'resp_before' }
      expect(JSON.parse(whole.text)).toEqual(named)
      expect((await openai.ask('GET', '/v1/responses/resp_after')).body).toMatchObject(named)
      stage.upstream.on(native, eventStream([nativeStream('resp_later', said)]))
      const got = responseEventsOf((await respond(openai, { ...next, stream: true })).text)
      expect(got).toHaveLength(eventsOf(said).length)
      const responses = got.flatMap(({ response }) => response ?? [])
      expect(responses.map(({ previous_response_id }) => previous_response_id)).toEqual(
        responses.map(() => 'resp_before'),
      )
      expect(textOfResponse(responses.at(-1) as WireResponse)).toBe('{"previous_response_id":null}')
    })

    test('a stream that breaks off ends with an error, and its numbers go on', async () => {
      const events = eventsOf(output)
      stage.upstream.on(native, eventStream([streamOf(events.slice(0, -4))]))
      const got = responseEventsOf((await respond(openai, { stream: true })).text)
      expect(got.slice(0, -2)).toEqual(events.slice(0, -4))
      expect(got.slice(-2)).toMatchObject([
        { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error: { code: 'server_error' } } },
        { type: 'error', code: 'provider_unavailable', error: { code: 'provider_unavailable', type: 'server_error' } },
      ])
      expect((await openai.ask('GET', '/v1/responses/resp_1')).status).toBe(404)
    })
  })

  test('another provider’s answer has the whole grammar, and costs what it cost', async () => {
    const own = await makeProjectOf(stage, mistral)
    stage.script(eventStream(openaiEvents({ text: ['Hel', 'lo'] })))
    const answer = await respond(own, { stream: true })
    const events = responseEventsOf(answer.text)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 }
    expect(events.at(-1)).toMatchObject({ response: { status: 'completed', usage } })
    expect(answer.headers).toMatchObject({
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-request-id': expect.any(String),
    })
    const row = { endpoint: 'responses', requests: 1, total_tokens: 18 }
    const read = () => own.ask('GET', '/v1/billing/usage?group_by=endpoint')
    await expect.poll(async () => (await read()).body).toMatchObject({ data: [row] })
  })

  test('a tool that only OpenAI has is a 400 elsewhere', async () => {
    const own = await makeProjectOf(stage, mistral)
    expect(await respond(own, { tools: [{ type: 'web_search' }] })).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_tool', param: 'tools' } },
    })
    expect(stage.upstream.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('errors before the answer are in OpenAI’s format, the gateway’s own in the gateway’s', async () => {
    const own = await makeProjectOf(stage, mistral)
    expect(await respond(own, { input: [] })).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param: 'input', code: null } },
    })
    stage.script({ status: 429, headers: { 'retry-after': '7' }, body: { message: 'slow down' } })
    const limited = await respond(own, { stream: true })
    expect(limited).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } })
    expect(limited.headers['retry-after']).toBe('7')
    const { session } = stage.harness.owner
    await stage.harness.call('PUT', `/auth/v1/projects/${own.id}/settings`, { session, body: { rpm_limit: 2 } })
    await stage.harness.call('POST', `/auth/v1/projects/${own.id}/settings/deploy`, { session })
    await expect.poll(async () => (await respond(own)).body).toMatchObject({ error: 'rate limit exceeded' })
    expect((await respond(own, {}, { token: 'x' })).body).toMatchObject({ error: 'unauthorized' })
  })

  test('a stream that breaks off is a failure and never a clean end', async () => {
    const own = await makeProjectOf(stage, mistral)
    stage.script(breakOff('openai', { text: ['Hel', 'lo'] }, 3))
    const events = responseEventsOf((await respond(own, { stream: true })).text)
    expect(events.slice(-2)).toMatchObject([
      { type: 'response.failed', response: { output: [{ content: [{ text: 'Hello' }] }] } },
      { type: 'error', message: expect.stringContaining('broke off') },
    ])
    expect(events.map(({ type }) => type)).not.toContain('response.completed')
  })

  test('a kill switch ends a stream', async () => {
    const own = await makeProjectOf(stage, mistral)
    const pieces = openaiEvents({ text: ['Hel', 'lo'] })
    stage.script({
      async write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(pieces.slice(0, 2).join(''))
        while (!response.destroyed) await sleep(20)
      },
    })
    const answer = respond(own, { stream: true })
    await expect.poll(() => stage.upstream.requests.some(({ method }) => method === 'POST')).toBe(true)
    await stage.harness.call('POST', `/v1/admin/killswitch/project/${own.id}`, {
      adminSecret: stage.harness.adminSecret,
      body: { enabled: true },
    })
    const events = responseEventsOf((await answer).text)
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'service_disabled' })
    expect(events.at(-2)).toMatchObject({ type: 'response.failed', response: { error: { code: 'invalid_prompt' } } })
  })
})

describe('masked values', () => {
  let stage: Stage
  let project: TestProject
  let token: string
  beforeAll(async () => {
    stage = await openStage('sqlite')
    stage.upstream.on('GET /v1/key', { body: { data: {} } })
    project = await makeProjectOf(stage, openrouter, maskAll)
    stage.script(say('openai', { text: ['ok'] }, false))
    await respond(project, { input: mail })
    token = String(stage.asked().at(-1)?.messages[0]?.content)
    expect(token).toMatch(/^<EMAIL_ADDRESS_\w+>$/)
  })
  afterAll(() => stage.stop())

  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const call = (text: string, start: object = {}) => ({
    tool_calls: [{ index: 0, ...start, function: { arguments: text, ...(start && { name: 'send' }) } }],
  })

  /** Says the token in every channel, cut there. */
  function sayCut(at: number): string[] {
    const [head, tail] = [token.slice(0, at), token.slice(at)]
    return [
      chunk({ role: 'assistant', reasoning: `think ${head}` }),
      chunk({ reasoning: `${tail} so` }),
      chunk({ content: `to ${head}` }),
      chunk({ content: `${tail} now` }),
      chunk({ refusal: `not ${head}` }),
      chunk({ refusal: `${tail} ever` }),
      chunk(call(`{"to":"${head}`, { id: 'call_1', type: 'function' })),
      chunk(call(`${tail}"}`)),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]
  }

  function saidIn(items: readonly WireItem[]) {
    const of = (type: string) => items.filter(item => item.type === type)
    const content = of('message').flatMap(item => item.content ?? [])
    return {
      reasoning: of('reasoning')
        .flatMap(({ summary = [] }) => summary.map(({ text }) => text))
        .join(''),
      text: content.map(({ text = '' }) => text).join(''),
      refusal: content.map(({ refusal = '' }) => refusal).join(''),
      arguments: of('function_call')
        .map(item => item.arguments)
        .join(''),
    }
  }

  const restored = {
    reasoning: `think ${mail} so`,
    text: `to ${mail} now`,
    refusal: `not ${mail} ever`,
    arguments: `{"to":"${mail}"}`,
  }

  test('are restored in every channel, cut at every place', async () => {
    for (let at = 0; at <= token.length; at++) {
      stage.script(eventStream(sayCut(at)))
      const events = responseEventsOf((await respond(project, { input: mail, stream: true })).text)
      const whole = events.at(-1)?.response as WireResponse
      expect([at, saidIn(whole.output)]).toEqual([at, restored])
      const deltas = events.filter(({ type }) => type.endsWith('.delta'))
      const of = (type: string) =>
        deltas
          .filter(event => event.type === `response.${type}.delta`)
          .map(({ delta }) => delta)
          .join('')
      expect([of('reasoning_summary_text'), of('output_text'), of('refusal'), of('function_call_arguments')]).toEqual(
        Object.values(restored),
      )
      expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    }
    // The upstream has never seen the address.
    expect(stage.upstream.requests.filter(({ body }) => body.includes(mail))).toEqual([])
  })

  test('what is held back of a text comes before the call that follows it', async () => {
    const call = {
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'send', arguments: '{}' } }],
    }
    const chunks = [chunk({ content: `to ${token.slice(0, 9)}` }), chunk(call), chunk({}, 'tool_calls')]
    stage.script(eventStream([...chunks, 'data: [DONE]\n\n']))
    const whole = await getResponse(project, { input: mail, stream: true })
    expect(whole.output.map(({ type }) => type)).toEqual(['message', 'function_call'])
    expect(textOfResponse(whole)).toBe(`to ${token.slice(0, 9)}`)
  })

  test('of another request are left alone', async () => {
    stage.script(eventStream(sayCut(9)))
    const { output: items } = await getResponse(project, { input: 'Hello', stream: true })
    expect(saidIn(items)).toEqual(JSON.parse(JSON.stringify(restored).replaceAll(mail, token)))
  })

  test('are restored in a whole answer, and OpenAI’s own is rendered', async () => {
    const own = await stage.makeProject({ settings: maskAll })
    stage.upstream.on(native, ({ body }) => ({
      body: answerNamed('resp_up', [messageItem('msg_1', `to ${JSON.parse(body).input}`)]),
    }))
    const whole = await getResponse(own, { input: mail })
    expect([whole.id, textOfResponse(whole)]).toEqual(['resp_up', `to ${mail}`])
    expect(stage.upstream.requests.at(-1)?.body).not.toContain(mail)
  })
})
