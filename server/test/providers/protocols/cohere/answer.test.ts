// Tests how answers and refusals of Cohere are read.
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { cohere } from '../../../../src/providers/protocols/cohere/cohere.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading } from '../protocol-suite.ts'
import { call, counts, message } from './cohere-stage.ts'

const begins = { id: 'm1', type: 'message-start', delta: { message: { role: 'assistant', content: [] } } }
const opens = (index: number, content: JsonObject) => ({
  type: 'content-start',
  index,
  delta: { message: { content } },
})
const adds = (index: number, content: JsonObject) => ({ type: 'content-delta', index, delta: { message: { content } } })
const plans = (tool_plan: string) => ({ type: 'tool-plan-delta', delta: { message: { tool_plan } } })
const calls = (index: number, id: string, args: unknown = '') => ({
  type: 'tool-call-start',
  index,
  delta: { message: { tool_calls: { id, type: 'function', function: { name: 'f', arguments: args } } } },
})
const argues = (index: number, text: string) => ({
  type: 'tool-call-delta',
  index,
  delta: { message: { tool_calls: { function: { arguments: text } } } },
})

const ends = (finish_reason: string, more: JsonObject = {}) => ({
  type: 'message-end',
  delta: { finish_reason, usage: { ...counts, cached_tokens: 4 }, ...more },
})

function bodyOf(events: readonly JsonObject[]): string {
  const lines = events.map(event => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`)
  return `${lines.join('')}data: [DONE]\n\n`
}
const read = (body: string) => collect(deltasOf(decodeStream(cohere, [Buffer.from(body)])))
const streamed = (...events: JsonObject[]) => read(bodyOf(events))
const plain = (json: unknown) => collect(cohere.decodeAnswer(Buffer.from(JSON.stringify(json)), testReading()).deltas)

describe('answers', () => {
  const usage = {
    promptTokens: 7,
    completionTokens: 3,
    totalTokens: 10,
    cachedTokens: 4,
    reasoningTokens: null,
    billed: { promptTokens: 1, completionTokens: 1 },
  }

  it('tell text from thoughts, and leave citations out', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Oh' },
    ]
    const whole = plain(message({ content, citations: [{ text: 'Oh' }] }))
    const pieces = streamed(
      begins,
      opens(0, { type: 'thinking', thinking: 'H' }),
      adds(0, { thinking: 'm' }),
      opens(1, { type: 'text', text: '' }),
      adds(1, { text: 'Oh' }),
      { type: 'citation-start', index: 0, delta: { message: { citations: { text: 'Oh' } } } },
      { type: 'invented-tomorrow' },
      ends('COMPLETE'),
    )
    expect(whole.choices).toEqual(pieces.choices)
    expect(pieces.choices).toMatchObject([{ text: 'Oh', reasoning: 'Hm', finish: 'stop', native: 'COMPLETE' }])
    expect(pieces.usage).toEqual(usage)
    expect(whole.usage).toEqual({ ...usage, cachedTokens: null })
  })

  it('count the billed tokens if no others are counted', () => {
    const { billed_units, tokens } = counts
    const countOf = (counted: unknown) => plain(message({ content: [] }, 'COMPLETE', { usage: counted })).usage
    expect(countOf({ billed_units })).toMatchObject({ promptTokens: 1, completionTokens: 1, totalTokens: 2 })
    expect(countOf({ tokens })).not.toHaveProperty('billed')
    expect(countOf({ billed_units: { search_units: 1 }, tokens })).not.toHaveProperty('billed')
    expect(countOf({ cached_tokens: 1 })).toBe(null)
  })

  test('§8.25 a plan is no content', () => {
    const tool_calls = [call('a'), call('b', '{}')]
    const whole = plain(message({ tool_plan: 'I look.', tool_calls }, 'TOOL_CALL'))
    expect(whole.choices).toMatchObject([{ text: '', reasoning: 'I look.', finish: 'tool_calls' }])
    expect(whole.choices[0]?.calls).toEqual([
      { id: 'a', name: 'weather', arguments: '{"city":"Rome"}' },
      { id: 'b', name: 'weather', arguments: '{}' },
    ])
    const pieces = streamed(begins, plans('I '), plans('look.'), calls(0, 'a', '{}'), ends('TOOL_CALL'))
    expect(pieces.choices).toMatchObject([{ text: '', reasoning: 'I look.', finish: 'tool_calls' }])
  })

  test('§8.10 calls are numbered from 0 and have arguments, where they take none too', () => {
    const { choices } = streamed(
      begins,
      calls(3, 'a'),
      argues(3, '{"x":'),
      argues(3, 'null'),
      argues(3, '}'),
      calls(5, 'b'),
      argues(5, 'null'),
      calls(6, 'c', 'null'),
      calls(7, '', { y: 1 }),
      argues(9, 'of no call'),
      ends('TOOL_CALL'),
    )
    expect(choices[0]?.calls.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['a', '{"x":null}'],
      ['b', '{}'],
      ['c', '{}'],
      [expect.stringMatching(/^call_/), '{"y":1}'],
    ])
  })

  test.each([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['TOOL_CALL', 'stop'],
    ['A_NEW_ONE', 'stop'],
    ['MAX_TOKENS', 'length'],
  ])('§8.13 %s is %s', (native, finish) => {
    expect(plain(message({ content: [] }, native)).choices).toMatchObject([{ text: '', finish, native }])
    expect(streamed(begins, ends(native)).choices).toMatchObject([{ finish, native }])
  })

  test('§8.13 a limit inside of a call is length', () => {
    expect(streamed(begins, calls(0, 'a', '{"x'), ends('MAX_TOKENS')).choices).toMatchObject([
      { finish: 'length', calls: [{ arguments: '{"x' }] },
    ])
  })

  it('tell how likely their tokens were', () => {
    const logprobs = [{ text: 'Oh', token_ids: [1, 2], logprobs: [-0.25, -0.5] }]
    const said = { logprobs: { content: [{ token: 'Oh', logprob: -0.75, bytes: [79, 104], top_logprobs: [] }] } }
    const body = Buffer.from(
      JSON.stringify(message({ content: [{ type: 'text', text: 'Oh' }] }, 'COMPLETE', { logprobs })),
    )
    const written = (delta: unknown) => JSON.parse(JSON.stringify(delta))
    expect(written(cohere.decodeAnswer(body, testReading()).deltas[1])).toMatchObject(said)
    const piece = Buffer.from(bodyOf([{ ...adds(0, { text: 'Oh' }), logprobs: logprobs[0] }, ends('COMPLETE')]))
    expect(written(deltasOf(decodeStream(cohere, [piece]))[0])).toMatchObject(said)
  })

  test('§8.24 no cut changes them', () => {
    const words = 'naïve 🦊 你好'
    const body = bodyOf([begins, adds(0, { text: words }), calls(1, 'a', JSON.stringify({ words })), ends('TOOL_CALL')])
    for (const { pieces } of cutsOf(body.replaceAll('\n', '\r\n'), 20)) {
      const { choices, error } = collect(deltasOf(decodeStream(cohere, pieces)))
      expect(error).toBe(null)
      expect(choices).toMatchObject([{ text: words, calls: [{ arguments: JSON.stringify({ words }) }] }])
    }
  })

  test('§8.14 an error is no clean end, though [DONE] follows it', () => {
    const error = { error: 'Failed', error_type: 'X' }
    const failed = streamed(begins, adds(0, { text: 'x' }), ends('ERROR', error))
    expect(failed.choices).toMatchObject([{ text: 'x', finish: null }])
    expect(failed.error).toMatchObject({ class: 'server_error', message: 'Failed' })
    expect(failed.usage).toEqual(usage)
    expect(streamed(begins, ends('COMPLETE', error)).error?.class).toBe('server_error')
    expect(streamed(begins, ends('TIMEOUT')).error?.class).toBe('timeout')
    expect(plain(message({ content: [] }, 'ERROR')).error?.class).toBe('server_error')
    expect(read(JSON.stringify({ id: 'x', message: 'gone' })).error).toMatchObject({ class: 'server_error' })
    expect(streamed(begins, { message: 'gone' }).error).toMatchObject({ class: 'server_error', message: 'gone' })
  })

  it('are whole with their last event, whatever comes behind it', () => {
    const decoder = cohere.createStreamDecoder(testReading())
    const body = bodyOf([begins, adds(0, { text: 'x' }), ends('COMPLETE')]).replace('[DONE]', 'no JSON')
    const { choices, error } = collect(deltasOf(decoder.push(Buffer.from(body))))
    expect([choices[0]?.finish, error, decoder.isOver, decoder.end()]).toEqual(['stop', null, true, []])
  })

  it('that are cut, or are none, are faults', () => {
    expect(streamed(begins, adds(0, { text: 'x' })).error?.class).toBe('truncated')
    expect(read(bodyOf([begins, adds(0, { text: 'x' })]).replace('data: [DONE]\n\n', '')).error?.class).toBe(
      'truncated',
    )
    expect(read('').error?.class).toBe('truncated')
    expect(read('data: null\n\n').error?.class).toBe('malformed')
    for (const json of [null, [], {}, { valid: true }]) expect(plain(json).error?.class).toBe('malformed')
    expect(plain(message({ content: [] }, null)).error?.class).toBe('truncated')
  })
})

describe('refusals', () => {
  test.each([
    [400, { message: 'text content is not allowed' }, 'invalid_request'],
    [400, { error_type: 'TOO_MANY_TOKENS', message: 'x' }, 'context_overflow'],
    [400, { message: 'too many tokens: size limit exceeded by 9 tokens.' }, 'context_overflow'],
    [401, { message: 'invalid api token' }, 'auth'],
    [402, { message: 'Please add or update your payment method' }, 'quota'],
    [403, { message: 'x' }, 'auth'],
    [404, { message: "model 'x' not found" }, 'model_not_found'],
    [422, { message: 'x' }, 'invalid_request'],
    [429, { message: 'You are using a Trial key, which is limited to 40 API calls / minute.' }, 'rate_limit'],
    [429, { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' }, 'quota'],
    [498, { message: 'blocked' }, 'content_filter'],
    [499, { message: 'request cancelled' }, 'server_error'],
    [500, { message: 'x' }, 'server_error'],
    [502, '<html>', 'server_error'],
    [503, { message: 'x' }, 'overloaded'],
    [504, { message: 'x' }, 'server_error'],
  ])('%i %j is %s', (status, body, errorClass) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const error = cohere.readError({ status, headers: { 'retry-after': '3' }, body: text, now: 0 })
    expect(error).toMatchObject({ class: errorClass, status, retryAfterSeconds: 3 })
  })
})
