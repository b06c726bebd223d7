// Tests how many values one event of a stream may have: it is read in one turn.
import { expect, it } from 'vitest'
import { maxEventValues } from '../../../src/domain/json-values.ts'
import { openai } from './chat/chat-stage.ts'
import { testReading } from './protocol-suite.ts'

function classOfEvent(lists: number): string | undefined {
  const event = { choices: [{ index: 0, delta: { content: 'Hello' } }], lists: Array.from({ length: lists }, () => []) }
  const decoder = openai.createStreamDecoder(testReading())
  const deltas = decoder.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)).flatMap(read => read.deltas)
  return deltas.find(delta => delta.type === 'error')?.error.class
}

it('reads an event with as many values as are allowed, and refuses one with more', () => {
  expect(classOfEvent(maxEventValues - 20)).toBe(undefined)
  expect(classOfEvent(maxEventValues + 1)).toBe('malformed')
})
