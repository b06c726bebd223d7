import { describe, expect, it, test } from 'vitest'
import type { AnswerEvent, Delta } from '../../../../src/domain/conversation/answer.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { responses } from '../../../../src/providers/protocols/responses/responses.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading } from '../protocol-suite.ts'
import {
  answerOf,
  callItem,
  completed,
  created,
  eventsOf,
  incomplete,
  messageItem,
  reasoningItem,
  searchItem,
  streamOf,
} from './responses-wire.ts'

const read = (body: string, overrides = {}) => decodeStream(responses, [Buffer.from(body)], testReading(overrides))
const streamed = (...events: JsonObject[]) => collect(withoutNative(deltasOf(read(streamOf(events)))))
const decodeWhole = (json: unknown, overrides = {}) =>
  responses.decodeAnswer(Buffer.from(JSON.stringify(json)), testReading(overrides))
const whole = (json: unknown) => collect(withoutNative(decodeWhole(json).deltas))

/** What a client of any format understands. */
function withoutNative(deltas: readonly Delta[]): Delta[] {
  return deltas.filter(({ type }) => type !== 'native')
}

const items = [
  reasoningItem('rs_1', ['First thought.', 'Second thought.'], 'gAAA-secret'),
  searchItem('ws_1'),
  messageItem('msg_1', 'It is naïve 🦊 你好.'),
  callItem('fc_1', 'call_a', 'weather', '{"city":"Rome 🦊"}'),
  callItem('fc_2', 'call_b', 'time', '{}'),
]

describe('answers of the Responses API', () => {
  const expected = {
    text: 'It is naïve 🦊 你好.',
    reasoning: 'First thought.\n\nSecond thought.',
    details: [
      {
        type: 'reasoning.encrypted',
        data: 'gAAA-secret',
        summary: 'First thought.\n\nSecond thought.',
        format: 'openai-responses-v1',
        id: 'rs_1',
        index: 0,
      },
    ],
    calls: [
      { id: 'call_a', name: 'weather', arguments: '{"city":"Rome 🦊"}' },
      { id: 'call_b', name: 'time', arguments: '{}' },
    ],
    finish: 'tool_calls',
    native: 'completed',
  }
  const usage = { promptTokens: 134, completionTokens: 28, totalTokens: 162, cachedTokens: 64, reasoningTokens: 12 }

  it('count what was written to a cache', () => {
    const answer = answerOf(items)
    const input_tokens_details = { cached_tokens: 64, cache_write_tokens: 30 }
    const counted = { ...answer, usage: { ...(answer['usage'] as object), input_tokens_details } }
    expect(whole(counted).usage).toEqual({ ...usage, cacheWriteTokens: 30 })
  })

  it('are the same as a stream and whole', () => {
    const stream = read(streamOf(eventsOf(items)))
    const one = decodeWhole(answerOf(items))
    for (const deltas of [deltasOf(stream), one.deltas]) {
      expect(deltas[0]).toEqual({
        type: 'origin',
        id: 'resp_1',
        model: 'gpt-5-2025-08-07',
        createdSeconds: 1_765_552_659,
      })
      expect(deltas.filter(delta => 'logprobs' in delta)).toEqual([])
      const { choices, usage: counted, error } = collect(withoutNative(deltas))
      expect(error).toBe(null)
      expect(choices).toMatchObject([expected])
      expect(counted).toEqual(usage)
      expect(deltas.filter(({ type }) => type === 'native')).toEqual([
        { type: 'native', choice: 0, format: 'responses', value: items[1] },
      ])
    }
  })

  it('do not depend on how the stream is cut', () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const body = streamOf(eventsOf(items)).replaceAll('\n', lineEnd)
      for (const passes of [false, true]) {
        const transcripts = cutsOf(body, 5).map(({ pieces }) =>
          JSON.stringify(decodeStream(responses, pieces, testReading({ passes })).map(readable)),
        )
        expect(new Set(transcripts).size).toBe(1)
      }
    }
  })

  it('pass every event of a stream on, if they may', () => {
    const body = streamOf(eventsOf(items))
    const events = read(body, { passes: true })
    expect(Buffer.concat(events.map(({ raw }) => raw ?? Buffer.from('rendered'))).toString()).toBe(body)
    expect(events).toHaveLength(eventsOf(items).length)
    expect(events.at(-1)?.deltas.map(({ type }) => type)).toEqual(['finish', 'usage'])
    expect(read(body, { passes: false }).every(({ raw }) => raw === null)).toBe(true)
  })

  it('pass a whole answer on, if they may', () => {
    const body = Buffer.from(JSON.stringify(answerOf(items), null, 1))
    expect(responses.decodeAnswer(body, testReading({ passes: true })).raw).toBe(body)
    expect(responses.decodeAnswer(body, testReading({ passes: false })).raw).toBe(null)
    expect(
      decodeWhole({ ...answerOf([]), status: 'failed', error: { code: 'server_error' } }, { passes: true }),
    ).toMatchObject({
      raw: null,
      deltas: [{ type: 'origin' }, { type: 'error' }],
    })
  })

  it('tell refusals from text', () => {
    const item = { ...messageItem('msg_1', ''), content: [{ type: 'refusal', refusal: 'I cannot.' }] }
    const said = { text: '', refusal: 'I cannot.', finish: 'stop' }
    expect(whole(answerOf([item])).choices).toMatchObject([said])
    expect(streamed(...eventsOf([item])).choices).toMatchObject([said])
  })

  it('tell open reasoning from encrypted', () => {
    const open = { id: 'rs_1', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
    const detail = { type: 'reasoning.text', text: 'Hm.', format: 'openai-responses-v1', id: 'rs_1', index: 0 }
    const said = { reasoning: 'Hm.', details: [detail] }
    expect(whole(answerOf([open, messageItem('msg_1', 'x')])).choices).toMatchObject([said])
    expect(streamed(...eventsOf([open, messageItem('msg_1', 'x')])).choices).toMatchObject([said])
    const empty = reasoningItem('rs_1', ['Hm.'])
    expect(whole(answerOf([empty])).choices).toMatchObject([{ reasoning: 'Hm.', details: [] }])
  })

  it('have annotations and the likelihood of tokens', () => {
    const logprobs = [{ token: 'Oh', bytes: [79, 104], logprob: -0.5, top_logprobs: [] }]
    const annotations = [{ type: 'url_citation', start_index: 0, end_index: 2, title: 'T', url: 'https://example.com' }]
    const item = { ...messageItem('msg_1', ''), content: [{ type: 'output_text', text: 'Oh', annotations, logprobs }] }
    for (const deltas of [decodeWhole(answerOf([item])).deltas, deltasOf(read(streamOf(eventsOf([item]))))]) {
      expect(deltas).toContainEqual({
        type: 'text',
        choice: 0,
        text: 'Oh',
        logprobs: { content: logprobs, refusal: null },
      })
      expect(deltas).toContainEqual({ type: 'fields', choice: 0, fields: { annotations } })
    }
  })

  it('have what a server sends at once', () => {
    const started = { type: 'response.output_item.added', output_index: 3, item: items[3] }
    expect(streamed(created, started, completed([])).choices[0]?.calls).toEqual([expected.calls[0]])
    const done = items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
    const said = { text: expected.text, reasoning: expected.reasoning, calls: expected.calls }
    expect(streamed(created, ...done, completed(items)).choices).toMatchObject([said])
    expect(streamed(created, completed(items)).choices).toMatchObject([said])
    const nameless = { type: 'function_call', name: 'f', arguments: '' }
    expect(whole(answerOf([nameless])).choices[0]?.calls).toEqual([
      { id: expect.stringMatching(/^call_\w{24}$/), name: 'f', arguments: '{}' },
    ])
  })

  test.each([
    ['max_output_tokens', 'length', 'max_output_tokens'],
    ['content_filter', 'content_filter', 'content_filter'],
    ['a_new_one', 'length', 'a_new_one'],
    [undefined, 'length', 'incomplete'],
  ])('that are incomplete for %s finish with %s', (reason, finish, native) => {
    const cut = [callItem('fc_1', 'call_a', 'f', '{"x')]
    expect(streamed(...eventsOf(cut).slice(0, -1), incomplete(cut, reason)).choices).toMatchObject([
      { finish, native, calls: [{ arguments: '{"x' }] },
    ])
    expect(
      whole({ ...answerOf(cut), status: 'incomplete', incomplete_details: reason && { reason } }).choices,
    ).toMatchObject([{ finish, native }])
  })

  it('are over with their last event', () => {
    const decoder = responses.createStreamDecoder(testReading())
    const events = decoder.push(Buffer.from(`${streamOf(eventsOf(items))}data: [DONE]\n\n`))
    expect([collect(withoutNative(deltasOf(events))).error, decoder.isOver, decoder.end()]).toEqual([null, true, []])
  })

  it('skip events of a later version', () => {
    const later = [{ type: 'response.invented_tomorrow' }, { type: 'keepalive' }]
    const [first, ...others] = eventsOf(items)
    expect(streamed(first ?? {}, ...later, ...others).choices).toMatchObject([expected])
    const raw = read(streamOf([first ?? {}, ...later, ...others]), { passes: true })
    expect(raw.filter(({ deltas }) => deltas.length === 0).length).toBeGreaterThan(2)
  })

  it('that are cut, or are none, are errors', () => {
    const events = eventsOf(items)
    expect(streamed(...events.slice(0, -1)).error?.class).toBe('truncated')
    expect(read('').at(-1)?.deltas).toMatchObject([{ error: { class: 'truncated' } }])
    for (const json of [null, [], {}, { valid: true }]) expect(whole(json).error?.class).toBe('malformed')
    expect(streamed(created, {}).error?.class).toBe('malformed')
    expect(whole({ ...answerOf(items), status: 'queued' }).error?.class).toBe('truncated')
    expect(whole({ ...answerOf([]), status: 'cancelled' }).error?.class).toBe('server_error')
  })
})

describe('errors of the Responses API', () => {
  const failed = (error: JsonObject, output: JsonObject[] = []) => ({
    type: 'response.failed',
    response: { ...answerOf(output), status: 'failed', error },
  })

  test.each([
    [{ code: 'insufficient_quota', message: 'You exceeded your current quota.' }, 'quota'],
    [{ code: 'rate_limit_exceeded', message: 'Request too large for gpt-5.' }, 'rate_limit'],
    [{ code: 'context_length_exceeded', message: 'Your input exceeds the context window.' }, 'context_overflow'],
    [{ code: 'invalid_prompt', message: 'Invalid prompt.' }, 'invalid_request'],
    [{ code: 'invalid_image_url', message: 'The image could not be fetched.' }, 'invalid_request'],
    [{ code: 'image_parse_error', message: 'The image is broken.' }, 'invalid_request'],
    [{ code: 'image_content_policy_violation', message: 'x' }, 'content_filter'],
    [{ code: 'server_error', message: 'x' }, 'server_error'],
    [{ code: 'invented_tomorrow', message: 'x' }, 'server_error'],
  ])('%j before the answer is %s', (error, errorClass) => {
    const nested = { type: 'error', sequence_number: 2, error: { type: 'x', param: null, ...error } }
    const flat = { type: 'error', sequence_number: 2, param: null, ...error }
    for (const event of [nested, flat, failed(error)]) {
      expect(streamed(created, event).error).toMatchObject({ class: errorClass, message: error.message })
    }
    expect(whole({ ...answerOf([]), status: 'failed', error }).error).toMatchObject({ class: errorClass })
  })

  it('in the middle of an answer are the provider’s, and keep the usage', () => {
    const begun = [created, ...eventsOf([messageItem('msg_1', 'Oh')]).slice(2, -1)]
    const { choices, error, usage } = streamed(
      ...begun,
      failed({ code: 'rate_limit_exceeded', message: 'too many' }),
      completed([]),
    )
    expect(choices).toMatchObject([{ text: 'Oh', finish: null }])
    expect(error).toMatchObject({ class: 'server_error', message: 'too many' })
    expect(usage?.totalTokens).toBe(162)
  })

  it('never pass', () => {
    const events = read(streamOf([created, failed({ code: 'server_error', message: 'x' })]), { passes: true })
    expect(events.map(({ raw }) => raw !== null)).toEqual([true, false])
  })

  it('may come as plain JSON in a stream', () => {
    const body = JSON.stringify({ error: { code: 'insufficient_quota', message: 'x' } })
    expect(read(body).at(-1)?.deltas).toMatchObject([{ error: { class: 'quota' } }])
  })

  test.each([
    [400, { code: null, message: "Unsupported parameter: 'x'", param: 'x' }, 'invalid_request', 'x'],
    [400, { code: 'context_length_exceeded', message: 'x', param: 'input' }, 'context_overflow', 'input'],
    [401, { code: 'invalid_api_key', message: 'x' }, 'auth', null],
    [404, { code: 'model_not_found', message: 'x', param: 'model' }, 'model_not_found', 'model'],
    [429, { code: 'rate_limit_exceeded', message: 'x' }, 'rate_limit', null],
    [429, { code: 'insufficient_quota', message: 'x' }, 'quota', null],
    [500, { code: null, message: 'x' }, 'server_error', null],
    [503, { code: null, message: 'x' }, 'overloaded', null],
  ])('%i %j is %s', (status, error, errorClass, param) => {
    const body = JSON.stringify({ error })
    expect(responses.readError({ status, headers: { 'retry-after': '3' }, body, now: 0 })).toMatchObject({
      class: errorClass,
      status,
      param,
      retryAfterSeconds: 3,
    })
  })
})

function readable({ deltas, raw }: AnswerEvent): unknown {
  return [deltas, raw && Buffer.from(raw).toString()]
}
