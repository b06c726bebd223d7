// How answers, streams and refusals in Gemini's format are read, on samples of our own, and the bugs that others had.

import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { gemini } from '../../../../src/providers/protocols/gemini/gemini.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { asSent, decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

const counts = { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 }
const about = { responseId: 'r1', modelVersion: 'gemini-x', usageMetadata: counts }

function chunk(parts: unknown[] | null, finishReason?: string, more: JsonObject = {}) {
  const content = parts === null ? {} : { content: { role: 'model', parts } }
  const finish = finishReason === undefined ? {} : { finishReason }
  return { candidates: [{ index: 0, ...content, ...finish }], ...about, ...more }
}

const event = (json: unknown) => `data: ${JSON.stringify(json)}\r\n\r\n`

function streamed(body: string) {
  return collect(deltasOf(decodeStream(gemini, [Buffer.from(body)])))
}

function plain(json: unknown) {
  return collect(gemini.decodeAnswer(Buffer.from(JSON.stringify(json)), testReading()).deltas)
}

/** A whole answer says what the same chunks say one by one. */
function both(...chunks: JsonObject[]) {
  const fromStream = streamed(chunks.map(event).join(''))
  expect(plain(chunks)).toEqual(fromStream)
  return fromStream
}

const called = (name: string, args?: JsonObject, id?: string) => ({ functionCall: { name, args, id } })

describe('text and reasoning', () => {
  it('are told apart', () => {
    const { choices, usage, error } = both(
      chunk([{ text: 'Hm', thought: true }]),
      chunk([{ text: 'O' }, { text: 'h' }]),
      chunk([{ text: '' }], 'STOP'),
    )
    expect(choices).toMatchObject([{ text: 'Oh', reasoning: 'Hm', finish: 'stop', native: 'STOP', details: [] }])
    expect(usage).toEqual({
      promptTokens: 7,
      completionTokens: 2,
      totalTokens: 9,
      cachedTokens: null,
      reasoningTokens: null,
    })
    expect(error).toBe(null)
  })

  it('say first whose answer it is', () => {
    const [first] = deltasOf(decodeStream(gemini, [Buffer.from(event(chunk([{ text: 'x' }], 'STOP')))]))
    expect(first).toEqual({ type: 'origin', id: 'r1', model: 'gemini-x', createdSeconds: null })
  })

  test('§8.5 count what was thought, found by tools and kept in a cache, as the last chunk has it', () => {
    const last = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 8,
      totalTokenCount: 22,
    }
    const { usage } = both(chunk([{ text: 'a' }]), chunk([], 'STOP', { usageMetadata: last }))
    expect(usage).toEqual({
      promptTokens: 15,
      completionTokens: 7,
      totalTokens: 22,
      cachedTokens: 8,
      reasoningTokens: 4,
    })
  })

  it('goes on behind a first finish', () => {
    const { choices } = both(chunk([{ text: 'a' }], 'MAX_TOKENS'), chunk([{ text: 'b' }], 'STOP'))
    expect(choices).toMatchObject([{ text: 'ab', finish: 'stop' }])
  })

  it('leaves out what the provider does by itself, and shows the pictures that it makes', () => {
    const { choices } = both(
      chunk([{ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' }, thoughtSignature: 's' }]),
      chunk([{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, { text: 'x' }], 'STOP'),
    )
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]
    expect(choices).toMatchObject([{ text: 'x', fields: { images }, details: [] }])
  })

  it('tells how likely its tokens were', () => {
    const chosen = [
      { token: 'é', logProbability: -0.5 },
      { token: 'b', logProbability: -1 },
    ]
    const logprobsResult = { chosenCandidates: chosen, topCandidates: [{ candidates: [chosen[1]] }] }
    const candidate = { content: { parts: [{ text: 'éb' }] }, finishReason: 'STOP', logprobsResult }
    const { deltas } = gemini.decodeAnswer(Buffer.from(JSON.stringify({ candidates: [candidate] })), testReading())
    expect(JSON.parse(JSON.stringify(deltas[0]))).toMatchObject({
      text: 'éb',
      logprobs: {
        refusal: null,
        content: [
          { token: 'é', logprob: -0.5, bytes: [0xc3, 0xa9], top_logprobs: [{ token: 'b', logprob: -1, bytes: [98] }] },
          { token: 'b', logprob: -1, bytes: [98], top_logprobs: [] },
        ],
      },
    })
  })

  it('gives several choices', () => {
    const candidates = [
      { content: { parts: [{ text: 'a' }, called('f')] }, finishReason: 'STOP' },
      { index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS' },
    ]
    expect(both({ candidates }).choices).toMatchObject([
      { index: 0, text: 'a', finish: 'tool_calls' },
      { index: 1, text: 'b', finish: 'length', calls: [] },
    ])
  })
})

describe('calls', () => {
  test('§8.2 are counted on from chunk to chunk', () => {
    const { choices } = both(
      chunk([called('f', { a: 1 }, 'id1')]),
      chunk([called('g', { b: 2 }), called('f', { a: 3 })]),
      chunk([{ text: '' }], 'STOP'),
    )
    expect(choices[0]?.calls).toEqual([
      { id: 'id1', name: 'f', arguments: '{"a":1}' },
      { id: expect.stringMatching(/^call_[0-9]{23}1$/), name: 'g', arguments: '{"b":2}' },
      { id: expect.stringMatching(/^call_[0-9]{23}2$/), name: 'f', arguments: '{"a":3}' },
    ])
  })

  test.each([
    ['in the same chunk', [chunk([called('f')], 'STOP')]],
    ['in a later chunk', [chunk([called('f')]), chunk([{ text: 'x' }]), chunk(null, 'STOP')]],
    ['in an earlier chunk', [chunk([{ text: 'x' }], 'STOP'), chunk([called('f')])]],
  ])('§8.3 finish with tool_calls where STOP stands %s', (_, chunks) => {
    expect(both(...chunks).choices).toMatchObject([{ finish: 'tool_calls', native: 'STOP' }])
    const events = decodeStream(gemini, [Buffer.from(chunks.map(event).join(''))])
    const finishes = events.flatMap(({ deltas }, at) => (deltas.some(({ type }) => type === 'finish') ? [at] : []))
    expect(finishes).toEqual([events.length - 1])
  })

  test('§8.10 without arguments have empty ones', () => {
    const { choices } = both(chunk([called('f'), called('g', {})], 'STOP'))
    expect(choices[0]?.calls.map(({ arguments: text }) => text)).toEqual(['{}', '{}'])
  })

  test('§8.9 keep their signatures, and text and thoughts theirs, on the way to the client and back', () => {
    const { choices } = both(
      chunk([{ text: 'Hm', thought: true, thoughtSignature: 'A' }]),
      chunk([{ text: 'Oh' }]),
      chunk([{ text: '', thoughtSignature: 'B' }]),
      chunk([{ ...called('f', { x: 1 }, 'c1'), thoughtSignature: 'C' }, called('g', {}, 'c2')], 'STOP'),
    )
    const [choice] = choices
    expect(choice).toMatchObject({ text: 'Oh', reasoning: 'Hm' })
    expect(choice?.calls.map(({ signature }) => signature)).toEqual(['C', undefined])
    const message = {
      role: 'assistant',
      content: choice?.text,
      reasoning_details: choice?.details,
      tool_calls: choice?.calls.map(({ id, name, arguments: args, signature }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
        extra_content: { google: { thought_signature: signature } },
      })),
    }
    const { prompt } = readCompletionRequest({ messages: [{ role: 'user', content: 'Hi' }, message] })
    const { contents } = asSent(gemini.render(prompt, testTarget({ model: 'gemini-3-flash' }))).body as {
      contents: { parts: unknown[] }[]
    }
    expect(contents[1]?.parts).toEqual([
      { text: 'Hm', thought: true, thoughtSignature: 'A' },
      { text: 'Oh', thoughtSignature: 'B' },
      { functionCall: { id: 'c1', name: 'f', args: { x: 1 } }, thoughtSignature: 'C' },
      { functionCall: { id: 'c2', name: 'g', args: {} } },
    ])
  })
})

describe('endings', () => {
  test.each([
    ['STOP', 'stop'],
    ['OTHER', 'stop'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['A_NEW_ONE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['NO_IMAGE', 'content_filter'],
  ])('§8.13 %s is %s', (native, finish) => {
    expect(both(chunk([{ text: 'x' }], native)).choices).toMatchObject([{ finish, native }])
  })

  test('§8.13 a limit inside of a call is length, not a call to be made', () => {
    expect(both(chunk([called('f', { a: 1 })], 'MAX_TOKENS')).choices).toMatchObject([{ finish: 'length' }])
  })

  test('§8.16 an answer that says nothing is one choice all the same', () => {
    const nothing = { index: 0, text: '', calls: [], finish: 'content_filter' }
    expect(both(chunk(null, 'SAFETY')).choices).toMatchObject([{ ...nothing, native: 'SAFETY' }])
    for (const blockReason of ['PROHIBITED_CONTENT', 'OTHER', 'SAFETY', 'BLOCKLIST']) {
      const blocked = both({ promptFeedback: { blockReason }, ...about })
      expect(blocked.choices).toMatchObject([{ ...nothing, native: blockReason }])
      expect(blocked.usage).toMatchObject({ promptTokens: 7 })
    }
    expect(both(chunk([], 'STOP')).choices).toMatchObject([{ text: '', finish: 'stop' }])
  })

  it('misses what nothing finished, and what is no answer at all', () => {
    expect(streamed(event(chunk([{ text: 'x' }]))).error?.class).toBe('truncated')
    expect(streamed(event(chunk([{ text: 'x' }], 'FINISH_REASON_UNSPECIFIED'))).error?.class).toBe('truncated')
    expect(streamed('').error?.class).toBe('truncated')
    expect(plain({ name: 'batches/x' }).error?.class).toBe('malformed')
    for (const json of [[], null, 'x', 3]) expect(plain(json).error?.class).toBe('malformed')
    expect(streamed('data: <html>\r\n\r\n').error?.class).toBe('malformed')
  })
})

describe('errors inside of a stream', () => {
  const overloaded = { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' }
  const begun = event(chunk([{ text: 'x' }]))

  test('§8.14 are no clean end, and keep what was said and counted', () => {
    const { choices, error, usage } = streamed(
      begun + event({ error: overloaded }) + event(chunk([{ text: 'y' }], 'STOP')),
    )
    expect(choices).toMatchObject([{ text: 'x', finish: null }])
    expect(error).toMatchObject({ class: 'server_error', message: 'Overloaded' })
    expect(usage).toMatchObject({ totalTokens: 9 })
  })

  test.each([
    ['beside the events', JSON.stringify({ error: overloaded }, null, 2)],
    ['in an array', JSON.stringify([{ error: overloaded }], null, 2)],
    ['behind the rest of an array', `,\n${JSON.stringify({ error: overloaded }, null, 2)}\n]`],
    ['in an array inside of an event', event([{ error: overloaded }])],
  ])('§8.15 are found %s, wherever they are cut', (_, tail) => {
    for (const body of [begun + tail, begun + event(chunk([], 'STOP')) + tail]) {
      for (const { pieces } of cutsOf(body, 5)) {
        const { error, choices } = collect(deltasOf(decodeStream(gemini, pieces)))
        expect(error).toMatchObject({ class: 'server_error', message: 'Overloaded' })
        expect(choices).toMatchObject([{ text: 'x', finish: null }])
      }
    }
  })

  it('are refusals where nothing came before them', () => {
    const classOf = (body: string) => streamed(body).error?.class
    expect(classOf(event({ error: overloaded }))).toBe('overloaded')
    expect(classOf(JSON.stringify([{ error: { code: 429, message: 'Slow', status: 'RESOURCE_EXHAUSTED' } }]))).toBe(
      'rate_limit',
    )
    expect(classOf('nonsense { } beside')).toBe('truncated')
  })
})

test('§8.24 no cut changes an answer', () => {
  const words = 'θερμοκρασία 🌡️ 25°C 你好'
  const body = [chunk([{ text: words }]), chunk([called('f', { x: words })]), chunk([{ text: '' }], 'STOP')]
    .map(event)
    .join('')
  for (const { pieces } of cutsOf(body, 20)) {
    const { choices } = collect(deltasOf(decodeStream(gemini, pieces)))
    expect(choices).toMatchObject([{ text: words, calls: [{ arguments: JSON.stringify({ x: words }) }] }])
  }
})

describe('refusals', () => {
  function read(status: number, error: JsonObject | string, headers: Record<string, string> = {}) {
    const body = typeof error === 'string' ? error : JSON.stringify({ error })
    return gemini.readError({ status, headers, body, now: 0 })
  }
  const reason = (word: string) => ({ details: [{ '@type': 'ErrorInfo', reason: word }] })

  test.each([
    [400, { message: 'API key not valid.', ...reason('API_KEY_INVALID') }, 'auth'],
    [
      400,
      { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' },
      'context_overflow',
    ],
    [400, { message: 'Free tier is not available. Please enable billing on your project.' }, 'quota'],
    [400, { message: 'Invalid value at contents' }, 'invalid_request'],
    [401, { message: 'x', status: 'UNAUTHENTICATED' }, 'auth'],
    [403, { message: 'x', status: 'PERMISSION_DENIED' }, 'auth'],
    [404, { message: 'models/x is not found' }, 'model_not_found'],
    [413, { message: 'Request payload size exceeds the limit' }, 'invalid_request'],
    [429, { message: 'You exceeded your current quota, please check your plan and billing details.' }, 'rate_limit'],
    [429, { message: 'Your prepayment credits are depleted.' }, 'quota'],
    [500, { message: 'x' }, 'server_error'],
    [502, '<html>Bad gateway</html>', 'server_error'],
    [503, { message: 'The model is overloaded.' }, 'overloaded'],
    [504, { message: 'x', status: 'DEADLINE_EXCEEDED' }, 'server_error'],
  ])('%i %j is %s', (status, error, errorClass) => {
    expect(read(status, error)).toMatchObject({ class: errorClass, status })
  })

  it('may come in an array', () => {
    const body = JSON.stringify([{ error: { message: 'key', ...reason('API_KEY_INVALID') } }])
    expect(read(400, body)).toMatchObject({ class: 'auth', message: 'key' })
  })

  it('say in their body when to come back', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '48.2s' }]
    expect(read(429, { message: 'x', details }).retryAfterSeconds).toBe(49)
    expect(read(429, { message: 'x', details }, { 'retry-after': '3' }).retryAfterSeconds).toBe(3)
    expect(read(429, { message: 'x', details: [{ retryDelay: '0s' }] }).retryAfterSeconds).toBe(1)
    expect(read(429, { message: 'x', details: [{ retryDelay: 'soon' }] }).retryAfterSeconds).toBe(null)
  })

  it('name the parameter by the name that the client gave it', () => {
    const field = (name: string) => read(400, { message: 'x', details: [{ fieldViolations: [{ field: name }] }] }).param
    expect(field('generation_config.temperature')).toBe('temperature')
    expect(field('generation_config.response_json_schema.properties[0]')).toBe('response_format')
    expect(field('contents[1].parts[0]')).toBe('messages')
    expect(field('constructor')).toBe(null)
  })
})
