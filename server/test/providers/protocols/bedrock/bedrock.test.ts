// Requests and answers of the Converse API: what each kind of message becomes, and what every kind of answer says at
// every cut.

import { describe, expect, it } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { bedrock } from '../../../../src/providers/protocols/bedrock/bedrock.ts'
import { eventFrame, exceptionFrame, frameOf } from '../../../support/simulated/aws-event-stream.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const hi = { role: 'user', content: 'hi' }
const hiTurn = { role: 'user', content: [{ text: 'hi' }] }
const weather = {
  type: 'function',
  function: { name: 'weather', description: '', parameters: { type: 'object', properties: {} } },
}
const call = (id: string, args = '{"city":"Rome"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
})

function rendered(body: JsonObject, { model = 'meta.llama4-v1:0', facts = {} as Partial<ModelFacts> } = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  return bedrock.render(prompt, testTarget({ model, facts: { ...unknownModelFacts, ...facts } }))
}
const written = (...given: Parameters<typeof rendered>) => rendered(...given).body as JsonObject
const turnsFor = (messages: unknown[], model = claude) => written({ messages }, { model })['messages']

describe('the address', () => {
  it('has the model and the operation', () => {
    expect(rendered({}, { model: claude }).path).toEqual(['model', claude, 'converse'])
    expect(rendered({ stream: true }, { model: claude }).path).toEqual(['model', claude, 'converse-stream'])
  })
})

describe('the body', () => {
  it('says no more than was asked', () => {
    expect(written({})).toEqual({ messages: [hiTurn] })
    expect(written({ stream: true, user: 'me', store: true, logit_bias: { 5: 1 } })).toEqual({ messages: [hiTurn] })
  })

  it('has instructions, limits and sampling under Converse names', () => {
    const asked = { temperature: 1.7, top_p: 0.9, stop: ['x', ' '], max_tokens: 50 }
    const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'developer', content: 'Be kind.' }, hi]
    expect(written({ ...asked, messages })).toEqual({
      messages: [hiTurn],
      system: [{ text: 'Be brief.\n\nBe kind.' }],
      inferenceConfig: { temperature: 1, topP: 0.9, stopSequences: ['x'], maxTokens: 50 },
    })
  })

  it.each([
    [claude, { top_k: 5 }],
    ['amazon.nova-pro-v1:0', { inferenceConfig: { topK: 5 } }],
    ['meta.llama4-v1:0', undefined],
  ])('gives top_k to %s where that vendor expects it', (model, fields) => {
    expect(written({ top_k: 5 }, { model })['additionalModelRequestFields']).toEqual(fields)
  })

  it('limits the answer to what the model can', () => {
    const facts = { maxOutputTokens: 100 }
    expect(written({ max_tokens: 500 }, { facts })['inferenceConfig']).toEqual({ maxTokens: 100 })
  })
})

describe('turns', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo='
  const image = (url: string) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })
  const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } })

  it('have images as bytes', () => {
    const block = { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }
    expect(turnsFor([image(png)])).toEqual([{ role: 'user', content: [block] }])
  })

  it('have documents under names that Bedrock accepts, beside some text', () => {
    const content = [
      file('data:application/pdf;base64,JVBERi0=', 'Q3/report_v2.pdf'),
      file('data:application/pdf;base64,JVBERi0=', 'Q3 report v2 pdf'),
      file('data:text/plain,caf%C3%A9'),
    ]
    const pdf = { format: 'pdf', source: { bytes: 'JVBERi0=' } }
    const text = { format: 'txt', name: 'document', source: { bytes: Buffer.from('café').toString('base64') } }
    expect(turnsFor([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { document: { ...pdf, name: 'Q3 report v2 pdf' } },
          { document: { ...pdf, name: 'Q3 report v2 pdf 2' } },
          { document: text },
          { text: 'See the document.' },
        ],
      },
    ])
    const [turn] = turnsFor([{ role: 'user', content: [content[2], { type: 'text', text: 'Sum up' }] }]) as JsonObject[]
    expect(turn?.['content']).toEqual([{ document: text }, { text: 'Sum up' }])
  })

  it.each([
    ['an image by address', image('https://example.com/a.png'), 'images by address; send the data'],
    ['an image of another type', image('data:image/bmp;base64,Qk0='), 'images of type image/bmp'],
    [
      'a file by address',
      { role: 'user', content: [file('https://example.com/a.pdf')] },
      'files by address; send the data',
    ],
    [
      'a file of another type',
      { role: 'user', content: [file('data:application/zip;base64,UEs=')] },
      'files of type application/zip',
    ],
  ])('reject %s', (_, message, what) => {
    expect(() => turnsFor([message])).toThrow(`The model's provider does not take ${what}`)
  })

  it('pair calls with their results', () => {
    const messages = [
      hi,
      { role: 'assistant', content: 'Looking', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'Sunny' },
    ]
    const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'weather', input: { city: 'Rome' } } })
    expect(turnsFor(messages)).toEqual([
      hiTurn,
      { role: 'assistant', content: [{ text: 'Looking' }, use('a'), use('b')] },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'b', content: [{ text: 'Sunny' }] } },
          { toolResult: { toolUseId: 'a', content: [{ text: 'No result.' }], status: 'error' } },
        ],
      },
    ])
  })

  it('return signed and encrypted reasoning while the model reasons', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'anthropic-claude-v1', index: 1 },
    ]
    const messages = [hi, { role: 'assistant', content: 'Yes', reasoning_details }, hi]
    const body = written({ messages, reasoning_effort: 'low' }, { model: claude })
    expect(body['messages']).toEqual([
      hiTurn,
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
          { text: 'Yes' },
        ],
      },
      hiTurn,
    ])
  })
})

describe('tools', () => {
  const toolSpec = { name: 'weather', inputSchema: { json: { type: 'object', properties: {} } } }
  const asked = (fields: JsonObject, model = claude) => written({ tools: [weather], ...fields }, { model })

  it.each<[unknown, JsonObject]>([
    ['auto', { tools: [{ toolSpec }] }],
    ['required', { tools: [{ toolSpec }], toolChoice: { any: {} } }],
    [
      { type: 'function', function: { name: 'weather' } },
      { tools: [{ toolSpec }], toolChoice: { tool: { name: 'weather' } } },
    ],
  ])('with choice %j', (tool_choice, toolConfig) => {
    expect(asked({ tool_choice })).toEqual({ messages: [hiTurn], toolConfig })
  })

  it('that cannot be forced are asked for', () => {
    expect(asked({ tool_choice: 'required' }, 'meta.llama4-v1:0')).toEqual({
      messages: [hiTurn],
      system: [{ text: 'Answer by calling a tool.' }],
      toolConfig: { tools: [{ toolSpec }] },
    })
  })

  it('that are forbidden are left out, or declared where the history has calls', () => {
    expect(asked({ tool_choice: 'none' })).toEqual({ messages: [hiTurn] })
    const messages = [hi, { role: 'assistant', content: null, tool_calls: [call('a')] }, hi]
    expect(asked({ tool_choice: 'none', messages })).toMatchObject({
      system: [{ text: 'Answer without calling a tool.' }],
      toolConfig: { tools: [{ toolSpec }] },
    })
  })

  it('are asked for one at a time', () => {
    const body = asked({ parallel_tool_calls: false })
    expect(body['system']).toEqual([{ text: 'Call at most one tool at a time.' }])
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const response_format = { type: 'json_schema', json_schema: { name: 'thing', schema, strict: true } }

  it('is bound by Bedrock for models that can', () => {
    const { outputConfig } = written({ response_format }, { model: claude }) as { outputConfig: JsonObject }
    expect(outputConfig).toMatchObject({ textFormat: { type: 'json_schema' } })
    const { structure } = outputConfig['textFormat'] as { structure: { jsonSchema: { name: string; schema: string } } }
    expect(structure.jsonSchema.name).toBe('thing')
    expect(JSON.parse(structure.jsonSchema.schema)).toMatchObject({ type: 'object', required: ['a'] })
  })

  it('is a forced tool for models that can be forced, and an instruction for others', () => {
    const { body, reading } = rendered({ response_format }, { model: 'amazon.nova-pro-v1:0' })
    expect(body).toMatchObject({ toolConfig: { toolChoice: { tool: { name: 'json_output' } } } })
    expect(reading.jsonTool).toBe('json_output')
    const [instruction] = written({ response_format })['system'] as { text: string }[]
    expect(instruction?.text).toContain('JSON Schema')
  })
})

describe('reasoning', () => {
  const fieldsFor = (model: string, effort = 'high') =>
    written({ reasoning_effort: effort, max_tokens: 2000 }, { model })['additionalModelRequestFields']

  it('has the form of the family', () => {
    expect(fieldsFor(claude)).toEqual({ thinking: { type: 'enabled', budget_tokens: 16_384 } })
    expect(fieldsFor('global.anthropic.claude-opus-4-6-v1')).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    })
    expect(fieldsFor('us.amazon.nova-2-lite-v1:0')).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    })
    expect(fieldsFor('openai.gpt-oss-120b-1:0', 'minimal')).toEqual({ reasoning_effort: 'low' })
    expect(fieldsFor('openai.gpt-oss-120b-1:0', 'none')).toBeUndefined()
    expect(fieldsFor('meta.llama4-v1:0')).toBeUndefined()
  })

  it('with a budget needs a limit above it', () => {
    const { inferenceConfig } = written({ reasoning_effort: 'high', max_tokens: 2000 }, { model: claude }) as {
      inferenceConfig: JsonObject
    }
    expect(inferenceConfig).toEqual({ maxTokens: 18_384 })
  })
})

// ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cacheReadInputTokens: 3, cacheWriteInputTokens: 2 }
const counted = { promptTokens: 15, completionTokens: 5, totalTokens: 20, cachedTokens: 3, cacheWriteTokens: 2 }

const whole = (content: unknown[], stopReason = 'end_turn') =>
  deltasOf([
    bedrock.decodeAnswer(
      Buffer.from(JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason, usage })),
      testReading(),
    ),
  ])

const answer = [
  { reasoningContent: { reasoningText: { text: 'Let me see', signature: 'c2ln' } } },
  { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
  { text: 'Wetter: ☀' },
  { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Köln' } } },
  { toolUse: { toolUseId: 'tooluse_2', name: 'time', input: {} } },
  { toolUse: { toolUseId: 'srv_1', name: 'search', input: {}, type: 'server_tool_use' } },
]
const streamed = [
  eventFrame('messageStart', { role: 'assistant', p: 'abc' }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Let me' } } }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: ' see' } } }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'c2ln' } } }),
  eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
  eventFrame('contentBlockDelta', {
    contentBlockIndex: 1,
    delta: { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
  }),
  eventFrame('contentBlockStop', { contentBlockIndex: 1 }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 2, delta: { text: 'Wetter' } }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 2, delta: { text: ': ☀' } }),
  eventFrame('contentBlockStop', { contentBlockIndex: 2 }),
  eventFrame('contentBlockStart', {
    contentBlockIndex: 3,
    start: { toolUse: { toolUseId: 'tooluse_1', name: 'weather' } },
  }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 3, delta: { toolUse: { input: '{"city":' } } }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 3, delta: { toolUse: { input: '"Köln"}' } } }),
  eventFrame('contentBlockStop', { contentBlockIndex: 3 }),
  eventFrame('contentBlockStart', {
    contentBlockIndex: 4,
    start: { toolUse: { toolUseId: 'tooluse_2', name: 'time' } },
  }),
  eventFrame('contentBlockStop', { contentBlockIndex: 4 }),
  eventFrame('contentBlockStart', {
    contentBlockIndex: 5,
    start: { toolUse: { toolUseId: 'srv_1', name: 'search', type: 'server_tool_use' } },
  }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 5, delta: { toolUse: { input: '{}' } } }),
  eventFrame('somethingNew', {}),
  eventFrame('messageStop', { stopReason: 'tool_use' }),
  eventFrame('metadata', { usage, metrics: { latencyMs: 1 } }),
]

const everyByte = (bytes: Buffer) => [...bytes].map(byte => Uint8Array.of(byte))
/** The bytes that a decoder has read are spoiled. */
const copied = (bytes: Uint8Array) => Buffer.from(bytes)
const read = (pieces: Uint8Array[], jsonTool: string | null = null) =>
  deltasOf(decodeStream(bedrock, pieces.map(copied), testReading({ jsonTool })))
const errorOf = (pieces: Uint8Array[]) => {
  const last = read(pieces).at(-1)
  return last?.type === 'error' ? last.error : null
}

describe('an answer', () => {
  const expected = {
    text: 'Wetter: ☀',
    reasoning: 'Let me see',
    finish: 'tool_calls',
    calls: [
      { id: 'tooluse_1', name: 'weather', arguments: '{"city":"Köln"}' },
      { id: 'tooluse_2', name: 'time', arguments: '{}' },
    ],
  }
  const details = [
    { type: 'reasoning.text', text: 'Let me see', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'anthropic-claude-v1', index: 1 },
  ]

  it('says the same whole, streamed, and streamed a byte at a time', () => {
    const stream = Buffer.concat(streamed)
    for (const deltas of [whole(answer, 'tool_use'), read([stream]), read(everyByte(stream))]) {
      const seen = collect(deltas)
      expect(seen.choices).toMatchObject([expected])
      expect(seen.usage).toMatchObject(counted)
      expect(seen.error).toBe(null)
      expect(deltas.flatMap(delta => (delta.type === 'reasoning' ? (delta.detail ?? []) : []))).toEqual(details)
    }
  })

  it('of a tool that stands in for structured output is text', () => {
    const stream = [
      eventFrame('contentBlockStart', {
        contentBlockIndex: 0,
        start: { toolUse: { toolUseId: 'a', name: 'json_output' } },
      }),
      eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"a":"b"}' } } }),
      eventFrame('messageStop', { stopReason: 'tool_use' }),
    ]
    const { choices } = collect(read(stream, 'json_output'))
    expect(choices).toMatchObject([{ text: '{"a":"b"}', calls: [], finish: 'stop' }])
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['something_new', 'stop'],
  ])('that ended by %s', (native, reason) => {
    expect(whole([{ text: 'a' }], native)).toContainEqual({ type: 'finish', choice: 0, reason, native })
  })

  it('with citations keeps its text', () => {
    const cited = { citationsContent: { content: [{ text: 'It says so.' }], citations: [] } }
    expect(collect(whole([cited])).choices).toMatchObject([{ text: 'It says so.' }])
  })

  it('that is not one is malformed', () => {
    expect(whole('no' as unknown as unknown[])).toMatchObject([{ type: 'error', error: { class: 'malformed' } }])
  })
})

describe('a stream', () => {
  const text = eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hel' } })
  const stop = eventFrame('messageStop', { stopReason: 'end_turn' })
  const metadata = eventFrame('metadata', { usage })

  it.each([
    ['throttlingException', 'rate_limit'],
    ['validationException', 'invalid_request'],
    ['serviceUnavailableException', 'overloaded'],
    ['modelTimeoutException', 'timeout'],
    ['internalServerException', 'server_error'],
  ])('with %s in place of an answer', (kind, errorClass) => {
    expect(errorOf([exceptionFrame(kind, 'No')])?.class).toBe(errorClass)
  })

  it('with an exception in the middle of an answer failed', () => {
    expect(errorOf([text, exceptionFrame('throttlingException', 'No'), stop, metadata])?.class).toBe('server_error')
    const error = frameOf({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'No' }, '')
    expect(errorOf([text, error])?.class).toBe('server_error')
  })

  it.each([
    ['before its end', [text], 'truncated'],
    ['within a message', [text, stop, metadata.subarray(0, 30)], 'truncated'],
    ['with a wrong checksum', [text, Buffer.concat([stop.subarray(0, -1), Buffer.from([0])])], 'malformed'],
    [
      'with invalid JSON',
      [text, frameOf({ ':message-type': 'event', ':event-type': 'messageStop' }, '{')],
      'malformed',
    ],
    ['with invalid text', [text, frameOf({ ':message-type': 'event' }, Buffer.from([0xff]))], 'malformed'],
  ])('that broke %s is an error', (_, pieces, errorClass) => {
    expect(errorOf(pieces)?.class).toBe(errorClass)
  })

  it('without usage is complete, and nothing follows the usage', () => {
    expect(collect(read([text, stop]))).toMatchObject({ usage: null, error: null })
    const decoder = bedrock.createStreamDecoder(testReading())
    decoder.push(Buffer.concat([text, stop, metadata]))
    expect(decoder.isOver).toBe(true)
    expect(decoder.push(text)).toEqual([])
  })
})

describe('an error response', () => {
  const errorFor = (status: number, kind: string, message: string, body: JsonObject = { message }) =>
    bedrock.readError({ status, headers: kind ? { 'x-amzn-errortype': kind } : {}, body: JSON.stringify(body), now: 0 })

  it.each<[number, string, string, string]>([
    [403, 'AccessDeniedException:http://internal.amazon.com/coral/', "You don't have access", 'auth'],
    [403, 'ExpiredTokenException', 'The security token included in the request is expired', 'auth'],
    [403, 'InvalidSignatureException', 'The request signature we calculated does not match', 'auth'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'context_overflow'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'model_not_found'],
    [400, 'ValidationException', 'Malformed input request', 'invalid_request'],
    [400, 'ServiceQuotaExceededException', 'Too much', 'quota'],
    [404, 'ResourceNotFoundException', 'Model not found', 'model_not_found'],
    [408, 'ModelTimeoutException', 'Too slow', 'timeout'],
    [424, 'ModelErrorException', 'Broken', 'server_error'],
    [429, 'ThrottlingException', 'Too many requests', 'rate_limit'],
    [429, 'ModelNotReadyException', 'Wait', 'overloaded'],
    [500, 'InternalServerException', 'Broken', 'server_error'],
    [503, 'ServiceUnavailableException', 'Wait', 'overloaded'],
    [403, '', 'Forbidden', 'auth'],
    [418, '', 'Odd', 'invalid_request'],
  ])('%i %s: %s', (status, kind, message, errorClass) => {
    expect(errorFor(status, kind, message)).toMatchObject({ class: errorClass, message, status })
  })

  it('may name its kind in the body', () => {
    const body = { __type: 'com.amazon.coral.service#UnrecognizedClientException', Message: 'Bad token' }
    expect(errorFor(400, '', '', body)).toMatchObject({ class: 'auth', message: 'Bad token' })
  })

  it('shows neither accounts nor access keys', () => {
    const said = 'User arn:aws:iam::123456789012:user/joe with AKIAIOSFODNN7EXAMPLE may not'
    expect(errorFor(400, 'ValidationException', said).message).toBe('User [arn] with [key] may not')
  })
})
