// Cohere's format on samples of our own: what is written for which model, how answers, streams and refusals are read,
// and the bugs that others had.

import { describe, expect, it, test } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { cohere } from '../../../../src/providers/protocols/cohere/cohere.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

const hi = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', function: { name: 'weather', description: 'd', parameters } }
const time = { type: 'function', function: { name: 'time' } }

function written(body: JsonObject, facts: Partial<ModelFacts> = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  const target = testTarget({ model: 'command-x', facts: { ...unknownModelFacts, ...facts } })
  return cohere.render(prompt, target).body as JsonObject & { messages: JsonObject[] }
}
const messagesFor = (messages: unknown[]) => written({ messages }).messages

const call = (id: string, args = '{"city":"Rome"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
})
const result = (id: string, content: unknown = 'Sunny') => ({ role: 'tool', tool_call_id: id, content })

describe('the body', () => {
  it('says no more than was asked, and nothing that Cohere does not know', () => {
    const dropped = { logit_bias: { 5: 1 }, store: true, user: 'me', n: 1, parallel_tool_calls: false }
    expect(written({ ...dropped, tool_choice: 'auto', anything: 1 })).toEqual({ model: 'command-x', messages: [hi] })
    expect(written({ stream: true, stream_options: { include_usage: true } })).toEqual({
      model: 'command-x',
      messages: [hi],
      stream: true,
    })
  })

  it('renames what Cohere calls by other names, within what it takes', () => {
    const asked = { temperature: 1.7, top_p: 1, top_k: 900, seed: 3, stop: 'x', max_tokens: 9999, logprobs: true }
    expect(written({ ...asked, frequency_penalty: 2, presence_penalty: 1 }, { maxOutputTokens: 4000 })).toEqual({
      model: 'command-x',
      messages: [hi],
      temperature: 1,
      p: 0.99,
      k: 500,
      seed: 3,
      stop_sequences: ['x'],
      max_tokens: 4000,
      logprobs: true,
      frequency_penalty: 1,
    })
    const stop = ['a', '', 'b', 'c', 'd', 'e', 'f']
    expect(written({ stop })['stop_sequences']).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(written({ top_p: 0, presence_penalty: 0.5, frequency_penalty: -1 })).toEqual({
      model: 'command-x',
      messages: [hi],
      p: 0.01,
      presence_penalty: 0.5,
    })
    expect(written({ temperature: 1, seed: 1 }, { temperature: false })).not.toHaveProperty('temperature')
  })

  it('cannot ask for several choices', () => {
    expect(() => written({ n: 2 })).toThrow(/one choice/)
  })

  it('asks to think only those who can', () => {
    const thinking = (body: JsonObject, reasoning: boolean | null = true) => written(body, { reasoning })['thinking']
    expect(thinking({ reasoning_effort: 'low' })).toEqual({ type: 'enabled', token_budget: 1024 })
    expect(thinking({ reasoning_effort: 'high' })).toEqual({ type: 'enabled' })
    // Thoughts count as output: half of what is allowed is left to the answer.
    expect(thinking({ reasoning_effort: 'medium', max_tokens: 500 })).toEqual({ type: 'enabled', token_budget: 250 })
    expect(thinking({ reasoning_effort: 'high', max_tokens: 500 })).toEqual({ type: 'enabled', token_budget: 250 })
    expect(written({ reasoning_effort: 'high', max_tokens: 500 }, { reasoning: true })['max_tokens']).toBe(500)
    expect(thinking({ reasoning: { max_tokens: 77 } })).toEqual({ type: 'enabled', token_budget: 77 })
    expect(thinking({ reasoning_effort: 'none' })).toEqual({ type: 'disabled' })
    expect(thinking({})).toBe(undefined)
    expect(thinking({ reasoning_effort: 'low' }, false)).toBe(undefined)
    expect(thinking({ reasoning_effort: 'low' }, null)).toBe(undefined)
  })

  it('asks for JSON, in words where tools or the model leave no other way', () => {
    const schema = { type: 'object', title: 'T' }
    const asked = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } }
    expect(written(asked)['response_format']).toEqual({ type: 'json_object', json_schema: schema })
    expect(written({ response_format: { type: 'json_object' } })['response_format']).toEqual({ type: 'json_object' })
    expect(written({ response_format: { type: 'text' } })).toEqual({ model: 'command-x', messages: [hi] })
    for (const body of [written({ ...asked, tools: [weather] }), written(asked, { structuredOutput: false })]) {
      expect(body).not.toHaveProperty('response_format')
      expect(body.messages[0]).toEqual({ role: 'system', content: expect.stringContaining('"title":"T"') })
    }
    const [system] = written({ response_format: { type: 'json_object' }, tools: [weather] }).messages
    expect(system).toMatchObject({ content: expect.stringMatching(/one JSON object(?!.*Schema)/) })
  })
})

describe('tools', () => {
  const choose = (tool_choice: unknown, tools = [weather, time]) => written({ tools, tool_choice })

  test('§8.25 a tool that is named is demanded by offering no other', () => {
    expect(choose({ type: 'function', function: { name: 'weather' } })).toMatchObject({
      tool_choice: 'REQUIRED',
      tools: [weather],
    })
    expect(() => choose({ type: 'function', function: { name: 'none' } })).toThrow(/tool_choice/)
  })

  it('are offered, demanded and forbidden', () => {
    const empty = { type: 'object', properties: {} }
    expect(choose('required')).toMatchObject({
      tool_choice: 'REQUIRED',
      tools: [weather, { type: 'function', function: { name: 'time', parameters: empty } }],
    })
    expect(choose('none')).toMatchObject({ tool_choice: 'NONE', tools: { length: 2 } })
    expect(choose('auto')).not.toHaveProperty('tool_choice')
    expect(written({ tools: [], tool_choice: 'required' })).not.toHaveProperty('tool_choice')
  })

  it('are strict where all of them are and may be', () => {
    const strict = (tool: typeof weather | typeof time) => ({
      ...tool,
      function: { ...tool.function, strict: true },
    })
    expect(written({ tools: [strict(weather)] })).toMatchObject({ strict_tools: true, tools: [weather] })
    const optional = { type: 'function', function: { name: 'f', strict: true, parameters: { required: [] } } }
    for (const tools of [[weather], [strict(weather), weather], [strict(weather), strict(time)], [optional]]) {
      expect(written({ tools })).not.toHaveProperty('strict_tools')
    }
  })
})

describe('the conversation', () => {
  test('§8.25 has one system message with all that stands in front, and late ones where they stand', () => {
    const messages = [
      { role: 'system', content: 'A' },
      { role: 'developer', content: [{ type: 'text', text: 'B' }] },
      hi,
      { role: 'assistant', content: 'Ho' },
      { role: 'system', content: 'C' },
    ]
    expect(messagesFor(messages)).toEqual([
      { role: 'system', content: 'A\n\nB' },
      hi,
      { role: 'assistant', content: 'Ho' },
      { role: 'user', content: 'C' },
    ])
    expect(messagesFor([{ role: 'system', content: 'A' }])).toEqual([{ role: 'user', content: 'A' }])
  })

  test('§8.25 has no text beside calls', () => {
    const turn = { role: 'assistant', tool_calls: [call('a')] }
    const plan = (message: JsonObject) => messagesFor([hi, { ...turn, ...message }, result('a')])[1]
    expect(plan({ content: 'I look.' })).toEqual({ ...turn, tool_plan: 'I look.' })
    expect(
      plan({
        content: [
          { type: 'text', text: 'I ' },
          { type: 'text', text: 'look.' },
        ],
      }),
    ).toEqual({
      ...turn,
      tool_plan: 'I look.',
    })
    expect(plan({ content: null, reasoning_content: 'Hm' })).toEqual({ ...turn, tool_plan: 'Hm' })
    for (const content of [null, '', []]) expect(plan({ content })).toEqual(turn)
    expect(messagesFor([hi, { role: 'assistant', tool_calls: [call('a', '')] }])[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    })
  })

  it('has results right behind their calls, each of them, and none without', () => {
    const turn = { role: 'assistant', tool_calls: [call('a'), call('b')] }
    const parts = ['12', 'h'].map(text => ({ type: 'text', text }))
    expect(messagesFor([hi, turn, hi, result('b', parts)])).toEqual([
      hi,
      turn,
      result('a', 'No result.'),
      result('b', '12\nh'),
      hi,
    ])
    expect(messagesFor([hi, result('x')])[1]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'The result of a tool:\n' },
        { type: 'text', text: 'Sunny' },
      ],
    })
  })

  it('shows pictures, and refuses files and sounds', () => {
    const url = 'https://x.example/a.png'
    const image = { type: 'image_url', image_url: { url, detail: 'low' } }
    const user = (part: unknown) => messagesFor([{ role: 'user', content: [part] }])
    expect(user(image)).toEqual([{ role: 'user', content: [image] }])
    expect(messagesFor([hi, { role: 'assistant', tool_calls: [call('a')] }, result('a', [image])]).slice(2)).toEqual([
      result('a', ''),
      { role: 'user', content: [image] },
    ])
    const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }
    expect(() => user(pdf)).toThrow(/of type file/)
    expect(() => user({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })).toThrow(/of type audio/)
    expect(() => user({ type: 'video_url' })).toThrow(/of type video_url/)
  })
})

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
const counts = { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 7, output_tokens: 3 } }
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
const message = (content: JsonObject, finish_reason: string | null = 'COMPLETE', more: JsonObject = {}) => ({
  id: 'm1',
  message: { role: 'assistant', ...content },
  finish_reason,
  usage: counts,
  ...more,
})

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
    expect(cohere.decodeAnswer(body, testReading()).deltas[1]).toMatchObject(said)
    const piece = Buffer.from(bodyOf([{ ...adds(0, { text: 'Oh' }), logprobs: logprobs[0] }, ends('COMPLETE')]))
    expect(deltasOf(decodeStream(cohere, [piece]))[0]).toMatchObject(said)
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
    const error = { error: 'Failed, key sk-scrubmescrubme', error_type: 'X' }
    const failed = streamed(begins, adds(0, { text: 'x' }), ends('ERROR', error))
    expect(failed.choices).toMatchObject([{ text: 'x', finish: null }])
    expect(failed.error).toMatchObject({ class: 'server_error', message: 'Failed, key [key]' })
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
