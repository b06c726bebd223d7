// Tests how answers are written as Anthropic's messages: the grammar of the events for any sequence of deltas, and the
// same content whole and streamed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Delta, Usage } from '../../../src/domain/conversation/answer.ts'
import { redactedThinking, signedThinking } from '../../../src/domain/conversation/claude-reasoning.ts'
import { writeJson } from '../../../src/domain/json/json-text.ts'
import { MessageEvents, renderMessage } from '../../../src/surfaces/messages/message-events.ts'
import { eventText } from '../../../src/surfaces/messages/replies.ts'
import { expectLinear } from '../../support/slowness.ts'
import { grammarOf, messageOf, type ReadMessage } from './messages-stream.ts'

const rendered = (deltas: readonly Delta[]): ReadMessage => JSON.parse(writeJson(renderMessage(identity, deltas)))

const identity = { id: 'msg_1', model: 'openai/gpt-4o-mini' }
const usage: Usage = {
  promptTokens: 100,
  completionTokens: 7,
  totalTokens: 107,
  cachedTokens: 60,
  cacheWriteTokens: 30,
  reasoningTokens: 3,
}

const text = (said: string): Delta => ({ type: 'text', choice: 0, text: said })
const thought = (said: string): Delta => ({ type: 'reasoning', choice: 0, text: said })
const call = (at: number, args = ''): Delta => ({
  type: 'tool_call',
  choice: 0,
  call: at,
  id: `call_${at}`,
  name: `tool_${at}`,
  arguments: args,
})
const args = (at: number, said: string): Delta => ({ type: 'tool_arguments', choice: 0, call: at, text: said })
const signed = (said: string, signature = 'c2ln'): Delta => ({
  type: 'reasoning',
  choice: 0,
  text: '',
  detail: signedThinking({ text: said, signature }, 0),
})
const finish = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter', native: string | null = null): Delta => ({
  type: 'finish',
  choice: 0,
  reason,
  native,
})

function streamed(deltas: readonly Delta[]): ReadMessage {
  const writer = new MessageEvents(identity)
  const events = [...deltas.flatMap(delta => writer.write(delta)), ...writer.end()]
  return messageOf(grammarOf(events.map(eventText).join('')))
}

/** Whole and streamed, which must be the same. */
function written(deltas: readonly Delta[]): ReadMessage {
  const whole = rendered(deltas)
  const { usage: counted, ...read } = streamed(deltas)
  expect(counted).toMatchObject(whole.usage)
  expect(read).toEqual({ ...whole, usage: undefined } satisfies object as unknown)
  return whole
}

describe('a message', () => {
  it('names what the provider names, and gets an id of its own kind', () => {
    const origin = (id: string): Delta => ({ type: 'origin', id, model: 'claude-x', createdSeconds: null })
    expect(written([origin('msg_9'), text('Hi'), finish('stop')])).toMatchObject({ id: 'msg_9', model: 'claude-x' })
    expect(written([origin('chatcmpl-9'), text('Hi'), finish('stop')])).toMatchObject({ id: 'msg_1' })
    expect(written([text('Hi'), finish('stop')])).toMatchObject(identity)
  })

  it('counts input without what was cached', () => {
    expect(written([text('Hi'), finish('stop'), { type: 'usage', usage }]).usage).toEqual({
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 3 },
    })
  })

  it.each([
    ['end_turn', [text('a'), finish('stop', 'stop')]],
    ['max_tokens', [text('a'), finish('length')]],
    ['tool_use', [call(0, '{}'), finish('tool_calls')]],
    ['tool_use', [call(0, '{}'), finish('stop', 'stop')]],
    ['refusal', [text('a'), finish('content_filter', 'SAFETY')]],
    ['pause_turn', [text('a'), finish('stop', 'pause_turn')]],
    ['model_context_window_exceeded', [text('a'), finish('length', 'model_context_window_exceeded')]],
    ['refusal', [{ type: 'refusal', choice: 0, text: 'No.' } as Delta, finish('stop', 'stop')]],
  ] as const)('stops with %s', (reason, deltas) => {
    expect(written(deltas).stop_reason).toBe(reason)
  })

  it('names the stop sequence', () => {
    const stop: Delta = { type: 'finish', choice: 0, reason: 'stop', native: 'stop_sequence', stopSequence: 'END' }
    expect(written([text('a'), stop])).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  })

  it('shows a refusal as text', () => {
    expect(written([{ type: 'refusal', choice: 0, text: 'No.' }, finish('stop')]).content).toEqual([
      { type: 'text', text: 'No.' },
    ])
  })

  it('keeps thinking with its signature, also without a text', () => {
    expect(written([thought('Hm'), thought('m'), signed('Hmm'), text('Hi'), finish('stop')]).content).toEqual([
      { type: 'thinking', thinking: 'Hmm', signature: 'c2ln' },
      { type: 'text', text: 'Hi' },
    ])
    expect(written([signed(''), text('Hi'), finish('stop')]).content[0]).toEqual({
      type: 'thinking',
      thinking: '',
      signature: 'c2ln',
    })
  })

  it('leaves the signature out if the client gets other words than were signed', () => {
    const deltas = [thought('Write to zoe@example.com'), signed('Write to <EMAIL_1>'), text('Hi'), finish('stop')]
    expect(written(deltas).content[0]).toEqual({
      type: 'thinking',
      thinking: 'Write to zoe@example.com',
      signature: '',
    })
  })

  it('joins the pieces of a signed detail', () => {
    const piece = (said: string | null, signature: string | null): Delta => ({
      type: 'reasoning',
      choice: 0,
      text: said ?? '',
      detail: { type: 'reasoning.text', text: said, signature, format: 'anthropic-claude-v1', index: 0 },
    })
    const deltas = [piece('Hm', null), piece('m', null), piece(null, 'c2ln'), text('Hi'), finish('stop')]
    expect(written(deltas).content[0]).toEqual({ type: 'thinking', thinking: 'Hmm', signature: 'c2ln' })
  })

  it('keeps thinking that nobody can read, and separate blocks of thinking', () => {
    const redacted: Delta = { type: 'reasoning', choice: 0, text: '', detail: redactedThinking('ZGF0YQ==', 0) }
    const deltas = [redacted, thought('a'), signed('a'), thought('b'), signed('b', 'bmV4dA=='), finish('stop')]
    expect(written(deltas).content).toEqual([
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'thinking', thinking: 'a', signature: 'c2ln' },
      { type: 'thinking', thinking: 'b', signature: 'bmV4dA==' },
    ])
  })

  it("keeps whole blocks of the provider's own tools, and citations in their text", () => {
    const native = (value: { type: string; [field: string]: unknown }): Delta => ({
      type: 'native',
      choice: 0,
      format: 'messages',
      value,
    })
    const use = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
    const citation = { type: 'char_location', cited_text: 'x' }
    const deltas = [text('a'), native(use), text('b'), native({ type: 'citations_delta', citation }), finish('stop')]
    expect(written(deltas).content).toEqual([
      { type: 'text', text: 'a' },
      use,
      { type: 'text', text: 'b', citations: [citation] },
    ])
    const foreign: Delta = { type: 'native', choice: 0, format: 'responses', value: { type: 'web_search_call' } }
    expect(written([foreign, finish('stop')]).content).toEqual([])
  })

  it('leaves other choices and unknown fields out', () => {
    const deltas: Delta[] = [
      { type: 'text', choice: 1, text: 'other' },
      { type: 'fields', choice: 0, fields: { annotations: [] } },
      text('Hi'),
      finish('stop'),
    ]
    expect(written(deltas).content).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('has many calls side by side, in proportion to their number', () => {
    expectLinear(size => {
      const each = (make: (at: number) => Delta) => Array.from({ length: size }, (_, at) => make(at))
      const deltas = [...each(at => call(at)), ...each(at => args(at, '{"a":')), ...each(at => args(at, '1}'))]
      return () => {
        const writer = new MessageEvents(identity)
        for (const delta of deltas) writer.write(delta)
        expect(writer.end().length).toBeGreaterThan(0)
      }
    })
  })

  it('has calls in order, even if their arguments arrive side by side', () => {
    const deltas = [
      call(0),
      call(1),
      args(0, '{"a"'),
      args(1, '{"b":'),
      args(0, ':1}'),
      args(1, '2}'),
      call(2),
      args(2, '{}'),
      finish('tool_calls'),
    ]
    expect(written(deltas).content.map(({ input }) => input)).toEqual([{ a: 1 }, { b: 2 }, {}])
  })

  it('has a call whose arguments were cut off', () => {
    const deltas = [text('a'), call(0), args(0, '{"a":'), call(1), args(1, '{"b":2}'), finish('length')]
    expect(rendered(deltas).content.map(({ input }) => input)).toEqual([undefined, {}, { b: 2 }])
  })

  it('is always grammatical and complete', () => {
    const piece = fc.oneof(
      fc.string({ minLength: 1 }).map(text),
      fc.string({ minLength: 1 }).map(thought),
      fc.constant(signed('x')),
    )
    const callsOf = fc.array(fc.jsonValue(), { maxLength: 4 }).chain(values =>
      fc
        .tuple(
          ...values.map((value, at) =>
            fc.nat().map(place => {
              const json = JSON.stringify({ value })
              const border = place % (json.length + 1)
              return { at, pieces: [json.slice(0, border), json.slice(border)], json }
            }),
          ),
        )
        .chain(calls => fc.tuple(fc.constant(calls), fc.array(fc.nat(), { maxLength: 20 }))),
    )
    fc.assert(
      fc.property(fc.array(piece), callsOf, fc.array(piece), (before, [calls, picks], after) => {
        const queues = calls.map(({ at, pieces }) => [call(at), ...pieces.map(one => args(at, one))])
        const woven: Delta[] = []
        const texts = [...after]
        for (let step = 0; queues.some(queue => queue.length > 0); step++) {
          const open = queues.filter(queue => queue.length > 0)
          const next = open[(picks[step % Math.max(1, picks.length)] ?? 0) % open.length]?.shift()
          if (next !== undefined) woven.push(next)
          if (step % 3 === 0 && texts.length > 0) woven.push(texts.pop() as Delta)
        }
        const deltas = [...before, ...woven, ...texts, finish('stop')]
        const { content } = streamed(deltas)
        const said = (type: 'text' | 'reasoning') =>
          deltas.flatMap(delta => (delta.type === type ? [delta.text] : [])).join('')
        const got = (type: string, field: string) =>
          content.flatMap(block => (block.type === type ? [block[field]] : [])).join('')
        expect(got('text', 'text')).toBe(said('text'))
        expect(got('thinking', 'thinking')).toBe(said('reasoning'))
        const inputs = new Map(
          content.flatMap(block => (block.type === 'tool_use' ? [[block['id'], block['input']]] : [])),
        )
        for (const { at, json } of calls) expect(inputs.get(`call_${at}`)).toEqual(JSON.parse(json))
      }),
    )
  })
})
