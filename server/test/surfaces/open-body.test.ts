// A request that names a prompt becomes, byte for byte, the request with the prompt's messages written out.
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { parseNamedTemplate } from '../../src/domain/prompts/check-template.ts'
import type { NamedTemplate } from '../../src/domain/prompts/template.ts'
import { defaultSettings, type Settings } from '../../src/domain/settings/settings.ts'
import { chatCompletionsEndpoint } from '../../src/surfaces/chat-completions/chat-completions.ts'
import { messages as messagesSurface } from '../../src/surfaces/messages/messages.ts'
import { openBody } from '../../src/surfaces/open-body.ts'
import { responsesEndpoint } from '../../src/surfaces/responses/responses.ts'
import type { Endpoint } from '../../src/surfaces/surface.ts'

const [messagesEndpoint, countEndpoint] = messagesSurface.endpoints as [Endpoint, Endpoint]

function template(given: Record<string, unknown> = {}): NamedTemplate {
  const parsed = parseNamedTemplate({
    name: 'tutor',
    messages: [
      { role: 'system', content: 'Teach {{topic}}.' },
      { role: 'user', content: 'Begin.' },
    ],
    variables: { topic: { type: 'string' } },
    ...given,
  })
  if (parsed === null) throw new Error('the prompt is invalid')
  return parsed
}

interface Project {
  prompt?: NamedTemplate
  settings?: Partial<Settings>
  old?: Record<number, NamedTemplate[]>
  deployment?: number | null
}

async function open(endpoint: Endpoint, text: string, project: Project = {}) {
  const { prompt = template(), settings, old = {}, deployment = 3 } = project
  const live = { project_id: 'p', prompts: [prompt], deployment }
  const given = { live, settings: { ...defaultSettings('http://localhost'), ...settings } }
  const body = { value: JSON.parse(text) as unknown, bytes: Buffer.from(text) }
  const opened = await openBody(endpoint, body, given, async (_id, number) => old[number] ?? null)
  return opened.prompt === null ? null : { ...opened, text: opened.prompt.body.bytes.toString() }
}

async function refusalOf(endpoint: Endpoint, body: object, project: Project = {}): Promise<Refusal> {
  try {
    await open(endpoint, JSON.stringify(body), project)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('the request was not refused')
}

const named = { id: 'tutor', variables: { topic: 'maths' } }
const system = { role: 'system', content: 'Teach maths.' }
const begin = { role: 'user', content: 'Begin.' }
const hi = { role: 'user', content: 'Hi' }
const tool = {
  type: 'function',
  function: { name: 'look_up', description: 'd', parameters: { type: 'object' }, strict: true },
}
const format = { type: 'json_schema', json_schema: { name: 'out', schema: { type: 'object' }, strict: true } }
const params = { temperature: 0.5, max_tokens: 99, response_format: format, tools: [tool] }
const flat = { name: 'look_up', description: 'd', parameters: { type: 'object' }, strict: true }

const written: [string, Endpoint, object, object, Record<string, unknown>?][] = [
  ['chat', chatCompletionsEndpoint, { prompt: named }, { messages: [system, begin] }],
  [
    'chat with messages',
    chatCompletionsEndpoint,
    { model: 'm', prompt: named, messages: [hi], n: 2 },
    { model: 'm', messages: [system, begin, hi], n: 2 },
  ],
  [
    'chat with params',
    chatCompletionsEndpoint,
    { prompt: named, messages: [hi] },
    {
      messages: [system, begin, hi],
      ...{ model: 'openai/gpt-4o', temperature: 0.5, response_format: format, tools: [tool], max_tokens: 99 },
    },
    { model: 'openai/gpt-4o', params },
  ],
  [
    'chat with params of its own',
    chatCompletionsEndpoint,
    { prompt: named, messages: [hi], temperature: 1, max_completion_tokens: 5 },
    { messages: [system, begin, hi], temperature: 1, max_completion_tokens: 5 },
    { params: { temperature: 0.5, max_tokens: 99 } },
  ],
  ['responses', responsesEndpoint, { prompt: named }, { input: [system, begin] }],
  [
    'responses with a text',
    responsesEndpoint,
    { prompt: named, input: 'Hi', stream: true },
    { input: [system, begin, hi], stream: true },
  ],
  [
    'responses with items',
    responsesEndpoint,
    { input: [hi], prompt: named, instructions: 'own' },
    { input: [system, begin, hi], instructions: 'own' },
  ],
  [
    'responses with params',
    responsesEndpoint,
    { prompt: named, text: { verbosity: 'low' } },
    {
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'out', schema: { type: 'object' }, strict: true },
      },
      temperature: 0.5,
      max_output_tokens: 99,
      tools: [{ type: 'function', ...flat }],
      input: [system, begin],
    },
    { params },
  ],
  [
    'messages',
    messagesEndpoint,
    { max_tokens: 9, messages: [hi], metadata: { prompt: named } },
    { max_tokens: 9, messages: [begin, hi], system: 'Teach maths.' },
  ],
  [
    'messages with a system of its own',
    messagesEndpoint,
    { max_tokens: 9, system: 'own', messages: [hi], metadata: { prompt: named, user_id: 'x' } },
    {
      max_tokens: 9,
      system: [
        { type: 'text', text: 'Teach maths.' },
        { type: 'text', text: 'own' },
      ],
      messages: [begin, hi],
      metadata: { user_id: 'x' },
    },
  ],
  [
    'messages with params',
    messagesEndpoint,
    { messages: [hi], metadata: { prompt: named } },
    {
      messages: [begin, hi],
      system: 'Teach maths.',
      temperature: 0.5,
      tools: [{ name: 'look_up', description: 'd', input_schema: { type: 'object' }, strict: true }],
      max_tokens: 99,
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    },
    { params },
  ],
  [
    'messages without a limit',
    messagesEndpoint,
    { messages: [hi], metadata: { prompt: named } },
    { messages: [begin, hi], system: 'Teach maths.', max_tokens: 4096 },
  ],
  [
    'a count of tokens',
    countEndpoint,
    { messages: [hi], metadata: { prompt: named } },
    { messages: [begin, hi], system: 'Teach maths.', max_tokens: 4096 },
  ],
]

describe('writes the prompt out', () => {
  test.each(written)('%s', async (_name, endpoint, body, expected, given = {}) => {
    const opened = await open(endpoint, JSON.stringify(body), { prompt: template(given) })
    expect(opened?.text).toBe(JSON.stringify(expected))
    expect(opened?.prompt?.body.value).toEqual(expected)
    expect(opened?.prompt).toMatchObject({ name: 'tutor', texts: [{ name: 'topic', text: 'maths' }] })
    const plain = endpoint.estimate(structuredClone(expected), Buffer.from(JSON.stringify(expected)))
    expect(opened?.estimated.estimate).toEqual(plain.estimate)
    const rules = defaultSettings('http://localhost')
    expect(opened?.estimated.read(rules)).toEqual(plain.read(rules))
  })

  test('the prompt is not changed by the requests that name it', async () => {
    const prompt = template({ params })
    const before = structuredClone(prompt)
    const body = JSON.stringify({ prompt: named, messages: [hi] })
    const opened = await open(chatCompletionsEndpoint, body, { prompt })
    opened?.estimated.read(defaultSettings('http://localhost'))
    expect(prompt).toEqual(before)
  })

  test('every other byte stays as the client wrote it', async () => {
    const own = `{"role":"user","content":"a\\u00e9 \\/","n": 1.0,"m":12345678901234567890}`
    const text = `{ "seed" : 1e2, "prompt":${JSON.stringify(named)},"messages": [ ${own} ] }`
    const opened = await open(chatCompletionsEndpoint, text)
    const expected = `{ "seed" : 1e2,"messages": [${JSON.stringify(system)},${JSON.stringify(begin)},${own}] }`
    expect(opened?.text).toBe(expected)
  })

  test('two members of one name: the last one counts, in the bytes too', async () => {
    const text = `{"prompt":1,"prompt":${JSON.stringify(named)},"messages":[{"role":"user","content":"a","content":"b"}]}`
    const opened = await open(chatCompletionsEndpoint, text)
    expect(opened?.text).toBe(JSON.stringify({ messages: [system, begin, { role: 'user', content: 'b' }] }))
  })
})

test.each([{}, { client_prompts: 'required' }] as const)(
  'the model `default` is that of the project: %j',
  async settings => {
    const body = { model: 'default', messages: [hi], prompt: named }
    const opened = await open(chatCompletionsEndpoint, JSON.stringify(body), { settings })
    expect(opened?.text).toBe(JSON.stringify({ messages: [system, begin, hi] }))
  },
)

describe('what a project forbids its clients', () => {
  test('does not hit the prompt', async () => {
    const settings = { client_tools: 'reject', client_system_messages: 'reject' } as const
    expect(
      await open(chatCompletionsEndpoint, JSON.stringify({ prompt: named, messages: [hi] }), {
        prompt: template({ params }),
        settings,
      }),
    ).not.toBeNull()
  })

  test.each<[Endpoint, object, string, string]>([
    [
      chatCompletionsEndpoint,
      { prompt: named, messages: [system] },
      'client_system_message_rejected',
      'messages[0].role',
    ],
    [chatCompletionsEndpoint, { prompt: named, tools: [tool] }, 'client_tools_rejected', 'tools'],
    [responsesEndpoint, { prompt: named, instructions: 'x' }, 'client_system_message_rejected', 'instructions'],
    [messagesEndpoint, { metadata: { prompt: named }, system: 'x' }, 'client_system_message_rejected', 'system'],
  ])('hits the request beside it %#', async (endpoint, body, code, param) => {
    const settings = { client_tools: 'reject', client_system_messages: 'reject' } as const
    expect(await refusalOf(endpoint, body, { settings })).toMatchObject({ code, details: { param } })
  })

  test('is left out of the request, and not of the prompt', async () => {
    const settings = { client_system_messages: 'drop' } as const
    const body = { prompt: named, messages: [{ role: 'Developer', content: 'x' }, hi, system] }
    const opened = await open(chatCompletionsEndpoint, JSON.stringify(body), { settings })
    expect(opened?.text).toBe(JSON.stringify({ messages: [system, begin, hi] }))
    const responses = { instructions: 'x', prompt: named, input: 'Hi' }
    expect((await open(responsesEndpoint, JSON.stringify(responses), { settings }))?.text).toBe(
      JSON.stringify({ input: [system, begin, hi] }),
    )
  })
})

describe('client_prompts: required', () => {
  const settings = { client_prompts: 'required' } as const

  test.each<[Endpoint, object]>([
    [chatCompletionsEndpoint, { messages: [hi] }],
    [responsesEndpoint, { input: 'Hi', prompt: null }],
    [messagesEndpoint, { max_tokens: 1, messages: [hi], metadata: { user_id: 'x' } }],
    [countEndpoint, { messages: [hi] }],
  ])('refuses a request without a prompt %#', async (endpoint, body) => {
    expect(await refusalOf(endpoint, body, { settings })).toMatchObject({ code: 'prompt_required' })
  })

  test.each<[Endpoint, object, string, string]>([
    [chatCompletionsEndpoint, { messages: [system] }, 'client_system_message_rejected', 'messages[0].role'],
    [
      chatCompletionsEndpoint,
      { messages: [{ role: 'DEVELOPER', content: '' }] },
      'client_system_message_rejected',
      'messages[0].role',
    ],
    [chatCompletionsEndpoint, { tools: [] }, 'client_tools_rejected', 'tools'],
    [chatCompletionsEndpoint, { Functions: [1] }, 'client_tools_rejected', 'Functions'],
    [chatCompletionsEndpoint, { model: 'm' }, 'client_field_rejected', 'model'],
    [chatCompletionsEndpoint, { temperature: 1 }, 'client_field_rejected', 'temperature'],
    [chatCompletionsEndpoint, { max_tokens: 10_000 }, 'client_field_rejected', 'max_tokens'],
    [chatCompletionsEndpoint, { n: 2 }, 'client_field_rejected', 'n'],
    [chatCompletionsEndpoint, { anything: 0 }, 'client_field_rejected', 'anything'],
    [chatCompletionsEndpoint, { input: 'x' }, 'client_field_rejected', 'input'],
    [responsesEndpoint, { instructions: 'x' }, 'client_system_message_rejected', 'instructions'],
    [responsesEndpoint, { input: [{ type: 'x', role: 'System' }] }, 'client_system_message_rejected', 'input[0].role'],
    [responsesEndpoint, { input: [{ type: 'x', tools: [1] }] }, 'client_tools_rejected', 'input'],
    [responsesEndpoint, { max_output_tokens: 1 }, 'client_field_rejected', 'max_output_tokens'],
    [responsesEndpoint, { reasoning: {} }, 'client_field_rejected', 'reasoning'],
  ])('refuses what the prompt decides %#', async (endpoint, body, code, param) => {
    const refusal = await refusalOf(endpoint, { prompt: named, ...body }, { settings })
    expect(refusal).toMatchObject({ code, details: { param } })
    expect(refusal.row.status).toBe(403)
  })

  test.each<[object, string]>([
    [{ system: 'x' }, 'system'],
    [{ max_tokens: 1 }, 'max_tokens'],
    [{ thinking: {} }, 'thinking'],
  ])('refuses it of Messages %#', async (body, param) => {
    const refusal = await refusalOf(
      messagesEndpoint,
      { metadata: { prompt: named }, messages: [hi], ...body },
      { settings },
    )
    expect(refusal).toMatchObject({ details: { param }, row: { status: 403 } })
  })

  test.each<[Endpoint, object]>([
    [chatCompletionsEndpoint, { prompt: named, messages: [hi], model: 'default' }],
    [chatCompletionsEndpoint, { prompt: named, messages: [hi], model: 'openai/gpt-x', temperature: 0.25 }],
    [responsesEndpoint, { prompt: named, input: [hi], model: 'openai/gpt-x', max_output_tokens: 99 }],
    [messagesEndpoint, { metadata: { prompt: named }, messages: [hi], model: 'default', max_tokens: 99 }],
  ])('takes what the prompt says itself, since the types of clients require it %#', async (endpoint, body) => {
    const prompt = template({ params: { temperature: 0.25, max_tokens: 99 }, model: 'openai/gpt-x' })
    const opened = await open(endpoint, JSON.stringify(body), { settings, prompt })
    expect(opened?.prompt?.body.value).toMatchObject({ model: 'openai/gpt-x', temperature: 0.25 })
    const wrong = { ...body, temperature: 0.26 }
    expect(await refusalOf(endpoint, wrong, { settings, prompt })).toMatchObject({ details: { param: 'temperature' } })
  })

  test('takes messages, and how the answer is sent', async () => {
    const chat = { prompt: named, messages: [hi, { role: 'assistant', content: 'x' }], stream: true, model: null }
    expect((await open(chatCompletionsEndpoint, JSON.stringify(chat), { settings }))?.text).toContain('"Begin."')
    const body = { prompt: named, input: [hi], stream: true, store: false, previous_response_id: 'resp_1' }
    expect((await open(responsesEndpoint, JSON.stringify(body), { settings }))?.text).toContain('"Begin."')
    const own = { metadata: { prompt: named }, messages: [hi], stream: true }
    expect((await open(messagesEndpoint, JSON.stringify(own), { settings }))?.text).toContain('"Begin."')
  })
})

describe('the named prompt', () => {
  const other = template({ messages: [{ role: 'user', content: 'old {{topic}}' }] })
  const old = { 1: [other], 2: [] }
  const ask = (prompt: unknown, project: Project = {}) =>
    open(chatCompletionsEndpoint, JSON.stringify({ prompt }), { old, ...project })

  test.each([1, '1'])('may be that of an old deployment: %j', async version => {
    expect((await ask({ ...named, version }))?.text).toBe('{"messages":[{"role":"user","content":"old maths"}]}')
  })

  test.each([3, '3', null])('is the live one for %j, without a look at deployments', async version => {
    expect((await ask({ ...named, version }))?.text).toBe(JSON.stringify({ messages: [system, begin] }))
  })

  test.each<[unknown, string]>([
    [{ id: 'none' }, 'The project has no prompt "none"'],
    [{ ...named, version: 2 }, 'Deployment 2 has no prompt "tutor"'],
    [{ ...named, version: 4 }, 'The project has no deployment 4'],
  ])('is not found: %j', async (prompt, message) => {
    const refusal = await refusalOf(chatCompletionsEndpoint, { prompt }, { old })
    expect(refusal).toMatchObject({ code: 'prompt_not_found', message })
    expect(refusal.row.status).toBe(404)
  })

  test('is looked for in deployments by a document that does not say which one is live', async () => {
    expect((await ask({ ...named, version: 1 }, { deployment: null }))?.text).toContain('old maths')
  })

  test.each<[Endpoint, unknown, string]>([
    [chatCompletionsEndpoint, 'tutor', 'prompt must be an object'],
    [chatCompletionsEndpoint, { ...named, name: 'x' }, 'prompt has an unknown field: name'],
    [chatCompletionsEndpoint, {}, 'prompt.id must be the name of a prompt'],
    [responsesEndpoint, { ...named, version: 0 }, 'prompt.version must be the number of a deployment'],
    [responsesEndpoint, { ...named, version: '01' }, 'prompt.version must be the number of a deployment'],
    [responsesEndpoint, { ...named, version: 1.5 }, 'prompt.version must be the number of a deployment'],
    [responsesEndpoint, { id: 'tutor' }, 'prompt.variables.topic is required'],
    [responsesEndpoint, { id: 'tutor', variables: { x: 1 } }, 'prompt.variables has an unknown variable: x'],
  ])('is refused %#', async (endpoint, prompt, message) => {
    const param = message.split(' ')[0]
    expect(await refusalOf(endpoint, { prompt })).toMatchObject({
      code: 'invalid_request',
      message,
      details: { param },
    })
  })

  test("is refused in Anthropic's words where its client sent it", async () => {
    const body = { messages: [hi], max_tokens: 1, metadata: { prompt: { id: 'tutor' } } }
    expect(await refusalOf(messagesEndpoint, body)).toMatchObject({
      message: 'metadata.prompt.variables.topic: is required',
      details: { param: 'metadata.prompt.variables.topic' },
    })
    const json = { params: { response_format: { type: 'json_object' } } }
    const named_ = { messages: [hi], max_tokens: 1, metadata: { prompt: named } }
    expect(await refusalOf(messagesEndpoint, named_, { prompt: template(json) })).toMatchObject({
      message: 'metadata.prompt: the prompt asks for json_object, which this format does not have',
    })
  })
})

test('a request without a prompt stays what it is, at once', () => {
  const value = { messages: [hi] }
  const live = { project_id: 'p', prompts: [], deployment: null }
  const project = { live, settings: defaultSettings('http://localhost') }
  const never = () => Promise.reject(new Error('not looked for'))
  const opened = openBody(chatCompletionsEndpoint, { value, bytes: Buffer.from('{}') }, project, never)
  expect(opened).not.toBeInstanceOf(Promise)
  expect(opened).toMatchObject({ prompt: null })
})
