// What holds for any conversation in the formats of Gemini and Cohere: the rules of order that the providers enforce,
// and that nothing which was said gets lost.

import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { type Message, textOf } from '../../../src/domain/conversation/prompt.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { cohere } from '../../../src/providers/protocols/cohere/cohere.ts'
import { gemini } from '../../../src/providers/protocols/gemini/gemini.ts'
import { readCompletionRequest } from '../../surfaces/chat-completions/read-body.ts'
import { testTarget } from './protocol-suite.ts'

const runs = { numRuns: inject('prove') ? 5_000 : 300 }

const text = fc.constantFrom('', '\n', 'word', '你好 🦊 word')
const parts = fc.array(
  fc.oneof(
    text.map(said => ({ type: 'text', text: said })),
    fc.constant({ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }),
  ),
  { maxLength: 3 },
)
const id = fc.constantFrom('a', 'b', 'c')
const call = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: fc.constantFrom('f', 'g'), arguments: fc.constantFrom('', '{}', '{"x":1}') }),
  extra_content: fc.constantFrom(undefined, { google: { thought_signature: 'c2ln' } }),
})
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: text }),
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, parts) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text),
    tool_calls: fc.array(call, { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content: fc.oneof(text, parts) }),
)
const conversation = fc.array(message, { minLength: 1, maxLength: 12 })

/** Gives each word a number of its own, so that it can be found again. */
function read(messages: unknown[]) {
  let count = 0
  const numbered = JSON.stringify({ messages }).replaceAll('word', () => `word ${++count};`)
  return readCompletionRequest(JSON.parse(numbered)).prompt
}

function expectNothingLost(messages: readonly Message[], rendered: JsonObject): void {
  const sent = JSON.stringify(rendered)
  for (const { content } of messages) {
    for (const said of textOf(content).match(/(?:你好 🦊 )?word [0-9]+;/gu) ?? []) {
      expect(sent.split(said)).toHaveLength(2)
    }
  }
}

interface Named {
  id: string
  name: string
}

interface Content {
  role: string
  parts: { functionCall?: Named; functionResponse?: Named; text?: string; thoughtSignature?: string }[]
}

it('any conversation is written as contents that Gemini takes', () => {
  const model = fc.constantFrom('gemini-2.5-flash', 'gemini-3-flash', 'gemini-3.8-flash')
  fc.assert(
    fc.property(conversation, model, (messages, name) => {
      const prompt = read(messages)
      const { body } = gemini.render(prompt, testTarget({ model: name }))
      const contents = body['contents'] as Content[]
      expectNothingLost(prompt.messages, body)
      expect(contents[0]?.role).toBe('user')
      if (name === 'gemini-3.8-flash') expect(contents.at(-1)?.role).toBe('user')
      for (const [index, turn] of contents.entries())
        expectGeminiTurn(turn, contents[index - 1], contents[index + 1], name)
    }),
    runs,
  )
})

function expectGeminiTurn(
  { role, parts }: Content,
  before: Content | undefined,
  after: Content | undefined,
  name: string,
) {
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? [])
  expect(parts.length).toBeGreaterThan(0)
  if (role === 'model') {
    expect(before?.role).toBe('user')
    expect(responses).toEqual([])
    const answers = after?.parts.flatMap(({ functionResponse }) => functionResponse ?? []) ?? []
    expect(answers.map(answer => [answer.id, answer.name])).toEqual(calls.map(made => [made.id, made.name]))
    const first = parts.find(({ functionCall }) => functionCall !== undefined)
    if (first && !name.startsWith('gemini-2')) expect(first.thoughtSignature).toMatch(/^(c2ln|skip_\w+)$/)
  } else {
    expect(calls).toEqual([])
    if (responses.length > 0) {
      expect(before?.role).toBe('model')
      expect(responses).toHaveLength(parts.length)
    }
    // Only what answers calls stands beside another turn of the user.
    if (before?.role === 'user') expect(before.parts[0]).toHaveProperty('functionResponse')
  }
}

interface Said {
  role: string
  content?: unknown
  tool_calls?: { id: string }[]
  tool_plan?: string
  tool_call_id?: string
}

it('any conversation is written as messages that Cohere takes', () => {
  fc.assert(
    fc.property(conversation, messages => {
      const prompt = read(messages)
      const { body } = cohere.render(prompt, testTarget())
      expectNothingLost(prompt.messages, body)
      const said = body['messages'] as Said[]
      let open: string[] = []
      for (const [index, { role, content, tool_calls: calls = [], tool_call_id: answered }] of said.entries()) {
        if (role === 'system') expect(index).toBe(0)
        if (role === 'tool') expect(open.shift()).toBe(answered)
        else expect(open).toEqual([])
        if (role === 'assistant') expect(content === undefined).toBe(calls.length > 0)
        else expect(content).toBeDefined()
        open = [...open, ...calls.map(({ id: made }) => made)]
      }
      expect(open).toEqual([])
    }),
    runs,
  )
})
