// Tests /v1/messages through the product in front of all six providers, with the embedded stores and with PostgreSQL
// and Redis: whole answers and streams, tools, images, thinking, refusals and errors, as Anthropic's clients read
// them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, type Stage, type TestProject } from '../../inference/inference-stage.ts'
import {
  anthropicEvents,
  anthropicWhole,
  makeProjectOf,
  type ProviderWire,
  play,
  type Scene,
  script,
  scriptKeyChecks,
  sixWires,
} from '../../inference/six-wires.ts'
import type { Backend } from '../../support/management-harness.ts'
import { eventStream } from '../../support/simulated/provider-answers.ts'
import { type Event, grammarOf, messageOf, type ReadMessage } from './messages-stream.ts'

const prompt = { max_tokens: 500, messages: [{ role: 'user', content: 'Hello' }] }
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const calls = [
  { id: 'toolu00A1', name: 'get_weather', input: { city: 'Zürich' } },
  { id: 'toolu00B2', name: 'get_weather', input: { city: 'Łódź' } },
]
const usage = { input_tokens: 11, output_tokens: 7 }

interface Case {
  scene: Scene
  request?: object
  stop: string
  content(wire: ProviderWire): object[]
}

const text = (said: string) => ({ type: 'text', text: said })
const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
const cases: Record<string, Case> = {
  text: { scene: { text: ['Grüße, ', '世', '界'] }, stop: 'end_turn', content: () => [text('Grüße, 世界')] },
  'a tool call': {
    scene: { text: ['Let me look.'], calls: calls.slice(0, 1) },
    request: { tools: [weather], tool_choice: { type: 'auto' } },
    stop: 'tool_use',
    content: () => [text('Let me look.'), uses[0] ?? {}],
  },
  'parallel tool calls': { scene: { calls }, request: { tools: [weather] }, stop: 'tool_use', content: () => uses },
  thinking: {
    scene: { thinking: 'They greet.', text: ['Hi'] },
    request: { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 4000 },
    stop: 'end_turn',
    content: ({ thinks, provider }) => [
      ...(thinks
        ? [{ type: 'thinking', thinking: 'They greet.', signature: provider === 'anthropic' ? 'c2lnbmVk' : '' }]
        : []),
      text('Hi'),
    ],
  },
}

describe.each<Backend>(['sqlite', 'postgres'])('on %s', backend => {
  let stage: Stage
  const projects = new Map<string, TestProject>()
  const projectOf = ({ provider }: ProviderWire) => projects.get(provider) as TestProject
  const sent = () => JSON.parse(stage.upstream.requests.at(-1)?.body ?? '')
  const post = (project: TestProject, body: object, headers: Record<string, string> = {}) =>
    project.ask('POST', '/v1/messages', { body: { ...prompt, ...body }, headers })

  beforeAll(async () => {
    stage = await openStage(backend, { UPSTREAM_IDLE_TIMEOUT: '5' })
    scriptKeyChecks(stage)
    for (const wire of sixWires) projects.set(wire.provider, await makeProjectOf(stage, wire))
  })
  afterAll(() => stage.stop())
  beforeEach(() => {
    stage.upstream.requests.length = 0
  })

  describe.each(sixWires)('in front of $provider', wire => {
    const project = () => projectOf(wire)

    test.each(Object.entries(cases))('%s, whole and as a stream', async (_name, { scene, request, stop, content }) => {
      play(stage, wire, scene)
      const whole = await post(project(), request ?? {})
      expect(whole.status, whole.text).toBe(200)
      const expected = { type: 'message', role: 'assistant', stop_reason: stop, stop_sequence: null, usage }
      expect(whole.body).toMatchObject({ ...expected, content: content(wire) })
      expect((whole.body as ReadMessage).id).toMatch(/^msg_/)
      expect((whole.body as ReadMessage).content).toHaveLength(content(wire).length)
      expect(whole.headers['request-id']).toBe(whole.headers['x-request-id'])
      expect(whole.headers['x-ratelimit-remaining-requests']).toMatch(/^\d+$/)

      const stream = await post(project(), { ...request, stream: true })
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
      const events = grammarOf(stream.text)
      expect(messageOf(events)).toMatchObject({ ...expected, content: content(wire) })
      expect(messageOf(events).content).toHaveLength(content(wire).length)
    })

    test('the results of tools, with an image, find their calls', async () => {
      play(stage, wire, { text: ['Sunny'] })
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }
      const messages = [
        ...prompt.messages,
        { role: 'assistant', content: uses },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu00A1', content: 'sun' },
            { type: 'tool_result', tool_use_id: 'toolu00B2', content: [text('storm'), image], is_error: true },
            text('And now?'),
          ],
        },
      ]
      const answer = await post(project(), { messages, tools: [weather] })
      expect(answer.status, answer.text).toBe(200)
      const asked = JSON.stringify(sent())
      for (const said of ['sun', 'storm', 'And now?', 'aGVsbG8=', 'Łódź']) expect(asked).toContain(said)
      expect(asked.indexOf('sun')).toBeLessThan(asked.indexOf('storm'))
      // In OpenAI's format a result has only text.
      const results = (sent().messages ?? []).filter(({ role }: { role: string }) => role === 'tool')
      expect(JSON.stringify(results)).not.toContain('aGVsbG8=')
    })

    test('system, images and text documents reach the provider', async () => {
      play(stage, wire, { text: ['Yes'] })
      const content = [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' } },
        { type: 'document', title: 'Rules', source: { type: 'text', media_type: 'text/plain', data: 'No shouting.' } },
        { type: 'search_result', source: 'https://example.com/a', title: 'Found', content: [text('A finding.')] },
        text('What is this?'),
      ]
      const system = [{ ...text('Be brief.'), cache_control: { type: 'ephemeral' } }]
      const answer = await post(project(), { system, messages: [{ role: 'user', content }] })
      expect(answer.status, answer.text).toBe(200)
      const asked = JSON.stringify(sent())
      for (const said of ['aW1hZ2U=', 'Rules', 'No shouting.', 'A finding.', 'Be brief.']) expect(asked).toContain(said)
      expect(asked.includes('cache_control')).toBe(wire.provider === 'anthropic')
      expect(asked).not.toContain('x-api-key')
    })

    test("anthropic's own tools and blocks are kept for it, and are a 400 elsewhere", async () => {
      play(stage, wire, { text: ['Found'] })
      const tool = { type: 'web_search_20250305', name: 'web_search' }
      const block = { type: 'container_upload', file_id: 'file_1' }
      const withTool = await post(project(), { tools: [tool] })
      const withBlock = await post(project(), { messages: [{ role: 'user', content: [block] }] })
      if (wire.provider === 'anthropic') {
        expect([withTool.status, withBlock.status]).toEqual([200, 200])
        return
      }
      expect(withTool).toMatchObject({
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', details: { error_code: 'unsupported_tool' } } },
      })
      expect(withBlock).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } })
      expect(stage.upstream.requests).toHaveLength(0)
    })

    test('an answer that the provider filtered is a refusal', async () => {
      if (wire.provider === 'cohere') return
      play(stage, wire, { text: ['I can'], isFiltered: true })
      expect((await post(project(), {})).body).toMatchObject({ stop_reason: 'refusal', content: [text('I can')] })
      const stream = await post(project(), { stream: true })
      expect(messageOf(grammarOf(stream.text))).toMatchObject({ stop_reason: 'refusal' })
    })

    test('an error before the answer has a status and a body in the format of Anthropic', async () => {
      script(stage, wire, wire.overloaded)
      for (const stream of [false, true]) {
        const answer = await post(project(), { stream })
        expect(answer).toMatchObject({
          status: 502,
          body: {
            type: 'error',
            error: { type: 'api_error', message: 'The provider answered with an error' },
            request_id: answer.headers['x-request-id'],
          },
        })
      }
    })

    test('a stream that breaks off ends in an error event', async () => {
      script(stage, wire, wire.broken())
      const { text: stream, headers } = await post(project(), { stream: true })
      const last = stream.trimEnd().split('\n\n').at(-1) ?? ''
      expect(last).toMatch(/^event: error\ndata: /)
      expect(JSON.parse(last.split('data: ')[1] ?? '')).toMatchObject({
        type: 'error',
        error: { type: 'api_error' },
        request_id: headers['x-request-id'],
      })
      expect(stream).toContain('Hel')
      expect(stream).not.toContain('message_stop')
    })

    test('tokens are counted by anthropic and google, and estimated for the others, and cost nothing', async () => {
      const before = await project().usage()
      stage.upstream.on('POST /v1/messages/count_tokens', { body: { input_tokens: 42 } })
      stage.upstream.on('*', { body: { totalTokens: 43 } })
      const body = { messages: prompt.messages, tools: [weather], system: 'Be brief.' }
      const counted = await project().ask('POST', '/v1/messages/count_tokens', { body })
      expect(counted.status, counted.text).toBe(200)
      const tokens = (counted.body as { input_tokens: number }).input_tokens
      if (wire.provider === 'anthropic') {
        expect(tokens).toBe(42)
        expect(counted.headers['x-sallyport-estimate']).toBeUndefined()
        expect(sent()).toEqual({ ...body, model: 'claude-sonnet-4-5' })
      } else if (wire.provider === 'google') {
        expect(tokens).toBe(43)
        expect(counted.headers['x-sallyport-estimate']).toBeUndefined()
        const { path, body: asked } = stage.upstream.requests.at(-1) ?? { path: '', body: '' }
        expect(path).toMatch(/^\/v1beta\/models\/[^/:]+:countTokens$/)
        const { generateContentRequest } = JSON.parse(asked)
        expect(Object.keys(generateContentRequest)).toEqual(['model', 'systemInstruction', 'contents', 'tools'])
        expect(path).toBe(`/v1beta/${generateContentRequest.model}:countTokens`)
      } else {
        expect(tokens).toBeGreaterThan(10)
        expect(tokens).toBeLessThan(100)
        expect(counted.headers['x-sallyport-estimate']).toBe('true')
        expect(stage.upstream.requests).toHaveLength(0)
      }
      expect((await project().usage()).total_tokens).toBe(before.total_tokens)
    })

    test('usage is recorded', async () => {
      const before = await project().usage()
      play(stage, wire, { text: ['Hello'] })
      await post(project(), {})
      await post(project(), { stream: true })
      const after = await project().usage()
      expect(after.total_tokens - before.total_tokens).toBe(36)
    })
  })

  const anthropic = sixWires.find(({ provider }) => provider === 'anthropic') as ProviderWire

  describe('bytes that nothing has to change', () => {
    const scene = { thinking: 'Hm.', text: ['Hel', 'lo'], calls }
    const raw =
      '{ "max_tokens":500 ,"temperature": 0.10, "messages":[{"role":"user","content":[{"type":"text",' +
      '"text":"\\u0048i","cache_control":{"type":"ephemeral"}}]}],  "model":"claude-sonnet-4-5",' +
      '"metadata":{"user_id":"me"}, "top_k": 4e1, "service_tier":"auto" }'

    test('answers are the bytes of the provider', async () => {
      const whole = JSON.stringify({ ...anthropicWhole(scene), container: null, extra: 1.0 }, null, 1)
      script(stage, anthropic, { headers: { 'content-type': 'application/json' }, body: whole })
      expect((await post(projectOf(anthropic), {})).text).toBe(whole)
      const events = anthropicEvents(scene).join('')
      script(stage, anthropic, eventStream([events]))
      expect((await post(projectOf(anthropic), { stream: true })).text).toBe(events)
    })

    test('requests keep every byte besides the end user', async () => {
      play(stage, anthropic, scene)
      await projectOf(anthropic).ask('POST', '/v1/messages', { body: raw })
      const body = stage.upstream.requests.at(-1)?.body ?? ''
      expect(body.replace(/"metadata":\{"user_id":"[0-9a-f]{64}"\}/, '"metadata":{"user_id":"me"}')).toBe(raw)
      expect(body).not.toContain('"me"')
    })

    test('a lower limit of the project is written into them', async () => {
      const bounded = await makeProjectOf(stage, anthropic, { max_output_tokens: 100 })
      play(stage, anthropic, scene)
      await bounded.ask('POST', '/v1/messages', { body: raw })
      const body = stage.upstream.requests.at(-1)?.body ?? ''
      expect(body.replace(/"user_id":"[0-9a-f]{64}"/, '"user_id":"me"')).toBe(raw.replace('500', '100'))
    })

    test('versions and betas go to anthropic alone, the credential to nobody', async () => {
      const headers = { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'one-2025,two-2026' }
      play(stage, anthropic, scene)
      await post(projectOf(anthropic), {}, headers)
      expect(stage.upstream.requests.at(-1)?.headers).toMatchObject({ ...headers, 'x-api-key': anthropic.key })
      const [openai] = sixWires as [ProviderWire]
      play(stage, openai, { text: ['Hi'] })
      await post(projectOf(openai), {}, headers)
      expect(JSON.stringify(stage.upstream.requests.at(-1)?.headers)).not.toContain('anthropic')
    })
  })

  describe('what is not a message', () => {
    const project = () => projectOf(anthropic)
    const invalid: [string, object, string][] = [
      ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
      ['a limit of nothing', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
      ['no message', { messages: [] }, 'messages: at least one message is required'],
      [
        'messages of no role',
        { messages: [{ content: 'x' }] },
        "messages.0.role: Input should be 'user', 'assistant' or 'system'",
      ],
      [
        'a block without text',
        { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
        'messages.0.content.0.text: Field required',
      ],
      ['a temperature', { temperature: 2 }, 'temperature: range: 0..1'],
      ['a tool without a schema', { tools: [{ name: 'x' }] }, 'tools.0.custom.input_schema: Field required'],
      [
        'a thinking',
        { thinking: { type: 'deep' } },
        "thinking: Input tag 'deep' found using 'type' does not match any of the expected tags: 'enabled', 'adaptive', 'disabled', 'between_tools'",
      ],
    ]
    test.each(invalid)('%s is a 400 in the words of Anthropic', async (_name, body, message) => {
      expect(await post(project(), body)).toMatchObject({
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message } },
      })
    })

    test('refusals of the gateway have the same format', async () => {
      const wrong = await post(project(), {}, { authorization: 'Bearer nonsense' })
      expect(wrong).toMatchObject({ status: 401, body: { type: 'error', error: { type: 'authentication_error' } } })
      expect((wrong.body as Event)['request_id']).toBe(wrong.headers['request-id'])
      const none = await project().ask('POST', '/v1/messages', { body: prompt, headers: { authorization: '' } })
      expect(none).toMatchObject({ status: 401, body: { error: { type: 'authentication_error' } } })
      const large = await post(project(), { system: 'x'.repeat(11 << 20) })
      expect(large).toMatchObject({ status: 413, body: { error: { type: 'request_too_large' } } })
      const broken = await project().ask('POST', '/v1/messages', { body: '{' })
      expect(broken).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } })
      const narrow = await makeProjectOf(stage, anthropic, { rpm_limit: 1 })
      play(stage, anthropic, { text: ['Hi'] })
      await post(narrow, {})
      const limited = await post(narrow, {})
      expect(limited).toMatchObject({ status: 429, body: { type: 'error', error: { type: 'rate_limit_error' } } })
      expect(limited.headers['retry-after']).toMatch(/^\d+$/)
    })
  })
})
