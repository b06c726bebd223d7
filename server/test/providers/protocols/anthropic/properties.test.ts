// What holds for any prompt and any answer in Anthropic's format: the rules of its turns, and answers that no cut
// changes.

import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { collect } from '../fixtures.ts'
import { decodeStream, deltasOf, testReading, testTarget } from '../protocol-suite.ts'

const runs = { numRuns: inject('prove') ? 5_000 : 300 }

const text = fc.constantFrom('', ' ', 'word', '你好 🦊', '\n')
const id = fc.constantFrom('a', 'b', 'toolu_1', 'no:good id', 'ü')
const call = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: fc.constantFrom('f', 'g'), arguments: fc.constantFrom('', '{}', '{"x":1}') }),
})
const detail = fc.record({
  type: fc.constantFrom('reasoning.text', 'reasoning.encrypted', 'reasoning.summary'),
  text: fc.constantFrom('Hm', null),
  data: fc.constantFrom('secret', null),
  signature: fc.constantFrom('sig', null),
  format: fc.constantFrom('anthropic-claude-v1', 'google-gemini-v1'),
  index: fc.nat(3),
})
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text),
    tool_calls: fc.array(call, { maxLength: 3 }),
    reasoning_details: fc.array(detail, { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content: text }),
)
const request = fc.record({
  messages: fc
    .array(message, { minLength: 1, maxLength: 12 })
    .map(list => [...list, { role: 'user', content: 'Now?' }]),
  reasoning_effort: fc.constantFrom(undefined, 'none', 'low', 'high'),
  tool_choice: fc.constantFrom(undefined, 'auto', 'none', 'required'),
  tools: fc.constantFrom(undefined, [{ type: 'function', function: { name: 'f' } }]),
})
const model = fc.constantFrom(
  'claude-3-5-haiku',
  'claude-sonnet-4-5',
  'claude-opus-4-6',
  'claude-opus-4-8',
  'claude-sonnet-5',
  'claude-opus-5-5',
)

interface Turn {
  role: string
  content: (JsonObject & { type: string })[]
}

it('any prompt is written as turns that the provider takes', () => {
  fc.assert(
    fc.property(request, model, (body, name) => {
      const { prompt } = readCompletionRequest(JSON.parse(JSON.stringify(body)))
      const rendered = anthropic.render(prompt, testTarget({ model: name, facts: unknownModelFacts })).body
      const turns = rendered['messages'] as Turn[]
      expectAlternation(turns)
      expectPairs(turns)
      for (const { content } of turns) {
        expect(content.length).toBeGreaterThan(0)
        for (const block of content) if (block.type === 'text') expect(block['text']).toMatch(/\S/)
      }
      expectThinkingInPlace(turns, rendered)
    }),
    runs,
  )
})

function expectAlternation(turns: readonly Turn[]): void {
  expect(turns[0]?.role).toBe('user')
  expect(turns.at(-1)?.role).not.toBe('assistant')
  for (const [index, { role }] of turns.entries()) {
    const [before, after] = [turns[index - 1]?.role, turns[index + 1]?.role]
    expect(role).not.toBe(before)
    if (role === 'system') expect([before, after ?? 'assistant']).toEqual(['user', 'assistant'])
  }
}

function expectPairs(turns: readonly Turn[]): void {
  const ids = turns.flatMap(({ content }) => content.flatMap(block => (block.type === 'tool_use' ? [block['id']] : [])))
  expect(new Set(ids).size).toBe(ids.length)
  for (const [index, turn] of turns.entries()) {
    const calls = turn.content.filter(({ type }) => type === 'tool_use').map(block => block['id'])
    const next = turns[index + 1]?.content ?? []
    expect(
      next
        .slice(0, calls.length)
        .map(block => block['tool_use_id'])
        .sort(),
    ).toEqual(calls.sort())
    expect(next.slice(calls.length).filter(({ type }) => type === 'tool_result')).toEqual([])
  }
  expect(turns[0]?.content.filter(({ type }) => type === 'tool_result')).toEqual([])
}

/**
 * Where tokens are set aside for thoughts, the last chain of calls begins with some; elsewhere none stand without need.
 */
function expectThinkingInPlace(turns: readonly Turn[], { thinking, temperature }: JsonObject): void {
  const mode = (thinking as { type: string } | undefined)?.type
  if (mode === 'disabled') {
    expect(turns.flatMap(({ content }) => content.filter(({ type }) => type.includes('thinking')))).toEqual([])
  }
  if (mode !== undefined) expect(temperature).toBeUndefined()
  if (mode !== 'enabled') return
  let first: Turn | undefined
  for (let at = turns.length - 1; turns[at]?.content[0]?.type === 'tool_result'; at -= 2) first = turns[at - 1]
  if (first !== undefined) expect(first.content[0]?.type).toMatch(/thinking$/)
}

const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), pieces: fc.array(fc.string({ unit: 'binary' })) }),
  fc.record({ type: fc.constant('thinking' as const), pieces: fc.array(fc.string({ unit: 'grapheme' })) }),
  fc.record({
    type: fc.constant('tool_use' as const),
    pieces: fc
      .dictionary(fc.string(), fc.string({ unit: 'binary' }))
      .map(input => JSON.stringify(input).match(/.{1,5}/gsu) ?? []),
  }),
)

it('any answer is read whole, whatever the cuts and line ends', () => {
  const bodies = fc.tuple(fc.array(block, { maxLength: 5 }), fc.constantFrom('\n', '\r\n', '\r'))
  fc.assert(
    fc.property(bodies, fc.infiniteStream(fc.integer({ min: 1, max: 40 })), ([blocks, lineEnd], lengths) => {
      const bytes = Buffer.from(
        eventsOf(blocks)
          .map(event => `data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`)
          .join(''),
      )
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes.length; ) {
        const length = lengths.next().value ?? 1
        pieces.push(Uint8Array.from(bytes.subarray(at, at + length)))
        at += length
      }
      const { choices, error } = collect(deltasOf(decodeStream(anthropic, pieces, testReading())))
      const all = (type: string) => blocks.filter(item => item.type === type).map(item => item.pieces.join(''))
      expect(error).toBeNull()
      expect(choices[0]?.text ?? '').toBe(all('text').join('').toWellFormed())
      expect(choices[0]?.reasoning ?? '').toBe(all('thinking').join(''))
      expect(choices[0]?.calls.map(({ arguments: written }) => JSON.parse(written))).toEqual(
        all('tool_use').map(written => JSON.parse(written)),
      )
    }),
    runs,
  )
})

function eventsOf(blocks: readonly { type: 'text' | 'thinking' | 'tool_use'; pieces: string[] }[]): JsonObject[] {
  const fields = {
    text: ['text_delta', 'text'],
    thinking: ['thinking_delta', 'thinking'],
    tool_use: ['input_json_delta', 'partial_json'],
  } as const
  return [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap(({ type, pieces }, index) => {
      const [delta, field] = fields[type]
      return [
        { type: 'content_block_start', index, content_block: { type, id: `t${index}`, name: 'f', input: {} } },
        ...pieces.map(piece => ({ type: 'content_block_delta', index, delta: { type: delta, [field]: piece } })),
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
}
