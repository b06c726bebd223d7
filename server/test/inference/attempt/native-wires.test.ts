// Tests completions through the real product to providers with their own wire formats: plain, streamed, with tools,
// rejected and broken off; and signatures that clients drop between two turns.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventStream, say } from '../../support/simulated/provider-answers.ts'
import type { Script, UpstreamAnswer, UpstreamRequest } from '../../support/simulated/scripted-upstream.ts'
import { eventsOf, hello, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'

interface Wire {
  provider: string
  key: string
  model: string
  keyCheck: string
  /** The calls of completions, plain and streamed. */
  calls: [plain: string, streamed: string]
  text(isStreamed: boolean): UpstreamAnswer
  /** A stream that ends after its first words. */
  broken(): UpstreamAnswer
  refusal: UpstreamAnswer
}

const gemini = (parts: object[], finish = true) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finish ? { finishReason: 'STOP' } : {}) }],
  ...(finish ? { usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 } } : {}),
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
})
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

const cohereCounts = { tokens: { input_tokens: 11, output_tokens: 7 } }
const cohereText = (text: string) => ({ delta: { message: { content: { text } } } })
const cohereEvents = [
  { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  { type: 'content-delta', index: 0, ...cohereText('Hel') },
  { type: 'content-delta', index: 0, ...cohereText('lo') },
  { type: 'content-end', index: 0 },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereCounts } },
]

const wires: Wire[] = [
  {
    provider: 'anthropic',
    key: 'sk-ant-0123456789abcdef0123',
    model: 'anthropic/claude-sonnet-4-5',
    keyCheck: 'GET /v1/models',
    calls: ['POST /v1/messages', 'POST /v1/messages'],
    text: isStreamed => say('anthropic', { text: ['Hel', 'lo'] }, isStreamed),
    broken: () => {
      const whole = String(say('anthropic', { text: ['Hel', 'lo'] }, true).body)
      return eventStream([whole.slice(0, whole.indexOf('event: content_block_stop'))])
    },
    refusal: { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  },
  {
    provider: 'google',
    key: 'AIza0123456789abcdef0123',
    model: 'google/gemini-2.5-flash',
    keyCheck: 'GET /v1beta/models',
    calls: [
      'POST /v1beta/models/gemini-2.5-flash:generateContent',
      'POST /v1beta/models/gemini-2.5-flash:streamGenerateContent',
    ],
    text: isStreamed =>
      isStreamed
        ? eventStream([data(gemini([{ text: 'Hel' }], false)), data(gemini([{ text: 'lo' }]))])
        : { body: gemini([{ text: 'Hello' }]) },
    broken: () => eventStream([data(gemini([{ text: 'Hel' }], false))]),
    refusal: { status: 503, body: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } } },
  },
  {
    provider: 'cohere',
    key: 'cohere0123456789abcdef01',
    model: 'cohere/command-a-03-2025',
    keyCheck: 'GET /v1/models',
    calls: ['POST /v2/chat', 'POST /v2/chat'],
    text: isStreamed =>
      isStreamed
        ? eventStream(cohereEvents.map(data))
        : {
            body: {
              id: 'c1',
              finish_reason: 'COMPLETE',
              message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
              usage: cohereCounts,
            },
          },
    broken: () => eventStream(cohereEvents.slice(0, 3).map(data)),
    refusal: { status: 503, body: { message: 'Overloaded' } },
  },
]

let stage: Stage
const projects = new Map<string, TestProject>()

beforeAll(async () => {
  stage = await openStage('sqlite', { UPSTREAM_IDLE_TIMEOUT: '2' })
  stage.upstream.on('GET /v1beta/models', { body: { models: [] } })
  for (const wire of wires) projects.set(wire.provider, await makeProject(wire))
})
afterAll(() => stage.stop())
beforeEach(() => {
  stage.upstream.requests.length = 0
})

const makeProject = ({ provider, key, model }: Wire) =>
  stage.makeProject({ model, provider: { path: provider, body: { api_key: key } } })

function projectOf({ provider }: Wire): TestProject {
  const project = projects.get(provider)
  if (project === undefined) throw new Error(`no project for ${provider}`)
  return project
}

function withoutCounts(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_name, value) => (typeof value === 'number' && value > 0 ? null : value))
}

function script({ calls: [plain, streamed] }: Wire, script: Script): void {
  stage.upstream.on(plain, script)
  stage.upstream.on(streamed, script)
}

function isStreamed({ path, body }: UpstreamRequest): boolean {
  return path.includes('stream') || JSON.parse(body).stream === true
}

describe.each(wires)('$provider', wire => {
  test('plain and streamed, with usage and the key where it belongs', async () => {
    script(wire, request => wire.text(isStreamed(request)))
    const plain = await projectOf(wire).complete()
    expect(plain).toMatchObject({
      status: 200,
      body: {
        choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      },
    })
    const open = await projectOf(wire).open({ stream_options: { include_usage: true } })
    expect(await open.ended).toBe(true)
    const events = eventsOf(open.text())
    expect(textOf(events)).toBe('Hello')
    expect(events.at(-1)).toBe('[DONE]')
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 18 } })
    const [{ headers }] = stage.upstream.requests as [UpstreamRequest]
    expect(JSON.stringify(headers)).toContain(wire.key)
    expect((await projectOf(wire).usage()).total_tokens).toBe(36)
  })

  test('a usage that counts nothing is none, and the answer is counted here', async () => {
    const before = await projectOf(wire).usage()
    script(wire, { body: withoutCounts(wire.text(false).body) })
    expect(await projectOf(wire).complete()).toMatchObject({ status: 200 })
    const after = await projectOf(wire).usage()
    const promptTokens = after.prompt_tokens - before.prompt_tokens
    expect(promptTokens).toBeGreaterThan(0)
    expect(after.total_tokens - before.total_tokens).toBeGreaterThan(promptTokens)
  })

  test('an overloaded provider is asked twice and is a 502, and costs nothing', async () => {
    const before = await projectOf(wire).usage()
    script(wire, wire.refusal)
    expect(await projectOf(wire).complete()).toMatchObject({
      status: 502,
      body: { error: { code: 'provider_unavailable' } },
    })
    expect(stage.upstream.requests).toHaveLength(2)
    expect((await projectOf(wire).usage()).total_tokens).toBe(before.total_tokens)
  })

  test('a stream that breaks off is a failure and never a clean end', async () => {
    script(wire, wire.broken())
    const open = await projectOf(wire).open()
    await open.ended
    const events = eventsOf(open.text())
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } })
    expect(open.text()).not.toContain('"finish_reason":"stop"')
  })

  test('an address that answers with a web page is a 502', async () => {
    script(wire, { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' })
    expect(await projectOf(wire).complete()).toMatchObject({
      status: 502,
      body: { error: { code: 'provider_unavailable' } },
    })
  })
})

test('whoever leaves pays what the provider had counted by then', async () => {
  const [anthropic] = wires as [Wire]
  const own = await makeProject(anthropic)
  const usage = { input_tokens: 5_000, output_tokens: 1 }
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'claude', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
  ]
  script(anthropic, {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events.map(data).join(''))
    },
  })
  const open = await own.open()
  await expect.poll(() => open.text()).toContain('Hel')
  open.abort()
  await expect.poll(() => own.usage()).toMatchObject({ requests: 1, prompt_tokens: 5_000 })
})

describe('signatures that clients drop between two turns', () => {
  const tools = [{ type: 'function', function: { name: 'find_weather', parameters: { type: 'object' } } }]
  const result = 'rain'

  interface Message {
    role: string
    content: string | null
    tool_calls: { id: string; function: object; extra_content?: unknown }[]
  }

  /** Returns the answer as a client would that keeps only OpenAI's fields. */
  function plainly({ content, tool_calls: calls }: Message) {
    return { role: 'assistant', content, tool_calls: calls.map(({ extra_content: _, ...call }) => call) }
  }

  async function takeTwoTurns(wire: Wire, fields: object, secondAs?: string) {
    const project = projectOf(wire)
    const first = await project.complete({ tools, ...fields })
    const { message } = (first.body as { choices: [{ message: Message }] }).choices[0]
    const [call] = message.tool_calls as [Message['tool_calls'][0]]
    const messages = [...hello.messages, plainly(message), { role: 'tool', tool_call_id: call.id, content: result }]
    const token = secondAs === undefined ? undefined : await project.mint({ user_id: secondAs })
    await project.complete({ tools, messages, ...fields }, token === undefined ? {} : { token })
    return JSON.parse(stage.upstream.requests.at(-1)?.body ?? '')
  }

  const geminiCall = { functionCall: { name: 'find_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnbmVk' }
  const [anthropic, google] = wires as [Wire, Wire, Wire]

  test('Gemini gets its own back', async () => {
    script(google, { body: gemini([geminiCall]) })
    const body = await takeTwoTurns(google, {})
    expect(body.contents[1].parts[0]).toMatchObject(geminiCall)
  })

  test('streamed too', async () => {
    const project = projectOf(google)
    script(google, eventStream([data(gemini([geminiCall]))]))
    const open = await project.open({ tools })
    await open.ended
    const calls = eventsOf(open.text()).flatMap(
      event =>
        (event as { choices?: [{ delta: { tool_calls?: { id?: string }[] } }] }).choices?.[0]?.delta.tool_calls ?? [],
    )
    const id = calls.find(call => call.id !== undefined)?.id
    const call = { id, type: 'function', function: { name: 'find_weather', arguments: '{"city":"Oslo"}' } }
    script(google, { body: gemini([{ text: 'Rain.' }]) })
    await project.complete({
      tools,
      messages: [
        ...hello.messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: id, content: result },
      ],
    })
    const body = JSON.parse(stage.upstream.requests.at(-1)?.body ?? '')
    expect(body.contents[1].parts[0]).toMatchObject(geminiCall)
  })

  test("another end user's request does not find them", async () => {
    script(google, { body: gemini([geminiCall]) })
    const body = await takeTwoTurns(google, {}, 'mallory')
    expect(JSON.stringify(body)).not.toContain('c2lnbmVk')
  })

  test('Anthropic gets its thoughts back while it thinks', async () => {
    const thinking = { type: 'thinking', thinking: 'Look outside.', signature: 'c2lnbmVk' }
    script(anthropic, {
      body: {
        ...(say('anthropic', {}, false).body as object),
        content: [thinking, { type: 'tool_use', id: 'toolu_1', name: 'find_weather', input: {} }],
        stop_reason: 'tool_use',
      },
    })
    const body = await takeTwoTurns(anthropic, { reasoning_effort: 'low' })
    expect(body.thinking).toMatchObject({ type: 'enabled' })
    expect(body.messages[1].content[0]).toEqual(thinking)
  })
})
