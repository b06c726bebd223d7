// A message of many blocks is written in proportion to their number, in the order in which the client sent them.
import { expect, test } from 'vitest'
import { unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { BlockKind, Prompt } from '../../../../src/domain/conversation/prompt.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { expectLinear } from '../../../support/slowness.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { testTarget } from '../protocol-suite.ts'

function promptOf(size: number, order: BlockKind[]): Prompt {
  const { prompt } = readCompletionRequest({ messages: [{ role: 'user', content: 'Hi' }] })
  const list = <Item>(make: (at: number) => Item) => Array.from({ length: size }, (_, at) => make(at))
  prompt.messages.push({
    role: 'assistant',
    content: list(at => ({ type: 'text' as const, text: `text ${at}` })),
    toolCalls: list(at => ({ id: `c${at}`, name: 'f', arguments: '{}' })),
    reasoningDetails: [],
    order,
  })
  return prompt
}

const target = testTarget({ model: 'claude-sonnet-4-5', facts: unknownModelFacts })

test('of many texts and calls in turn', () => {
  expectLinear(size => {
    const order = Array.from({ length: 2 * size }, (_, at): BlockKind => (at % 2 === 0 ? 'part' : 'call'))
    const prompt = promptOf(size, order)
    return () => void anthropic.render(prompt, target)
  })
})

test('blocks that the order does not name come behind those that it names', () => {
  const { body } = anthropic.render(promptOf(2, ['call', 'part']), target)
  const { messages } = body as { messages: { content: { type: string; text?: string; id?: string }[] }[] }
  expect(messages[1]?.content.map(({ text, id }) => text ?? id)).toEqual(['c0', 'text 0', 'text 1', 'c1'])
})
