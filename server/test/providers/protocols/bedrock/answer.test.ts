// Tests how answers of Bedrock are read: whole, streamed in frames, and refused.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { bedrock } from '../../../../src/providers/protocols/bedrock/bedrock.ts'
import { eventFrame, exceptionFrame, frameOf } from '../../../support/simulated/aws-event-stream.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading } from '../protocol-suite.ts'

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
})
