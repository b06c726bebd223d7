// How answers, streams and refusals in Anthropic's format are read, on samples of our own, and the bugs that others
// had.

import { describe, expect, it, test } from 'vitest'
import { unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { asSent, decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

type Event = { type: string } & Record<string, unknown>

const start: Event = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', content: [], usage: { input_tokens: 7, output_tokens: 1 } },
}
const opens = (index: number, content_block: unknown): Event => ({ type: 'content_block_start', index, content_block })
const adds = (index: number, delta: unknown): Event => ({ type: 'content_block_delta', index, delta })
const stops = (index: number): Event => ({ type: 'content_block_stop', index })
const text = (index: number, words: string): Event[] => [
  opens(index, { type: 'text', text: '', citations: null }),
  adds(index, { type: 'text_delta', text: words }),
  stops(index),
]
const called = (index: number, id: string, ...pieces: string[]): Event[] => [
  opens(index, { type: 'tool_use', id, name: 'f', input: {} }),
  ...pieces.map(partial_json => adds(index, { type: 'input_json_delta', partial_json })),
  stops(index),
]
const ends = (stop_reason: string, usage: unknown = { output_tokens: 5 }): Event[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
]

function bodyOf(events: readonly Event[], lineEnd = '\n'): string {
  return events
    .map(event => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}   ${lineEnd}${lineEnd}`)
    .join('')
}

function streamed(events: readonly Event[], jsonTool: string | null = null) {
  return collect(deltasOf(decodeStream(anthropic, [Buffer.from(bodyOf(events))], testReading({ jsonTool }))))
}

function plain(message: Record<string, unknown>, jsonTool: string | null = null) {
  const { deltas } = anthropic.decodeAnswer(Buffer.from(JSON.stringify(message)), testReading({ jsonTool }))
  return collect(deltas)
}

const message = (
  content: unknown[],
  stop_reason: string | null = 'end_turn',
  usage: unknown = { input_tokens: 1, output_tokens: 2 },
) => ({
  type: 'message',
  id: 'msg_1',
  model: 'claude-x',
  content,
  stop_reason,
  usage,
})

describe('streams', () => {
  it('gives origin, text, finish and usage', () => {
    const events = [start, { type: 'ping' }, ...text(0, 'Hé'), ...ends('end_turn')]
    expect(deltasOf(decodeStream(anthropic, [Buffer.from(bodyOf(events))]))).toEqual([
      { type: 'origin', id: 'msg_1', model: 'claude-x', createdSeconds: null },
      { type: 'text', choice: 0, text: 'Hé' },
      { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' },
      {
        type: 'usage',
        usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12, cachedTokens: null, reasoningTokens: null },
      },
    ])
  })

  it('§8.1 counts calls, not blocks', () => {
    const events = [start, ...text(0, 'Both.'), ...called(1, 'a', '{"x":', '1}'), ...called(2, 'b', '', '{"x":2}')]
    const { choices } = streamed([...events, ...ends('tool_use')])
    expect(choices[0]).toMatchObject({
      text: 'Both.',
      finish: 'tool_calls',
      calls: [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'f', arguments: '{"x":2}' },
      ],
    })
  })

  it('keeps calls apart whose pieces come in turns', () => {
    const [openA, addA, stopA] = called(0, 'a', '{"x":1}')
    const [openB, addB, stopB] = called(1, 'b', '{"x":2}')
    const mixed = [openA, openB, addB, addA, stopB, stopA] as Event[]
    const { choices } = streamed([start, ...mixed, ...ends('tool_use')])
    expect(choices[0]?.calls.map(call => call.arguments)).toEqual(['{"x":1}', '{"x":2}'])
  })

  test.each([[[]], [['']], [['', '']]])('§8.10 says that a call has no arguments: %j', pieces => {
    const { choices } = streamed([start, ...called(0, 'a', ...pieces), ...ends('tool_use')])
    expect(choices[0]?.calls[0]?.arguments).toBe('{}')
  })

  it('§8.11 does not put the empty input of the beginning before the arguments', () => {
    const { choices } = streamed([start, ...called(0, 'a', '', '{"x":1}'), ...ends('tool_use')])
    expect(choices[0]?.calls[0]?.arguments).toBe('{"x":1}')
  })

  it('takes arguments that come at once', () => {
    const whole = [opens(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }), stops(0)]
    expect(streamed([start, ...whole, ...ends('tool_use')]).choices[0]?.calls[0]?.arguments).toBe('{"x":1}')
  })

  it('§8.13 shows where arguments were cut', () => {
    const { choices } = streamed([start, ...called(0, 'a', '{"x":'), ...ends('max_tokens')])
    expect(choices[0]).toMatchObject({ finish: 'length', native: 'max_tokens', calls: [{ arguments: '{"x":' }] })
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('translates the end %s', (native, reason) => {
    expect(streamed([start, ...ends(native)]).choices).toMatchObject([{ text: '', finish: reason, native }])
    expect(plain(message([], native)).choices).toMatchObject([{ text: '', finish: reason, native }])
  })

  it('passes over citations, the provider’s own tools and what is not known', () => {
    const events: Event[] = [
      start,
      opens(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      adds(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      stops(0),
      opens(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [{ text: 'no' }] }),
      stops(1),
      opens(2, { type: 'text', text: 'A' }),
      adds(2, { type: 'citations_delta', citation: { cited_text: 'no' } }),
      adds(2, { type: 'text_delta', text: 'B' }),
      adds(2, { type: 'invented_delta', text: 'no' }),
      adds(9, { type: 'text_delta', text: 'no' }),
      stops(2),
      { type: 'invented' },
    ]
    expect(streamed([...events, ...ends('end_turn')]).choices).toMatchObject([
      { text: 'AB', calls: [], finish: 'stop' },
    ])
  })

  it('§8.8 gives thoughts as text, and each of their blocks whole with its signature', () => {
    const events = [
      start,
      opens(0, { type: 'thinking', thinking: '', signature: '' }),
      adds(0, { type: 'thinking_delta', thinking: 'H' }),
      adds(0, { type: 'thinking_delta', thinking: 'm' }),
      adds(0, { type: 'signature_delta', signature: 'si' }),
      adds(0, { type: 'signature_delta', signature: 'g' }),
      stops(0),
      opens(1, { type: 'redacted_thinking', data: 'secret' }),
      stops(1),
      ...text(2, 'Hi'),
    ]
    const details = [
      { type: 'reasoning.text', text: 'Hm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'secret', format: 'anthropic-claude-v1', index: 1 },
    ]
    expect(streamed([...events, ...ends('end_turn')]).choices).toMatchObject([{ text: 'Hi', reasoning: 'Hm', details }])
  })

  it('§8.8 gives thoughts in the form in which they are taken back', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
    ]
    const [choice] = plain(message(content, 'tool_use')).choices
    const tool_calls = choice?.calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }))
    const { prompt } = readCompletionRequest({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: choice?.text, tool_calls, reasoning_details: choice?.details },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Done' },
      ],
      reasoning_effort: 'low',
    })
    const { body } = asSent(
      anthropic.render(prompt, testTarget({ model: 'claude-sonnet-4-5', facts: unknownModelFacts })),
    )
    expect(body['messages']).toMatchObject([{}, { role: 'assistant', content }, {}])
  })

  it('§8.14 ends with the fault that the provider tells', () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const { choices, error } = streamed([start, ...text(0, 'Hi'), overloaded, ...ends('end_turn')])
    expect(error).toMatchObject({ class: 'overloaded', message: 'Overloaded' })
    expect(choices).toMatchObject([{ text: 'Hi', finish: null }])
  })

  test.each([
    ['before its end', [start, ...text(0, 'Hi')]],
    ['between its end and the last event', [start, ...text(0, 'Hi'), ...ends('end_turn').slice(0, 1)]],
    ['before anything', []],
    ['without saying why it ends', [start, ...text(0, 'Hi'), { type: 'message_stop' }]],
  ])('§8.14 is a fault where it breaks off %s', (_, events) => {
    const { error, usage } = streamed(events)
    expect(error?.class).toBe('truncated')
    // What had been counted by then is owed all the same.
    expect(usage?.promptTokens).toBe(events.includes(start) ? 7 : undefined)
  })

  it('§8.24 reads the same from any cut', () => {
    const events = [start, ...text(0, '🦊 héllo 你好'), ...called(1, 'a', '{"q":"🦊', '"}'), ...ends('tool_use')]
    for (const lineEnd of ['\n', '\r\n']) {
      const read = cutsOf(bodyOf(events, lineEnd), 10).map(({ pieces }) =>
        JSON.stringify(decodeStream(anthropic, pieces)),
      )
      expect(new Set(read).size).toBe(1)
      expect(read[0]).not.toContain('\uFFFD')
    }
  })
})

describe('usage', () => {
  it('§8.21 counts what came from a cache and went into it, once', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 30, output_tokens: 4 }
    const expected = {
      promptTokens: 60,
      completionTokens: 4,
      totalTokens: 64,
      cachedTokens: 20,
      cacheWriteTokens: 30,
      reasoningTokens: null,
    }
    expect(plain(message([], 'end_turn', usage)).usage).toEqual(expected)
    const begun = { ...start, message: { ...(start['message'] as object), usage: { ...usage, output_tokens: 1 } } }
    expect(streamed([begun, ...ends('end_turn', { output_tokens: 4 })]).usage).toEqual(expected)
    expect(streamed([begun, ...ends('end_turn', { ...usage, cache_read_input_tokens: null })]).usage).toEqual(expected)
  })

  it('§8.5 takes the last count of each kind', () => {
    const details = { thinking_tokens: 3 }
    const { usage } = streamed([
      start,
      { type: 'message_delta', delta: {}, usage: { output_tokens: 2 } },
      ...ends('end_turn', { input_tokens: 9, output_tokens: 5, output_tokens_details: details }),
    ])
    expect(usage).toMatchObject({ promptTokens: 9, completionTokens: 5, totalTokens: 14, reasoningTokens: 3 })
  })
})

describe('plain answers', () => {
  it('are read as their events would be', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'text', text: 'A' },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
      { type: 'text', text: 'B' },
    ]
    expect(plain(message(content, 'tool_use'))).toMatchObject({
      choices: [{ text: 'AB', reasoning: 'Hm', calls: [{ id: 'a', arguments: '{}' }], finish: 'tool_calls' }],
      error: null,
    })
  })

  test.each([
    ['an error', { type: 'error', error: { type: 'api_error', message: 'Oops' } }, 'server_error'],
    ['something else', { hello: 1 }, 'malformed'],
    ['no end', message([{ type: 'text', text: 'Hi' }], null), 'truncated'],
  ])('are faults where they are %s', (_, body, errorClass) => {
    expect(plain(body).error?.class).toBe(errorClass)
  })

  it('are faults where they are no JSON', () => {
    const { deltas } = anthropic.decodeAnswer(Buffer.from('<html>'), testReading())
    expect(deltas).toMatchObject([{ type: 'error', error: { class: 'malformed' } }])
  })
})

describe('a tool that stands in for structured output', () => {
  const json = (index: number, ...pieces: string[]) => [
    opens(index, { type: 'tool_use', id: 'j', name: 'json_output', input: {} }),
    ...pieces.map(partial_json => adds(index, { type: 'input_json_delta', partial_json })),
    stops(index),
  ]

  it('is the text of the answer', () => {
    const expected = [{ text: '{"age":3}', calls: [], finish: 'stop', native: 'tool_use' }]
    expect(
      streamed([start, ...json(0, '', '{"age"', ':3}'), ...ends('tool_use')], 'json_output').choices,
    ).toMatchObject(expected)
    const whole = message([{ type: 'tool_use', id: 'j', name: 'json_output', input: { age: 3 } }], 'tool_use')
    expect(plain(whole, 'json_output').choices).toMatchObject(expected)
    expect(streamed([start, ...json(0), ...ends('tool_use')], 'json_output').choices[0]?.text).toBe('{}')
  })

  it('does not hide a call beside it', () => {
    const events = [start, ...json(0, '{}'), ...called(1, 'a', '{"x":1}'), ...ends('tool_use')]
    expect(streamed(events, 'json_output').choices).toMatchObject([
      { text: '{}', finish: 'tool_calls', calls: [{ id: 'a', arguments: '{"x":1}' }] },
    ])
  })
})

describe('refusals', () => {
  const read = (status: number, error: unknown, headers: Record<string, string> = {}) => {
    const body = typeof error === 'string' ? error : JSON.stringify({ type: 'error', error, request_id: 'req_1' })
    return anthropic.readError({ status, headers, body, now: 0 })
  }

  test.each([
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [403, 'permission_error', 'no', 'auth'],
    [402, 'billing_error', 'no', 'quota'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'quota'],
    [404, 'not_found_error', 'model: x', 'model_not_found'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'invalid_request'],
    [429, 'rate_limit_error', 'slow down', 'rate_limit'],
    [400, 'invalid_request_error', 'prompt is too long: 200001 tokens > 200000 maximum', 'context_overflow'],
    [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', 'context_overflow'],
    [400, 'invalid_request_error', 'temperature: range: 0..1', 'invalid_request'],
    [500, 'api_error', 'Internal server error', 'server_error'],
    [504, 'timeout_error', 'no', 'server_error'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
    [503, 'api_error', 'no', 'overloaded'],
  ])('%i %s is understood', (status, type, words, errorClass) => {
    expect(read(status, { type, message: words })).toMatchObject({ class: errorClass, message: words, status })
  })

  it('names the field that the client knows, and the time to wait', () => {
    expect(read(400, { type: 'invalid_request_error', message: 'tools.0.custom.input_schema: wrong' }).param).toBe(
      'tools',
    )
    expect(read(400, { type: 'invalid_request_error', message: 'stop_sequences: wrong' }).param).toBe('stop')
    expect(read(400, { type: 'invalid_request_error', message: 'metadata.user_id: wrong' }).param).toBeNull()
    expect(read(429, { type: 'rate_limit_error', message: 'no' }, { 'retry-after': '12' }).retryAfterSeconds).toBe(12)
  })

  it('is understood by its status where the body says nothing', () => {
    expect(read(502, '<html>Bad gateway</html>')).toMatchObject({ class: 'server_error', message: null })
    expect(read(400, 'nonsense')).toMatchObject({ class: 'invalid_request', message: null })
  })
})
