// The inbound body of a request for a response as a prompt, and the errors that name a field.

import { describe, expect, it } from 'vitest'
import type { InferenceRequest } from '../../../src/domain/conversation/inference-request.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { JsonText } from '../../../src/domain/json/json-text.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { defaultSettings, type Settings } from '../../../src/domain/settings/settings.ts'
import { packDetails } from '../../../src/surfaces/responses/reasoning-items.ts'
import { responsesEndpoint } from '../../../src/surfaces/responses/responses.ts'
import { expectLinear } from '../../support/slowness.ts'

const settings = defaultSettings('https://dashboard.example.com')

function read(body: unknown, rules: Partial<Settings> = {}): InferenceRequest {
  const bytes = Buffer.from(JSON.stringify(body))
  return responsesEndpoint.estimate(body, bytes).read({ ...settings, ...rules })
}

function refusalOf(body: unknown, rules: Partial<Settings> = {}): Refusal {
  try {
    read(body, rules)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('was read')
}

const messagesOf = (...input: JsonObject[]) => read({ input }).prompt.messages
const assistant = { role: 'assistant', content: null, toolCalls: [], reasoningDetails: [] }
const parameters = { type: 'object', properties: {} }
const schema = JsonText.of(parameters)

describe('a request for a response', () => {
  it('with the least', () => {
    const { model, prompt, response } = read({ input: 'Hi' })
    expect(model).toBeNull()
    expect(prompt).toEqual({
      format: 'responses',
      source: { body: expect.anything(), messages: prompt.messages },
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
      otherTools: [],
      sampling: {},
      stop: [],
      stream: false,
      includeUsage: true,
      extra: {},
    })
    expect(prompt.source?.messages).toBe(prompt.messages)
    expect(response).toMatchObject({ wantsStore: true, previousId: null, sealsReasoning: false })
  })

  it('with everything', () => {
    const webSearch = { type: 'web_search', filters: { a: 1 } }
    const body = {
      model: 'gpt-5',
      instructions: 'Be brief.',
      input: 'Hi',
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters, strict: true, defer_loading: true },
        webSearch,
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      text: { format: { type: 'json_schema', name: 's', schema: parameters, strict: true }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 3,
      truncation: 'auto',
      metadata: { a: 'b' },
      include: ['reasoning.encrypted_content'],
      store: false,
      previous_response_id: 'resp_1',
      stream: true,
      user: 'me',
      safety_identifier: 'me',
      service_tier: 'flex',
    }
    const { model, prompt, response } = read(body)
    expect(model).toBe('gpt-5')
    expect(prompt).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [{ name: 'f', description: 'd', parameters: schema, strict: true, extra: { defer_loading: true } }],
      otherTools: [webSearch],
      toolChoice: { name: 'f' },
      parallelToolCalls: false,
      responseFormat: { type: 'json_schema', name: 's', schema, strict: true },
      sampling: { temperature: 0.5, topP: 0.9 },
      maxOutputTokens: 99,
      logprobs: { topCount: 3 },
      reasoning: { effort: 'high' },
      stream: true,
    })
    expect(prompt.extra).toEqual({
      truncation: 'auto',
      metadata: { a: 'b' },
      include: ['reasoning.encrypted_content'],
      service_tier: 'flex',
      text: { verbosity: 'low' },
      reasoning: { summary: 'auto' },
    })
    expect(response).toMatchObject({ wantsStore: false, previousId: 'resp_1', sealsReasoning: true })
    expect(response?.echo).toMatchObject({ instructions: 'Be brief.', metadata: { a: 'b' }, tools: body.tools })
  })

  it('without unknown fields passes no body on when the project drops them', () => {
    expect(
      read({ input: 'Hi', service_tier: 'flex', metadata: { a: 'b' } }, { client_fields: 'known' }).prompt,
    ).toMatchObject({
      extra: { metadata: { a: 'b' } },
      source: null,
    })
  })

  it.each([
    ['auto', {}, 'auto'],
    [{ type: 'function', name: 'f' }, {}, { name: 'f' }],
    [{ type: 'web_search' }, { tool_choice: { type: 'web_search' } }, undefined],
  ])('with the tool choice %j', (tool_choice, extra, toolChoice) => {
    const { prompt } = read({ input: 'Hi', tool_choice })
    expect(prompt.extra).toEqual(extra)
    expect(prompt.toolChoice).toEqual(toolChoice)
  })

  it('with allowed tools has only these', () => {
    const tools = ['f', 'g'].map(name => ({ type: 'function', name }))
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] }
    const { prompt } = read({ input: 'Hi', tools, tool_choice })
    expect(prompt).toMatchObject({ tools: [{ name: 'g' }], toolChoice: 'required', extra: {} })
  })
})

describe('items', () => {
  it('of each kind of part', () => {
    const content = [
      { type: 'input_text', text: 'a' },
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      { type: 'input_file', file_id: 'file-2' },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'later_kind', a: 1 },
    ]
    expect(messagesOf({ role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', url: 'https://example.com/a.png', detail: 'low' },
          { type: 'other', kind: 'input_image', value: content[2] },
          { type: 'file', data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'file', data: 'https://example.com/a.pdf' },
          { type: 'file', fileId: 'file-2' },
          { type: 'audio', data: 'AA==', format: 'wav' },
          { type: 'other', kind: 'later_kind', value: content[7] },
        ],
      },
    ])
  })

  it('of one answer become one message, and results follow it', () => {
    const said = messagesOf(
      { type: 'message', role: 'user', content: 'Weather?' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAA' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Wait.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'sun' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'rain' },
          { type: 'input_text', text: '!' },
        ],
      },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'so' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    )
    expect(said).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'Wait.',
        toolCalls: [
          { id: 'c1', name: 'f', arguments: '{"a":1}' },
          { id: 'c2', name: 'g', arguments: '{}' },
        ],
        reasoningDetails: [
          { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', summary: 'hm', format: 'openai-responses-v1' },
        ],
      },
      { role: 'tool', toolCallId: 'c1', content: 'sun' },
      {
        role: 'tool',
        toolCallId: 'c2',
        content: [
          { type: 'text', text: 'rain' },
          { type: 'text', text: '!' },
        ],
      },
      { ...assistant, content: [{ type: 'refusal', text: 'No.' }], reasoning: 'so' },
    ])
  })

  it('of reasoning after an answer begin another message', () => {
    const roles = messagesOf(
      { type: 'reasoning', encrypted_content: 'a' },
      { role: 'assistant', content: 'one' },
      { type: 'reasoning', encrypted_content: 'b' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ).map(message => (message.role === 'assistant' ? message.reasoningDetails.map(({ data }) => data) : null))
    expect(roles).toEqual([['a'], ['b']])
  })

  it('with details of another format return them unchanged', () => {
    const details = [
      { type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'x', format: 'anthropic-claude-v1', index: 1 },
    ]
    const [message] = messagesOf({ type: 'reasoning', summary: [], encrypted_content: packDetails(details) })
    expect(message).toEqual({ ...assistant, reasoningDetails: details })
  })

  it('of an unknown kind are kept, on the side of who wrote them', () => {
    const call = { type: 'custom_tool_call', call_id: 'c', name: 'p', input: 'x' }
    const output = { type: 'custom_tool_call_output', call_id: 'c', output: 'y' }
    expect(messagesOf(call, output)).toEqual([
      { ...assistant, content: [{ type: 'other', kind: 'custom_tool_call', value: call }] },
      { role: 'user', content: [{ type: 'other', kind: 'custom_tool_call_output', value: output }] },
    ])
  })
})

it.each<[string, JsonObject, string?]>([
  ['The request body must be a JSON object', [] as unknown as JsonObject],
  ['input is required', {}],
  ['input must be a string or an array that is not empty', { input: [] }],
  ['input[0] must be an object', { input: ['a'] }],
  ['input[0].type is required', { input: [{ id: 'msg_1' }] }],
  [
    'input[0].type must not be item_reference: send the item itself, or previous_response_id',
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
  ],
  ['input[0].role must be one of: user, assistant, system, developer', { input: [{ role: 'tool', content: 'a' }] }],
  ['input[0].content is required', { input: [{ role: 'user' }] }],
  [
    'input[0].content[1].text is required',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a' }, { type: 'input_text' }] }] },
  ],
  ['input[0].content[0].image_url is required', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
  [
    'input[0].content[0] must have file_data, file_url or file_id',
    { input: [{ role: 'user', content: [{ type: 'input_file' }] }] },
  ],
  ['input[0].call_id is required', { input: [{ type: 'function_call', name: 'f', arguments: '' }] }],
  ['input[0].output is required', { input: [{ type: 'function_call_output', call_id: 'c' }] }],
  [
    'input[0].encrypted_content must be what an answer contained',
    { input: [{ type: 'reasoning', encrypted_content: 'sallyport.v1.e30' }] },
  ],
  ['model must be a string', { model: 1 }],
  ['stream must be a boolean', { input: 'a', stream: 'yes' }],
  ['instructions must be a string', { input: 'a', instructions: [] }],
  ['max_output_tokens must be a positive integer', { input: 'a', max_output_tokens: 0 }],
  ['tools[0].type is required', { input: 'a', tools: [{ name: 'f' }] }],
  ['tools[0].name is required', { input: 'a', tools: [{ type: 'function' }] }],
  ['tool_choice.type is required', { input: 'a', tool_choice: {} }],
  [
    'tool_choice.mode must be one of: auto, required',
    { input: 'a', tool_choice: { type: 'allowed_tools', mode: 'none', tools: [] } },
  ],
  [
    'text.format.type must be one of: text, json_object, json_schema',
    { input: 'a', text: { format: { type: 'grammar' } } },
  ],
  ['text.format.name is required', { input: 'a', text: { format: { type: 'json_schema' } } }],
  [
    'reasoning.effort must be one of: none, minimal, low, medium, high, xhigh, max',
    { input: 'a', reasoning: { effort: 'big' } },
  ],
  ['metadata must have at most 16 names of 64 and texts of 512 characters', { input: 'a', metadata: { a: 1 } }],
  [
    'background is not supported: leave it out and wait for the response, or use stream',
    { input: 'a', background: true },
  ],
  ['conversation is not supported: use previous_response_id', { input: 'a', conversation: 'conv_1' }],
])('%s', (message, body) => {
  expect(refusalOf(body)).toMatchObject({ code: 'invalid_request', message })
})

it('rejects or drops instructions as the project says', () => {
  const body = { instructions: 'Be brief.', input: 'Hi' }
  expect(refusalOf(body, { client_system_messages: 'reject' })).toMatchObject({
    code: 'client_system_message_rejected',
    details: { param: 'instructions' },
  })
  const item = {
    input: [
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'x' },
    ],
  }
  expect(refusalOf(item, { client_system_messages: 'reject' }).details.param).toBe('input')
  expect(read(body, { client_system_messages: 'drop' }).prompt.messages).toEqual([{ role: 'user', content: 'Hi' }])
})

it.each([
  ['tools', { tools: [{ type: 'function', name: 'f' }] }],
  ['tool_choice', { tool_choice: 'auto' }],
  ['input', { input: [{ type: 'additional_tools', role: 'developer', tools: [] }] }],
])('rejects tools in %s where the project says so', (param, body) => {
  expect(refusalOf({ input: 'Hi', ...body }, { client_tools: 'reject' })).toMatchObject({
    code: 'client_tools_rejected',
    details: { param },
  })
})

describe('the estimate', () => {
  const estimateOf = (body: JsonObject) => responsesEndpoint.estimate(body).estimate

  it('counts texts, items and attachments', () => {
    expect(estimateOf({ input: 'x'.repeat(400) })).toEqual({ prompt: 104, completion: 1_024, isUnlimited: true })
    expect(estimateOf({ instructions: 'x'.repeat(40), input: 'x'.repeat(40), max_output_tokens: 5 })).toEqual({
      prompt: 28,
      completion: 5,
    })
    const image = { type: 'input_image', image_url: 'data:image/png;base64,' }
    expect(estimateOf({ input: [{ role: 'user', content: [image] }] }).prompt).toBe(1_004)
    const call = { type: 'function_call', call_id: 'c', name: 'f'.repeat(4), arguments: 'x'.repeat(40) }
    const output = { type: 'function_call_output', call_id: 'c', output: 'x'.repeat(40) }
    expect(estimateOf({ input: [call, output] }).prompt).toBe(29)
    expect(estimateOf({ input: '', tools: [{ type: 'function', name: 'x'.repeat(400) }] }).prompt).toBeGreaterThan(100)
    expect(estimateOf({ input: [{ type: 'later_kind', data: 'x'.repeat(400) }] }).prompt).toBeGreaterThan(100)
  })
})

const oneItem: [name: string, itemOf: (at: number) => JsonObject][] = [
  ['messages of the model', () => ({ role: 'assistant', content: 'a' })],
  ['messages with unknown fields', at => ({ role: 'assistant', content: [], [`x${at}`]: at })],
  ['calls', at => ({ type: 'function_call', call_id: `${at}`, name: 'f', arguments: '{}' })],
  ['reasoning', () => ({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }] })],
]

it.each(oneItem)('reads many %s in proportion to their number', (_name, itemOf) => {
  expectLinear(size => {
    const input = Array.from({ length: size }, (_, at) => itemOf(at))
    return () => void messagesOf(...input)
  })
})

it('keeps an unknown field of any name among many', () => {
  const fields = JSON.parse('{"__proto__":1,"x":2}') as JsonObject
  const [message] = messagesOf(
    { role: 'assistant', content: 'a', y: 1 },
    { role: 'assistant', content: 'b', ...fields },
  )
  expect(Object.entries((message as { extra: JsonObject }).extra)).toEqual([
    ['y', 1],
    ['__proto__', 1],
    ['x', 2],
  ])
})
