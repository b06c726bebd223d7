import { describe, expect, it, test } from 'vitest'
import type { ModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import { unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { AssistantMessage, Message, Prompt } from '../../../../src/domain/conversation/prompt.ts'
import { JsonText } from '../../../../src/domain/json/json-text.ts'
import { defaultSettings } from '../../../../src/domain/settings/settings.ts'
import { responses } from '../../../../src/providers/protocols/responses/responses.ts'
import { responsesEndpoint } from '../../../../src/surfaces/responses/responses.ts'
import { asSent, testTarget } from '../protocol-suite.ts'

const said: Message[] = [{ role: 'user', content: 'Hi' }]

function promptOf(fields: Partial<Prompt> = {}): Prompt {
  const empty = { tools: [], otherTools: [], sampling: {}, stop: [], stream: false, includeUsage: true, extra: {} }
  return { format: 'responses', source: null, messages: said, ...empty, ...fields }
}

function assistant(fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: 'assistant', content: null, toolCalls: [], reasoningDetails: [], ...fields }
}

const render = (fields: Partial<Prompt>, facts: Partial<ModelFacts> = {}) =>
  asSent(
    responses.render(
      promptOf(fields),
      testTarget({ facts: { ...unknownModelFacts, ...facts }, endUserHash: 'hash-1' }),
    ),
  )
const bodyOf = (fields: Partial<Prompt>, facts: Partial<ModelFacts> = {}) => render(fields, facts).body
const itemsOf = (...messages: Message[]) => bodyOf({ messages })['input']

const allFields: Parameters<typeof bodyOf>[0] = {
  tools: [
    {
      name: 'f',
      description: 'F',
      parameters: JsonText.of({ type: 'object' }),
      strict: true,
      extra: { defer_loading: true },
    },
    { name: 'g' },
  ],
  otherTools: [{ type: 'web_search', filters: null }],
  toolChoice: { name: 'f' },
  parallelToolCalls: false,
  responseFormat: {
    type: 'json_schema',
    name: 'n',
    description: 'd',
    schema: JsonText.of({ type: 'object' }),
    strict: true,
  },
  sampling: { temperature: 0.5, topP: 0.9, seed: 7, presencePenalty: 1, topK: 3 },
  maxOutputTokens: 100,
  stop: ['x'],
  choiceCount: 2,
  logprobs: { topCount: 3 },
  reasoning: { effort: 'max' },
  stream: true,
  extra: {
    text: { verbosity: 'low' },
    reasoning: { summary: 'auto' },
    metadata: { a: 'b' },
    truncation: 'auto',
    previous_response_id: 'resp_of_ours',
    store: true,
    user: 'ann@example.com',
    conversation: 'conv_1',
  },
}

describe('requests of the Responses API', () => {
  it('store nothing and name the end user', () => {
    expect(render({})).toEqual({
      path: ['responses'],
      reading: { jsonTool: null },
      body: {
        model: 'model-1',
        input: [{ type: 'message', role: 'user', content: 'Hi' }],
        store: false,
        safety_identifier: 'hash-1',
      },
    })
  })

  it('have all fields of a prompt', () => {
    const body = bodyOf(allFields)
    expect(body).toEqual({
      model: 'model-1',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      tools: [
        {
          type: 'function',
          name: 'f',
          description: 'F',
          parameters: { type: 'object' },
          strict: true,
          defer_loading: true,
        },
        { type: 'function', name: 'g' },
        { type: 'web_search', filters: null },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', description: 'd', schema: { type: 'object' }, strict: true },
      },
      reasoning: { summary: 'auto', effort: 'xhigh' },
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 3,
      max_output_tokens: 100,
      stream: true,
      metadata: { a: 'b' },
      truncation: 'auto',
      store: false,
      safety_identifier: 'hash-1',
    })
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [undefined, { type: 'allowed_tools', mode: 'auto', tools: [] }],
  ] as const)('choose tools: %s', (toolChoice, onWire) => {
    const extra = { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }
    const choice = toolChoice === undefined ? {} : { toolChoice }
    expect(bodyOf({ tools: [{ name: 'f' }], extra, ...choice })['tool_choice']).toEqual(onWire)
    expect(bodyOf({ extra, ...choice })).not.toHaveProperty('tool_choice')
  })

  test.each([
    [{ type: 'text' }, { format: { type: 'text' } }],
    [{ type: 'json' }, { format: { type: 'json_object' } }],
    [undefined, undefined],
  ] as const)('write the format %j', (responseFormat, text) => {
    expect(bodyOf(responseFormat === undefined ? {} : { responseFormat })['text']).toEqual(text)
  })

  it('leave out what the model rejects', () => {
    const asked: Partial<Prompt> = {
      sampling: { temperature: 0.5, topP: 0.9 },
      logprobs: { topCount: 3 },
      reasoning: { effort: 'low' },
      maxOutputTokens: 5_000,
      responseFormat: { type: 'json_schema', name: 'n', schema: JsonText.of({ type: 'object' }) },
      extra: {
        reasoning: { summary: 'auto' },
        include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      },
    }
    const rejects = { temperature: false, reasoning: false, structuredOutput: false, maxOutputTokens: 4_000 }
    expect(bodyOf(asked, rejects)).toEqual({
      model: 'model-1',
      input: [
        { type: 'message', role: 'system', content: expect.stringContaining('"type":"object"') },
        { type: 'message', role: 'user', content: 'Hi' },
      ],
      max_output_tokens: 4_000,
      store: false,
      safety_identifier: 'hash-1',
    })
    expect(bodyOf(asked)).toMatchObject({
      temperature: 0.5,
      include: asked.extra?.['include'],
      max_output_tokens: 5_000,
    })
    expect(bodyOf({ maxOutputTokens: 5_000 }, { contextWindow: 4_000 })).not.toHaveProperty('max_output_tokens')
  })

  test.each([
    [undefined, ['reasoning.encrypted_content']],
    [['file_search_call.results'], ['file_search_call.results', 'reasoning.encrypted_content']],
    [['reasoning.encrypted_content'], ['reasoning.encrypted_content']],
  ])('ask reasoning models for their encrypted reasoning, beside %j', (include, expected) => {
    expect(bodyOf({ extra: include === undefined ? {} : { include } }, { reasoning: true })['include']).toEqual(
      expected,
    )
  })
})

describe('input items', () => {
  it('are the messages in their roles', () => {
    const messages: Message[] = [
      { role: 'system', content: 'S' },
      { role: 'developer', content: [{ type: 'text', text: 'D', extra: { a: 1 } }] },
      {
        role: 'user',
        extra: { id: 'msg_0', b: 2 },
        content: [
          { type: 'text', text: 'T' },
          { type: 'image', url: 'data:image/png;base64,AA==', detail: 'low' },
          { type: 'file', data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'file', data: 'https://example.com/b.pdf', filename: 'b.pdf' },
          { type: 'file', fileId: 'file_1' },
          { type: 'audio', data: 'AA==', format: 'wav' },
          { type: 'other', kind: 'input_image', value: { type: 'input_image', file_id: 'file_2' } },
        ],
      },
    ]
    expect(itemsOf(...messages)).toEqual([
      { type: 'message', role: 'system', content: 'S' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D', a: 1 }] },
      {
        type: 'message',
        role: 'user',
        b: 2,
        content: [
          { type: 'input_text', text: 'T' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'input_file', file_url: 'https://example.com/b.pdf' },
          { type: 'input_file', file_id: 'file_1' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'input_image', file_id: 'file_2' },
        ],
      },
    ])
  })

  it('repeat what the model did, and the results', () => {
    const encrypted = { type: 'reasoning.encrypted', data: 'gAAA', format: 'openai-responses-v1' }
    const messages: Message[] = [
      assistant({
        content: [
          { type: 'text', text: 'A', extra: { annotations: [] } },
          { type: 'other', kind: 'web_search_call', value: { type: 'web_search_call', id: 'ws_1' } },
          { type: 'text', text: 'B' },
        ],
        refusal: 'No.',
        extra: { id: 'msg_1', phase: 'commentary' },
        reasoningDetails: [
          { ...encrypted, id: 'rs_1', summary: 'S', index: 0 },
          { ...encrypted, data: 'gBBB' },
          { type: 'reasoning.text', text: 'R', format: 'openai-responses-v1', id: 'rs_3' },
          { type: 'reasoning.summary', summary: 'Not stored', format: 'openai-responses-v1', id: 'rs_4' },
          { type: 'reasoning.text', text: 'Of another', signature: 'x', format: 'anthropic-claude-v1' },
        ],
        toolCalls: [
          { id: 'call_1', name: 'f', arguments: '{"a":1.0}', extra: { id: 'fc_1', namespace: 'n' } },
          { id: 'call_2', name: 'g', arguments: '' },
        ],
      }),
      { role: 'tool', toolCallId: 'call_1', content: 'R1' },
      { role: 'tool', toolCallId: 'call_2', content: [{ type: 'text', text: 'R2' }] },
      {
        role: 'user',
        content: [{ type: 'other', kind: 'computer_call_output', value: { type: 'computer_call_output' } }],
      },
      assistant({ content: 'C' }),
    ]
    const message = { type: 'message', role: 'assistant', phase: 'commentary' }
    expect(itemsOf(...messages)).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: 'gAAA' },
      { type: 'reasoning', summary: [], encrypted_content: 'gBBB' },
      { type: 'reasoning', id: 'rs_3', summary: [], content: [{ type: 'reasoning_text', text: 'R' }] },
      { ...message, content: [{ type: 'output_text', text: 'A', annotations: [] }] },
      { type: 'web_search_call', id: 'ws_1' },
      {
        ...message,
        content: [
          { type: 'output_text', text: 'B' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1.0}', namespace: 'n' },
      { type: 'function_call', call_id: 'call_2', name: 'g', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'R1' },
      { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'R2' }] },
      { type: 'computer_call_output' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'C' }] },
    ])
  })
})

describe('the client’s own body', () => {
  const text = `{ "input": "H\\u0069", "temperature": 1.0, "max_output_tokens": 1e2, "metadata":{"n":"\\/"},
    "previous_response_id": null, "user": "ann", "model": "x", "seed": 12345678901234567890 }`
  const source = { body: Buffer.from(text), messages: said }
  const bytesOf = (fields: Partial<Prompt>, facts: Partial<ModelFacts> = {}) => {
    const { bytes } = render({ source, ...fields }, facts)
    return bytes === undefined ? null : Buffer.from(bytes).toString()
  }

  it('is passed on with the members changed that must be', () => {
    expect(bytesOf({ maxOutputTokens: 100 })).toBe(
      `{ "input": "H\\u0069", "temperature": 1.0, "max_output_tokens": 1e2, "metadata":{"n":"\\/"}, "model": "model-1", "seed": 12345678901234567890,"store":false,"safety_identifier":"hash-1" }`,
    )
  })

  it('has the limits and fields of the model', () => {
    const facts = { temperature: false, reasoning: true, maxOutputTokens: 50 }
    expect(JSON.parse(bytesOf({ maxOutputTokens: 100 }, facts) ?? '')).toEqual({
      input: 'Hi',
      max_output_tokens: 50,
      metadata: { n: '/' },
      model: 'model-1',
      seed: expect.any(Number),
      store: false,
      include: ['reasoning.encrypted_content'],
      safety_identifier: 'hash-1',
    })
  })

  it('is rendered instead if its messages are others', () => {
    expect(bytesOf({ messages: [...said] })).toBe(null)
    expect(bytesOf({ messages: [{ role: 'user', content: '<EMAIL_1>' }] })).toBe(null)
  })

  it('is rendered instead if it is ambiguous', () => {
    const body = Buffer.from('{"input":"unseen","input":"Hi"}')
    expect(bytesOf({ source: { body, messages: said } })).toBe(null)
    expect(bodyOf({ source: { body, messages: said } })['input']).toMatchObject([{ content: 'Hi' }])
  })

  it('is rendered instead if the model does not accept its schema', () => {
    const responseFormat = { type: 'json_schema' as const, name: 'n', schema: JsonText.of({}) }
    expect(bytesOf({ responseFormat }, { structuredOutput: false })).toBe(null)
    expect(bytesOf({ responseFormat })).not.toBe(null)
  })

  it('is rendered instead if it has reasoning that the provider cannot read', () => {
    const encrypted = { type: 'reasoning.encrypted', data: 'gAAA', format: 'openai-responses-v1' }
    const with_ = (fields: Partial<AssistantMessage>) => {
      const messages = [...said, assistant(fields)]
      return bytesOf({ messages, source: { ...source, messages } })
    }
    expect(with_({ reasoningDetails: [encrypted] })).not.toBe(null)
    expect(with_({ reasoningDetails: [encrypted, { ...encrypted, format: 'anthropic-claude-v1' }] })).toBe(null)
    expect(with_({ reasoning: 'Only the summary of an item that OpenAI has not stored' })).toBe(null)
  })

  it.each([
    ['sealed', { encrypted_content: 'gAAA' }, true],
    ['not sealed', {}, false],
  ])('as the surface reads it, with reasoning that is %s', (_, sealed, isPassed) => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], ...sealed }
    const body = { input: [{ role: 'user', content: 'Hi' }, reasoning, { role: 'assistant', content: 'Yes?' }] }
    const asked = responsesEndpoint.estimate(body, Buffer.from(JSON.stringify(body)))
    const { prompt } = asked.read(defaultSettings('https://dashboard.example.com'))
    const { bytes, body: rendered } = responses.render(prompt, testTarget())
    expect(bytes !== undefined).toBe(isPassed)
    // OpenAI would look for an item that it has not stored.
    if (!isPassed) expect(JSON.stringify(rendered)).not.toContain('"reasoning"')
  })
})
