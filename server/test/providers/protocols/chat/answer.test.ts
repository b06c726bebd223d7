// Tests how answers in the format of Chat Completions are read, streamed and plain.
import { describe, expect, it } from 'vitest'
import { providerError } from '../../../../src/domain/conversation/provider-error.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { cutsOf } from '../cuts.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading } from '../protocol-suite.ts'
import { mistral, openai } from './chat-stage.ts'

function chunk(choice: JsonObject, others: JsonObject = {}): string {
  const choices = [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 5, model: 'm', choices, ...others })}\n\n`
}

function answerOf(body: string, protocol = openai) {
  return collect(deltasOf(decodeStream(protocol, [Buffer.from(body)])))
}

const finish = chunk({ delta: {}, finish_reason: 'stop' })
const done = 'data: [DONE]\n\n'

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
