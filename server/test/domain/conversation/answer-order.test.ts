// The order of deltas, whatever a provider makes of it.

import { expect, it } from 'vitest'
import type { Delta, Usage } from '../../../src/domain/conversation/answer.ts'
import { createAnswerOrder } from '../../../src/domain/conversation/answer-order.ts'
import { providerError } from '../../../src/domain/conversation/provider-error.ts'

const usage: Usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedTokens: null, reasoningTokens: null }
const text = (choice: number, said: string): Delta => ({ type: 'text', choice, text: said })
const finish = (choice: number, native = 'stop'): Delta => ({ type: 'finish', choice, reason: 'stop', native })
const call = (call: number, given: string): Delta => {
  return { type: 'tool_call', choice: 0, call, id: `c${call}`, name: 'f', arguments: given }
}

function ordered(deltas: readonly Delta[]): Delta[] {
  const order = createAnswerOrder()
  return [...deltas.flatMap(delta => order.take(delta) ?? []), ...order.complete()]
}

it('puts finishes and usage last, once and in the order of choices', () => {
  const early: Usage = { ...usage, totalTokens: 99 }
  expect(
    ordered([
      { type: 'usage', usage: early },
      finish(1),
      text(0, 'a'),
      finish(0, 'first'),
      { type: 'usage', usage },
      text(0, 'b'),
      finish(0, 'second'),
    ]),
  ).toEqual([text(0, 'a'), text(0, 'b'), finish(0, 'first'), finish(1), { type: 'usage', usage }])
})

it.each([
  ['texts', (choice: number) => text(choice, 'a')],
  ['finishes', (choice: number) => finish(choice)],
])('takes no end of choices for a fault, by their %s', (_name, said) => {
  const order = createAnswerOrder()
  const told = Array.from({ length: 1_001 }, (_, choice) => order.take(said(choice)))
  expect(told.slice(0, 1_000).filter(delta => delta?.type === 'error')).toEqual([])
  expect(told[1_000]).toEqual({ type: 'error', error: providerError('malformed') })
  expect(order.take(text(0, 'b'))).toBeNull()
})

it('lets one origin through', () => {
  const origin: Delta = { type: 'origin', id: 'x', model: null, createdSeconds: null }
  expect(ordered([origin, origin, text(0, 'a'), finish(0)])).toEqual([origin, text(0, 'a'), finish(0)])
})

it('gives calls without arguments {} and leaves the others alone', () => {
  const piece: Delta = { type: 'tool_arguments', choice: 0, call: 1, text: '{"a":1}' }
  const empty: Delta = { type: 'tool_arguments', choice: 0, call: 0, text: '' }
  expect(ordered([call(0, ''), empty, call(1, ''), piece, call(2, '{}'), finish(0)])).toEqual([
    call(0, ''),
    call(1, ''),
    piece,
    call(2, '{}'),
    { type: 'tool_arguments', choice: 0, call: 0, text: '{}' },
    finish(0),
  ])
})

it.each<[string, Delta[]]>([
  ['nothing', []],
  ['usage alone', [{ type: 'usage', usage }]],
  ['no finish', [text(0, 'a')]],
  ['a choice without finish', [text(0, 'a'), text(1, 'b'), finish(0)]],
])('an answer with %s is a fault', (_, deltas) => {
  expect(ordered(deltas).at(-1)).toMatchObject({ type: 'error', error: { class: 'truncated' } })
})

it('ends with a fault, which carries what was counted', () => {
  const error: Delta = { type: 'error', error: providerError('overloaded') }
  const deltas = ordered([text(0, 'a'), { type: 'usage', usage }, finish(0), error, text(0, 'b'), error])
  expect(deltas).toEqual([text(0, 'a'), { ...error, usage }])
})

it('ends an answer of more calls than any provider returns', () => {
  const calls = (count: number) => Array.from({ length: count }, (_, at) => call(at, '{}'))
  expect(ordered([...calls(500), finish(0)]).at(-1)).toEqual(finish(0))
  const error = { type: 'error', error: providerError('malformed') }
  expect(ordered([...calls(501), finish(0)])).toEqual([...calls(500), error])
})

it('drops names that are longer than any, since each event repeats them', () => {
  const origin = (id: string, model: string): Delta => ({ type: 'origin', id, model, createdSeconds: 1 })
  const [named] = ordered([origin('a'.repeat(256), 'm'.repeat(257)), text(0, 'a'), finish(0)])
  expect(named).toEqual({ type: 'origin', id: 'a'.repeat(256), model: null, createdSeconds: 1 })
})
