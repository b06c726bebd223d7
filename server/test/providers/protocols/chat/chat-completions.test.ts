// The chat-completions format in its dialects, on samples of our own: what is written for which model, how answers and
// streams are read, and the bugs that others had.

import { describe, expect, it } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import { providerError } from '../../../../src/domain/conversation/provider-error.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { chatCompletions } from '../../../../src/providers/protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from '../../../../src/providers/protocols/chat/dialects.ts'
import type { Target } from '../../../../src/providers/protocols/protocol.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

const openai = chatCompletions(openaiDialect)
const openrouter = chatCompletions(openrouterDialect)
const mistral = chatCompletions(mistralDialect)
const messages = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const reasoningModel: Partial<ModelFacts> = { reasoning: true, temperature: false }

function written(protocol: typeof openai, body: JsonObject, facts: Partial<ModelFacts> = {}, target?: Partial<Target>) {
  const { prompt } = readCompletionRequest({ messages, ...body })
  return protocol.render(prompt, testTarget({ ...target, facts: { ...unknownModelFacts, ...facts } })).body
}

function chunk(choice: JsonObject, others: JsonObject = {}): string {
  const choices = [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 5, model: 'm', choices, ...others })}\n\n`
}

function answerOf(body: string, protocol = openai) {
  return collect(deltasOf(decodeStream(protocol, [Buffer.from(body)])))
}

const finish = chunk({ delta: {}, finish_reason: 'stop' })
const done = 'data: [DONE]\n\n'

describe('requests', () => {
  it('§8.22 renames and drops what a reasoning model refuses', () => {
    const asked = {
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['x'],
      presence_penalty: 1,
      logprobs: true,
      seed: 3,
    }
    const others = { ...asked, reasoning_effort: 'low', logit_bias: { 5: 1 } }
    expect(written(openai, others, reasoningModel)).toEqual({
      model: 'model-1',
      messages,
      max_completion_tokens: 100,
      seed: 3,
      reasoning_effort: 'low',
    })
    expect(written(openai, asked, { reasoning: false, temperature: true })).toMatchObject({
      max_completion_tokens: 100,
      temperature: 0.5,
      stop: ['x'],
      logprobs: true,
    })
  })

  it('asks a model for reasoning only where it can', () => {
    expect(written(openai, { reasoning_effort: 'low' }, { reasoning: false })).not.toHaveProperty('reasoning_effort')
    expect(written(openai, { reasoning_effort: 'max' }).reasoning_effort).toBe('xhigh')
    expect(written(openrouter, { reasoning_effort: 'low' }).reasoning).toEqual({ effort: 'low' })
    expect(written(openrouter, { reasoning: { max_tokens: 9, exclude: true } }).reasoning).toEqual({
      max_tokens: 9,
      exclude: true,
    })
    expect(written(mistral, { reasoning_effort: 'low' }).reasoning_effort).toBe('high')
    expect(written(mistral, { reasoning_effort: 'minimal' }).reasoning_effort).toBe('none')
  })

  it('asks for no more than the model can write', () => {
    expect(written(openai, { max_tokens: 99_999 }, { maxOutputTokens: 4096 }).max_completion_tokens).toBe(4096)
    expect(written(mistral, { max_tokens: 99_999 }, { maxOutputTokens: 9000, contextWindow: 9000 })).not.toHaveProperty(
      'max_tokens',
    )
  })

  it('asks always for the usage of a stream, of those who can be asked', () => {
    expect(written(openai, { stream: true }).stream_options).toEqual({ include_usage: true })
    expect(written(openrouter, { stream: true }).stream_options).toEqual({ include_usage: true })
    expect(written(openai, { stream: true, stream_options: { include_usage: false, x: 1 } }).stream_options).toEqual({
      include_usage: true,
      x: 1,
    })
    expect(written(mistral, { stream: true, stream_options: { include_usage: true } })).toEqual({
      model: 'model-1',
      messages,
      stream: true,
    })
    expect(written(openai, { stream_options: { include_usage: true } })).not.toHaveProperty('stream_options')
  })

  it('says nothing of tools where there are none', () => {
    const body = written(openai, { tools: [], tool_choice: 'auto', parallel_tool_calls: true })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })

  it('gives no more stop sequences than are taken', () => {
    const stop = ['a', 'b', 'c', 'd', 'e']
    expect(written(openrouter, { stop })['stop']).toEqual(['a', 'b', 'c', 'd'])
    for (const protocol of [openai, mistral]) expect(written(protocol, { stop })['stop']).toEqual(stop)
  })

  it('passes unknown fields to those who may know them', () => {
    const asked = {
      verbosity: 'low',
      tools: [...tools, { type: 'x:search' }],
      messages: [{ ...messages[0], cache: 1 }],
    }
    for (const protocol of [openai, openrouter]) expect(written(protocol, asked)).toMatchObject(asked)
  })

  it('names the end user by a hash, in the field that is there for it', () => {
    const target = { endUserHash: 'h' }
    expect(written(openai, { user: 'ann' }, {}, target)).toMatchObject({ safety_identifier: 'h' })
    expect(written(openrouter, { user: 'ann' }, {}, target).user).toBe('h')
    expect(written(openai, { user: 'ann' })).not.toHaveProperty('user')
    expect(written(mistral, { user: 'ann' }, {}, target)).not.toHaveProperty('user')
  })

  it('writes for whoever stands at an address of the customer what most of them take', () => {
    const asked = { max_tokens: 5, messages: [{ role: 'developer', content: 'x' }, ...messages] }
    const body = written(openai, asked, {}, { hasBaseUrlOverride: true, endUserHash: 'h' })
    expect(body).toMatchObject({ max_tokens: 5, user: 'h', messages: [{ role: 'system' }, { role: 'user' }] })
    const reasoning = written(openai, asked, reasoningModel, { hasBaseUrlOverride: true })
    expect(reasoning.max_completion_tokens).toBe(5)
  })

  it('tells a model that takes no schema about it in words', () => {
    const format = { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } }
    const body = written(openai, { response_format: format }, { structuredOutput: false })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([
      { role: 'system', content: expect.stringContaining('"object"') },
      { role: 'user' },
    ])
    expect(written(openai, { response_format: format }).response_format).toEqual(format)
  })

  it('gives reasoning back to those who want it, and to no others', () => {
    const details = [{ type: 'reasoning.text', text: 't', signature: 's' }]
    const turn = { role: 'assistant', content: 'a', reasoning_content: 't', reasoning_details: details }
    expect(written(openai, { messages: [turn, ...messages] })['messages']).toEqual([
      { role: 'assistant', content: 'a' },
      ...messages,
    ])
    expect(written(openrouter, { messages: [turn, ...messages] })['messages']).toMatchObject([
      { reasoning_details: details },
      {},
    ])
  })
})

describe('Mistral', () => {
  const call = { id: 'call_aDdJTteHrpMdhdkEkyxjxEHH', type: 'function', function: { name: 'f', arguments: '' } }
  const conversation = [
    { role: 'user', content: 'Hi', name: 'ann', cache_control: {} },
    { role: 'assistant', content: null, refusal: null, reasoning_content: 'r', tool_calls: [{ ...call, x: 1 }] },
    { role: 'tool', tool_call_id: call.id, content: 'done', name: 'f' },
  ]

  it('§8.18 gets tool ids of nine characters, the same in call and result', () => {
    const [, turn, result] = written(mistral, { messages: conversation, tools })['messages'] as JsonObject[]
    const [sent] = (turn?.['tool_calls'] ?? []) as { id: string }[]
    expect(sent?.id).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(result?.['tool_call_id']).toBe(sent?.id)
    const own = { ...call, id: 'KikbB849t' }
    const again = written(mistral, { messages: [{ role: 'assistant', tool_calls: [own] }] })['messages']
    expect(again).toMatchObject([{ tool_calls: [{ id: 'KikbB849t' }] }])
    const other = { ...call, id: 'call_other' }
    const [different] = written(mistral, { messages: [{ role: 'assistant', tool_calls: [other] }] })[
      'messages'
    ] as JsonObject[]
    expect(different?.['tool_calls']).not.toMatchObject([{ id: sent?.id }])
  })

  it('§8.19 gets no field that it does not know', () => {
    const asked = {
      messages: conversation,
      tools: [...tools, { type: 'x' }],
      seed: 1,
      logprobs: true,
      top_k: 3,
      verbosity: 'low',
    }
    const body = written(mistral, { ...asked, metadata: {}, tool_choice: 'required' })
    expect(body).toEqual({
      model: 'model-1',
      random_seed: 1,
      tools,
      tool_choice: 'any',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: expect.any(String), type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: expect.any(String), content: 'done' },
      ],
    })
  })

  it('gets what an assistant refused to do as what it said', () => {
    const refused = { role: 'assistant', content: null, refusal: 'I will not.' }
    const sent = (message: JsonObject) =>
      written(mistral, { messages: [...messages, message, ...messages] })['messages']
    expect(sent(refused)).toMatchObject([{}, { role: 'assistant', content: 'I will not.' }, {}])
    expect(sent({ ...refused, content: '' })).toMatchObject([{}, { content: 'I will not.' }, {}])
    expect(sent({ ...refused, content: 'Said.' })).toMatchObject([{}, { content: 'Said.' }, {}])
  })

  it('§8.20 gets an assistant between a tool and a user, and goes on with what an assistant began', () => {
    const roles = (asked: JsonObject) => (written(mistral, asked)['messages'] as JsonObject[]).map(({ role }) => role)
    const interrupted = [...conversation, { role: 'user', content: 'Stop' }]
    expect(roles({ messages: interrupted, tools })).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    const begun = [...messages, { role: 'assistant', content: 'Once' }]
    expect(written(mistral, { messages: begun })['messages']).toMatchObject([{}, { content: 'Once', prefix: true }])
    expect(written(mistral, { messages: conversation })['messages']).not.toMatchObject([{}, { prefix: true }, {}])
    const late = [...begun, { role: 'developer', content: 'Be brief' }]
    expect(roles({ messages: late })).toEqual(['user', 'assistant', 'user'])
    const brief = { role: 'system', content: 'Be brief' }
    expect(roles({ messages: [brief, ...messages, brief] })).toEqual(['system', 'user', 'user'])
    expect(roles({ messages: [brief] })).toEqual(['user'])
  })

  it('gets documents in its own form and refuses what it cannot be told', () => {
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } }
    expect(written(mistral, { messages: [{ role: 'user', content: [file] }] })['messages']).toEqual([
      {
        role: 'user',
        content: [{ type: 'document_url', document_url: 'data:application/pdf;base64,AA==', document_name: 'a.pdf' }],
      },
    ])
    const video = { type: 'video_url', video_url: {} }
    expect(() => written(mistral, { messages: [{ role: 'user', content: [video] }] })).toThrow('video_url')
  })
})

describe('streams', () => {
  const begin = chunk({ delta: { role: 'assistant', content: '' } })
  const said = chunk({ delta: { content: 'größer 🦊' } }, { system_fingerprint: 'f', obfuscation: 'xx', usage: null })

  it('§8.5 finds usage beside a finish, in a chunk of its own and in every chunk', () => {
    const counted = { usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, num_cached_tokens: 1 } }
    const beside = said + chunk({ delta: {}, finish_reason: 'stop' }, counted) + done
    const alone = said + finish + chunk({}, { choices: [], ...counted }) + done
    const everywhere =
      chunk({ delta: { content: 'a' } }, { usage: { prompt_tokens: 3 } }) +
      chunk({ delta: {}, finish_reason: 'stop' }, counted) +
      done
    for (const body of [beside, alone, everywhere]) {
      expect(answerOf(body, mistral).usage).toMatchObject({
        promptTokens: 3,
        completionTokens: 2,
        totalTokens: 5,
        cachedTokens: 1,
      })
    }
  })

  it('counts reasoning once, whether the provider counts it in the completion or beside it', () => {
    const countOf = (completion: number, total: number) => {
      const usage = {
        prompt_tokens: 10,
        completion_tokens: completion,
        total_tokens: total,
        completion_tokens_details: { reasoning_tokens: 30 },
      }
      return answerOf(said + finish + chunk({}, { choices: [], usage }) + done, openai).usage
    }
    expect(countOf(37, 47)).toMatchObject({ completionTokens: 37, totalTokens: 47, reasoningTokens: 30 })
    expect(countOf(7, 47)).toMatchObject({ completionTokens: 37, totalTokens: 47, reasoningTokens: 30 })
    // Audio is in the total alone.
    expect(countOf(37, 60)).toMatchObject({ completionTokens: 37, totalTokens: 60, reasoningTokens: 30 })
  })

  it.each([
    [{ prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 } }, { cachedTokens: 4, cacheWriteTokens: 2 }],
    [{ num_cached_tokens: 4 }, { cachedTokens: 4 }],
    [{ prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 }, { cachedTokens: 4 }],
    [{}, { cachedTokens: null }],
  ])('finds what was read from a cache in %j', (counts, expected) => {
    const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17, ...counts }
    const body = said + finish + chunk({}, { choices: [], usage }) + done
    expect(answerOf(body, openai).usage).toMatchObject({ promptTokens: 10, ...expected })
  })

  it('§8.13 a limit is a limit, also in the middle of arguments', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":"b' } }
    for (const word of ['length', 'model_length']) {
      const { choices } = answerOf(
        chunk({ delta: { tool_calls: [call] } }) + chunk({ delta: {}, finish_reason: word }) + done,
      )
      expect(choices).toMatchObject([{ finish: 'length', native: word, calls: [{ arguments: '{"a":"b' }] }])
    }
  })

  it.each<[string, string, string]>([
    [
      'an error line',
      `${said}data: {"error":{"message":"Busy","type":"server_error","code":null}}\n\n${done}`,
      'server_error',
    ],
    [
      'an error with a number after text',
      said + chunk({}, { choices: [], error: { code: 429, message: 'x' } }) + done,
      'server_error',
    ],
    ['an error with a number at first', chunk({}, { choices: [], error: { code: 429, message: 'x' } }), 'rate_limit'],
    ['finish_reason error', said + chunk({ delta: {}, finish_reason: 'error' }) + done, 'server_error'],
    ['an error of a choice', said + chunk({ delta: {}, error: { code: 502, message: 'x' } }) + done, 'server_error'],
    [
      'plain JSON instead of events',
      '{"error":{"message":"No","type":"invalid_request_error","code":400}}',
      'invalid_request',
    ],
    ['a cut before the finish', said, 'truncated'],
    ['a cut before [DONE]', said + finish, 'truncated'],
    ['[DONE] without a finish', said + done, 'truncated'],
    ['an event that is cut', `${said}${finish}data: {"id":"c1","choi`, 'truncated'],
    ['an event that is no JSON', `${said}data: hello\n\n${finish}${done}`, 'malformed'],
    ['JSON that is no chunk', `${said}data: 7\n\n${finish}${done}`, 'malformed'],
    ['a page of HTML', '<!doctype html>\n<html>\n\n<body>Gateway</body></html>\n', 'truncated'],
    ['nothing', '', 'truncated'],
  ])('§8.14 %s is a fault and no clean end', (_, body, errorClass) => {
    for (const { pieces } of cutsOf(body, 2)) {
      const { error, choices } = collect(deltasOf(decodeStream(openai, pieces)))
      expect(error?.class).toBe(errorClass)
      expect(choices.every(choice => choice.finish === null)).toBe(true)
    }
  })

  it('says what broke off, unless all had been said', () => {
    const decoder = openai.createStreamDecoder(testReading())
    decoder.push(Buffer.from(said))
    expect(deltasOf(decoder.breakOff(providerError('timeout')))).toMatchObject([{ error: { class: 'timeout' } }])
    expect(decoder.isOver).toBe(true)
    const whole = openai.createStreamDecoder(testReading())
    whole.push(Buffer.from(said + finish + done))
    expect(whole.breakOff(providerError('network'))).toEqual([])
  })

  it('hands on no event that says nothing', () => {
    const silent = chunk({ delta: {} }) + chunk({ delta: { content: '' } })
    expect(decodeStream(openai, [Buffer.from(silent + said + silent + finish + done + silent)])).toHaveLength(3)
  })

  it('keeps one finish of two, and hears nothing after the last word', () => {
    const { choices } = answerOf(
      said + finish + chunk({ delta: { content: '' }, finish_reason: 'stop' }, { usage: {} }) + done + said,
    )
    expect(choices).toMatchObject([{ text: 'größer 🦊', finish: 'stop' }])
  })

  it('§8.1 numbers calls in the order in which they begin, whatever index they bear', () => {
    const call = (index: number | undefined, id: string) => ({
      index,
      id,
      type: 'function',
      function: { name: id, arguments: '{}' },
    })
    for (const indexes of [
      [0, 0],
      [3, 7],
      [undefined, undefined],
    ]) {
      const body = indexes.map((index, at) => chunk({ delta: { tool_calls: [call(index, `c${at}`)] } })).join('')
      const { choices } = answerOf(body + finish + done)
      expect(choices[0]?.calls.map(({ id }) => id)).toEqual(['c0', 'c1'])
    }
  })

  it('makes an id for a call that has none', () => {
    const body =
      chunk({ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] } }) + finish + done
    expect(answerOf(body).choices[0]?.calls).toMatchObject([{ id: expect.stringMatching(/^call_\d{24}$/) }])
  })

  it('tells calls without ids and indexes of their own apart by their names, once arguments are whole', () => {
    const calls = (...pieces: [name: string | undefined, args: string][]) => {
      const chunks = pieces.map(([name, args]) =>
        chunk({ delta: { tool_calls: [{ index: 0, function: { name, arguments: args } }] } }),
      )
      const called = answerOf(chunks.join('') + finish + done).choices[0]?.calls ?? []
      return called.map(one => [one.name, one.arguments])
    }
    const two = [
      ['f', '{}'],
      ['g', '{"x":1}'],
    ]
    expect(calls(['f', '{}'], ['g', '{"x":1}'])).toEqual(two)
    expect(calls(['f', '{'], [undefined, '}'], ['g', ''], [undefined, '{"x":'], [undefined, '1}'])).toEqual(two)
    expect(calls(['f', '{"a":"}\\"'], ['f', '{"}'], ['f', '{}'])).toEqual([
      ['f', '{"a":"}\\"{"}'],
      ['f', '{}'],
    ])
    // Some repeat the name with every piece, also with the empty one at the end.
    expect(calls(['g', ''], ['g', '{"x"'], ['g', ':1}'], ['g', ''])).toEqual([['g', '{"x":1}']])
  })

  it('reads reasoning under each of its names', () => {
    const pieces = [
      { reasoning: 'a' },
      { reasoning_content: 'b' },
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'c' }] },
          { type: 'text', text: 'said' },
        ],
      },
      {
        reasoning: 'd',
        reasoning_details: [
          { type: 'reasoning.text', text: 'd' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      },
    ]
    const { choices } = answerOf(pieces.map(delta => chunk({ delta })).join('') + finish + done)
    expect(choices).toMatchObject([{ text: 'said', reasoning: 'abcd', details: [{ text: 'd' }, { data: 'x' }] }])
  })

  describe('that may go on as they came', () => {
    const passed = (body: string) =>
      decodeStream(openai, [Buffer.from(body)]).map(({ raw }) => raw && Buffer.from(raw).toString())

    it('are those that carry on a choice', () => {
      expect(passed(begin + said + said + finish + done)).toEqual([null, null, said, null])
    })

    it('are none of a choice that has only been finished: its first words come with the role', () => {
      expect(passed(begin + finish + said + said + done)).toEqual([null, null, said, null])
    })

    it.each<[string, string]>([
      ['say the role again', chunk({ delta: { role: 'assistant', content: 'a' } })],
      ['have unknown fields', chunk({ delta: { content: 'a' } }, { p: 'abc' })],
      ['have another id', chunk({ delta: { content: 'a' } }, { id: 'c2' })],
      ['have another time', chunk({ delta: { content: 'a' } }, { created: 6 })],
      ['have another model', chunk({ delta: { content: 'a' } }, { model: 'n' })],
      ['call themselves otherwise', chunk({ delta: { content: 'a' } }, { object: 'chunk' })],
      ['reason', chunk({ delta: { reasoning: 'a' } })],
      [
        'begin another choice',
        chunk({ index: 1, delta: { content: 'a' } }) + chunk({ index: 1, delta: {}, finish_reason: 'stop' }),
      ],
      ['finish', chunk({ delta: { content: 'a' }, finish_reason: 'stop' })],
      ['count', chunk({ delta: { content: 'a' } }, { usage: { prompt_tokens: 1 } })],
      [
        'number calls otherwise',
        chunk({
          delta: { tool_calls: [{ index: 4, id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        }),
      ],
    ])('are none that %s', (_, event) => {
      const raws = passed(said + said + event + finish + done)
      expect(raws.filter(raw => raw !== null)).toEqual([said])
    })

    it('come the same with what is rendered, for every cut', () => {
      const call = (piece: JsonObject) => chunk({ delta: { tool_calls: [{ index: 0, ...piece }] } })
      const start = call({ id: 'x', type: 'function', function: { name: 'f', arguments: '' } })
      const more = call({ function: { arguments: '{"ü":1}' } })
      const raws = passed(begin + said + start + more + finish + done)
      expect(raws).toEqual([null, null, start, more, null])
      for (const again of [{ id: 'x' }, { type: 'function' }, { id: '', function: { name: null } }]) {
        const piece = call({ ...again, function: { ...again.function, arguments: '{}' } })
        expect(passed(begin + said + start + piece + finish + done)).toEqual([null, null, start, null, null])
      }
    })

    it('are none before the answer has a name, which is that of all', () => {
      const ahead = chunk({}, { id: '', created: 0, model: '', object: '', choices: [] })
      const events = decodeStream(openai, [Buffer.from(ahead + begin + said + said + finish + done)])
      expect(events.flatMap(({ deltas }) => deltas)[0]).toEqual({
        type: 'origin',
        id: 'c1',
        model: 'm',
        createdSeconds: 5,
      })
      expect(events.map(({ raw }) => raw !== null)).toEqual([false, false, true, false])
    })

    it('are none of an answer that began without a name, whatever it is called later', () => {
      const ahead = chunk({ delta: { content: 'a' } }, { id: '' })
      const events = decodeStream(openai, [Buffer.from(ahead + said + said + finish + done)])
      expect(events.flatMap(({ deltas }) => deltas).filter(({ type }) => type === 'origin')).toEqual([])
      expect(events.map(({ raw }) => raw)).toEqual([null, null, null, null])
    })
  })
})

describe('plain answers', () => {
  const answer = (choice: JsonObject, others: JsonObject = {}) =>
    Buffer.from(
      JSON.stringify({
        id: 'c1',
        object: 'chat.completion',
        created: 5,
        model: 'm',
        usage: { prompt_tokens: 1 },
        choices: [{ index: 0, finish_reason: 'stop', logprobs: null, ...choice }],
        ...others,
      }),
    )

  const textOf = (raw: Uint8Array | null) => (raw === null ? null : Buffer.from(raw).toString())

  it('pass as they came where nothing has to change, but for the word of the provider', () => {
    // A text that looks like a field, beyond ASCII, and two choices in a hand of its own.
    const content = '{"finish_reason":"stop"} \u00e9\u{1f600}'
    const message = { role: 'assistant', content, refusal: null, annotations: [] }
    const two = [0, 1].map(index => ({
      index,
      message,
      logprobs: null,
      finish_reason: index === 0 ? 'stop' : 'length',
    }))
    for (const spaces of [0, 2]) {
      const body = JSON.stringify(JSON.parse(answer({}, { choices: two }).toString()), null, spaces)
      const raw = textOf(openai.decodeAnswer(Buffer.from(body), testReading()).raw)
      expect(raw?.replace(/,"native_finish_reason":"(stop|length)"/g, '')).toBe(body)
      const { choices } = JSON.parse(raw ?? '')
      expect(choices).toEqual(two.map(choice => ({ ...choice, native_finish_reason: choice.finish_reason })))
    }
  })

  it('are written anew where something has to change', () => {
    const changed = [
      answer({ message: { role: 'assistant', content: 'a', reasoning: 'r' } }),
      answer({ message: { role: 'assistant', content: [{ type: 'text', text: 'a' }] } }),
      answer({
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
        },
      }),
      answer({ message: { role: 'assistant', content: 'a' } }),
      answer({ message: { role: 'assistant', content: 'a', refusal: null }, finish_reason: 'eos' }),
      answer({ message: { role: 'assistant', content: 'a', refusal: null } }, { provider: 'x' }),
      answer({ message: { role: 'assistant', content: 'a', refusal: null } }, { usage: undefined }),
    ]
    for (const body of changed) {
      const { raw, deltas } = openai.decodeAnswer(body, testReading())
      expect(raw).toBe(null)
      expect(collect(deltas).choices[0]?.finish).toBe('stop')
    }
  })

  it.each<[string, Uint8Array, string]>([
    ['HTML', Buffer.from('<html></html>'), 'malformed'],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed'],
    ['JSON that is no answer', Buffer.from('{"ok":true}'), 'malformed'],
    ['no choices', answer({}, { choices: [] }), 'truncated'],
    ['no finish', answer({ message: { role: 'assistant', content: 'a' }, finish_reason: null }), 'truncated'],
    ['an error with 200', Buffer.from('{"error":{"code":402,"message":"Pay"}}'), 'quota'],
  ])('%s is a fault', (_, body, errorClass) => {
    const { deltas, raw } = openai.decodeAnswer(body, testReading())
    expect(raw).toBe(null)
    expect(collect(deltas).error?.class).toBe(errorClass)
  })
})

describe('refusals', () => {
  const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    openai.readError({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body), now: 1_000_000 })

  it.each<[string, number, unknown, string]>([
    ['a bad key', 401, { error: { message: 'Incorrect', code: 'invalid_api_key' } }, 'auth'],
    ['a key without permission', 403, {}, 'auth'],
    ['no credits', 402, {}, 'quota'],
    ['no quota', 429, { error: { message: 'x', type: 'insufficient_quota' } }, 'quota'],
    ['too fast', 429, { error: { message: 'x', code: 'rate_limit_exceeded' } }, 'rate_limit'],
    ['no such model', 404, { error: { message: 'x' } }, 'model_not_found'],
    [
      'no such model, Mistral',
      400,
      { object: 'error', type: 'invalid_model', code: '1500', message: 'x' },
      'model_not_found',
    ],
    [
      'no such model, OpenRouter',
      400,
      { error: { code: 400, message: 'x is not a valid model ID' } },
      'model_not_found',
    ],
    ['too long', 400, { error: { message: 'x', code: 'context_length_exceeded' } }, 'context_overflow'],
    [
      'too long, in words',
      400,
      { error: { code: 400, message: "This endpoint's maximum context length is 8192 tokens." } },
      'context_overflow',
    ],
    [
      'too long, Mistral',
      400,
      { message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' },
      'context_overflow',
    ],
    [
      'too long for the provider behind this one',
      400,
      {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: {
            raw: '{"type":"error","error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}',
          },
        },
      },
      'context_overflow',
    ],
    ['filtered', 400, { error: { message: 'x', code: 'content_filter' } }, 'content_filter'],
    ['anything else', 400, { error: { message: 'x' } }, 'invalid_request'],
    ['too large', 413, 'nope', 'invalid_request'],
    ['a fault of theirs', 500, 'oops', 'server_error'],
    ['a bad gateway', 502, '<html>', 'server_error'],
    ['overload', 503, '', 'overloaded'],
    ['overload by another number', 529, '', 'overloaded'],
  ])('%s', (_, status, body, errorClass) => {
    expect(read(status, body)).toMatchObject({ class: errorClass, status })
  })

  it('names field and words, scrubbed', () => {
    const error = { message: "Bad 'temperature' for org-abc123DEF", param: 'temperature' }
    expect(read(400, { error })).toMatchObject({ message: "Bad 'temperature' for [id]", param: 'temperature' })
    const detail = [
      { type: 'extra_forbidden', loc: ['body', 'messages', 0, 'name'], msg: 'Extra inputs are not permitted' },
    ]
    const expected = { message: 'messages.0.name: Extra inputs are not permitted', param: 'messages.0.name' }
    expect(read(422, { object: 'error', message: { detail }, code: null })).toMatchObject(expected)
    expect(read(422, { detail })).toMatchObject(expected)
    expect(read(401, { detail: 'Invalid API Key' }).message).toBe('Invalid API Key')
    expect(read(503, '<html>secret</html>').message).toBe(null)
  })

  it.each<[Record<string, string>, unknown, number | null]>([
    [{ 'retry-after-ms': '1574', 'retry-after': '9' }, {}, 2],
    [{ 'retry-after': '3' }, {}, 3],
    [{ 'retry-after': '0' }, {}, 1],
    [{ 'retry-after': new Date(1_009_500).toUTCString() }, {}, 9],
    [{ 'retry-after': 'soon' }, {}, null],
    [{ 'x-ratelimit-reset': '1754667660000' }, {}, 1754666660],
    [{ 'x-ratelimit-reset': '12' }, {}, null],
    [{}, { error: { message: 'x', metadata: { headers: { 'X-RateLimit-Reset': '1754667660000' } } } }, 1754666660],
    [{}, {}, null],
  ])('waits %j %j', (headers, body, seconds) => {
    expect(read(429, body, headers).retryAfterSeconds).toBe(seconds)
  })
})
