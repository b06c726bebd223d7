// Tests how many values an answer or one event of a stream may have: it is read in one turn.
import { expect, it } from 'vitest'
import { maxAnswerValues, maxLogprobValues } from '../../../src/domain/json-values.ts'
import { openai } from './chat/chat-stage.ts'
import { testReading } from './protocol-suite.ts'

const lists = (count: number) => Array.from({ length: count }, () => [])

function classOfEvent(more: object): string | undefined {
  const event = { choices: [{ index: 0, delta: { content: 'Hello' } }], ...more }
  const decoder = openai.createStreamDecoder(testReading())
  const deltas = decoder.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)).flatMap(read => read.deltas)
  return deltas.find(delta => delta.type === 'error')?.error.class
}

function classOfAnswer(more: object): string | undefined {
  const message = { role: 'assistant', content: 'Hello' }
  const answer = { id: 'a', choices: [{ index: 0, message, finish_reason: 'stop', ...more }] }
  const { deltas } = openai.decodeAnswer(Buffer.from(JSON.stringify(answer)), testReading())
  return deltas.find(delta => delta.type === 'error')?.error.class
}

it.each([
  ['an event', classOfEvent],
  ['a whole answer', classOfAnswer],
])('reads %s with as many values as are allowed, and refuses one with more', (_kind, classOf) => {
  expect(classOf({ lists: lists(maxAnswerValues - 20) })).toBe(undefined)
  expect(classOf({ lists: lists(maxAnswerValues + 1) })).toBe('malformed')
})

it.each([
  ['an event', classOfEvent],
  ['a whole answer', classOfAnswer],
])('reads %s with more log probabilities, within a bound of their own', (_kind, classOf) => {
  expect(classOf({ logprobs: { content: lists(maxLogprobValues - 20) } })).toBe(undefined)
  expect(classOf({ logprobs: { content: lists(maxLogprobValues + 1) } })).toBe('malformed')
  expect(classOf({ logprobs: null, lists: lists(maxAnswerValues + 1) })).toBe('malformed')
  expect(classOf({ lists: lists(maxAnswerValues + 1), logprobs: { content: [] } })).toBe('malformed')
})
