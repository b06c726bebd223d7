// Deltas as chunks of a stream and as one object: what OpenAI's clients rely on.

import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../src/domain/conversation/answer.ts'
import { providerError } from '../../../src/domain/conversation/provider-error.ts'
import { writeJson } from '../../../src/domain/json/json-text.ts'
import { createChunkWriter, renderCompletion } from '../../../src/surfaces/chat-completions/completion-chunks.ts'
import { expectLinear } from '../../support/slowness.ts'

const identity = { id: 'chatcmpl-1', createdSeconds: 1000, model: 'm' }
const origin: Delta = { type: 'origin', id: 'gen-9', model: 'm-2026', createdSeconds: 2000 }
const usage = { promptTokens: 9, completionTokens: 4, totalTokens: 13, cachedTokens: 5, reasoningTokens: 2 }
const token = (text: string) => ({ token: text, logprob: -0.1, bytes: null, top_logprobs: [] })
const deltas: Delta[] = [
  { type: 'reasoning', choice: 0, text: 'Hm', detail: { type: 'reasoning.text', text: 'Hm', signature: 's' } },
  { type: 'text', choice: 0, text: 'He', logprobs: { content: [token('He')], refusal: null } },
  { type: 'text', choice: 0, text: 'y', logprobs: { content: [token('y')], refusal: null } },
  { type: 'tool_call', choice: 0, call: 0, id: 'call_a', name: 'f', arguments: '', signature: 'sig' },
  { type: 'tool_arguments', choice: 0, call: 0, text: '{"a":' },
  { type: 'tool_call', choice: 0, call: 1, id: 'call_b', name: 'g', arguments: '{}' },
  { type: 'tool_arguments', choice: 0, call: 0, text: '1}' },
  { type: 'refusal', choice: 1, text: 'No.' },
  { type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_use' },
  { type: 'finish', choice: 1, reason: 'stop', native: 'stop' },
  { type: 'usage', usage },
]

const written = (given: Delta[]) => JSON.parse(writeJson(renderCompletion(identity, given)))

interface Chunk {
  id: string
  object: string
  created: number
  model: string
  choices: { index: number; delta: Record<string, unknown>; logprobs: unknown; finish_reason: string | null }[]
  usage?: unknown
}

function chunksOf(given: readonly Delta[], includeUsage = true): Chunk[] {
  const writer = createChunkWriter(identity, { includeUsage })
  return given.flatMap(delta => writer.write(delta) as unknown as Chunk[])
}

describe('a stream', () => {
  const chunks = chunksOf(deltas)
  const pieces = chunks.flatMap(({ choices }) => choices)

  it('§8.12 begins each choice with its role, once', () => {
    expect(pieces.filter(({ delta }) => 'role' in delta)).toMatchObject([
      { index: 0, delta: { role: 'assistant', content: '' } },
      { index: 1, delta: { role: 'assistant', content: '' } },
    ])
    expect(pieces[0]).toMatchObject({ index: 0, delta: { role: 'assistant' } })
    expect(pieces.find(({ index }) => index === 1)?.delta).toHaveProperty('role')
  })

  it('keeps id, model and time constant, by the name that the provider gives', () => {
    for (const given of [deltas, [origin, ...deltas]]) {
      const names = chunksOf(given).map(({ id, object, created, model }) => ({ id, object, created, model }))
      const isNamed = given[0] === origin
      for (const name of names) {
        expect(name).toEqual({
          id: isNamed ? 'gen-9' : 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: isNamed ? 2000 : 1000,
          model: isNamed ? 'm-2026' : 'm',
        })
      }
    }
  })

  it('names a call once and numbers its pieces', () => {
    const calls = pieces.flatMap(({ delta }) => delta['tool_calls'] ?? [])
    expect(calls).toEqual([
      {
        index: 0,
        id: 'call_a',
        type: 'function',
        function: { name: 'f', arguments: '' },
        extra_content: { google: { thought_signature: 'sig' } },
      },
      { index: 0, function: { arguments: '{"a":' } },
      { index: 1, id: 'call_b', type: 'function', function: { name: 'g', arguments: '{}' } },
      { index: 0, function: { arguments: '1}' } },
    ])
  })

  it('finishes each choice once, in a chunk of its own', () => {
    const finishes = pieces.filter(({ finish_reason }) => finish_reason !== null)
    expect(finishes).toMatchObject([
      { index: 0, delta: {}, finish_reason: 'tool_calls', native_finish_reason: 'tool_use' },
      { index: 1, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' },
    ])
    expect(pieces.every(piece => 'finish_reason' in piece && 'logprobs' in piece)).toBe(true)
  })

  it('§8.4 says usage in a last chunk without choices, and only to those who ask', () => {
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 9, total_tokens: 13 } })
    const others = chunksOf(deltas, false)
    expect(others).toHaveLength(chunks.length - 1)
    expect(others.some(chunk => 'usage' in chunk)).toBe(false)
  })

  it('has reasoning, its details and logprobs beside the text', () => {
    expect(pieces[1]?.delta).toEqual({
      reasoning_content: 'Hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's' }],
    })
    expect(pieces[2]).toMatchObject({ delta: { content: 'He' }, logprobs: { content: [{ token: 'He' }] } })
  })

  it('says no role again for a choice whose beginning went on as it came', () => {
    const writer = createChunkWriter(identity, { includeUsage: false })
    writer.notePassed([{ type: 'text', choice: 0, text: 'a' }])
    expect(writer.write({ type: 'text', choice: 0, text: 'b' })).toHaveLength(1)
  })

  it('has no chunk for a fault', () => {
    expect(chunksOf([{ type: 'error', error: providerError('truncated') }])).toEqual([])
  })
})

describe('one object', () => {
  it('says the same', () => {
    expect(written([origin, ...deltas])).toEqual({
      id: 'gen-9',
      object: 'chat.completion',
      created: 2000,
      model: 'm-2026',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hey',
            refusal: null,
            reasoning_content: 'Hm',
            reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 's' }],
            tool_calls: [
              {
                id: 'call_a',
                type: 'function',
                function: { name: 'f', arguments: '{"a":1}' },
                extra_content: { google: { thought_signature: 'sig' } },
              },
              { id: 'call_b', type: 'function', function: { name: 'g', arguments: '{}' } },
            ],
          },
          logprobs: { content: [token('He'), token('y')], refusal: null },
          finish_reason: 'tool_calls',
          native_finish_reason: 'tool_use',
        },
        {
          index: 1,
          message: { role: 'assistant', content: null, refusal: 'No.' },
          logprobs: null,
          finish_reason: 'stop',
          native_finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 4,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  })

  it('is an empty text where nothing was said, and null beside calls', () => {
    const finish: Delta = { type: 'finish', choice: 0, reason: 'stop', native: null }
    const content = (given: Delta[]) => renderCompletion(identity, given)['choices']
    expect(content([finish])).toMatchObject([{ message: { content: '', refusal: null } }])
    const call: Delta = { type: 'tool_call', choice: 0, call: 0, id: 'a', name: 'f', arguments: '{}' }
    expect(content([call, finish])).toMatchObject([{ message: { content: null } }])
  })
})

it('joins the log probabilities of many pieces in proportion to their number, and leaves the pieces as they are', () => {
  expectLinear(size => {
    const piece = (): Delta => ({
      type: 'text',
      choice: 0,
      text: 'a',
      logprobs: { content: [token('a')], refusal: null },
    })
    const many = Array.from({ length: size }, piece)
    return () => {
      const { choices } = written(many) as { choices: { logprobs: { content: unknown[] } }[] }
      expect(choices[0]?.logprobs.content).toHaveLength(size)
      expect(many[0]).toEqual(piece())
    }
  })
})
