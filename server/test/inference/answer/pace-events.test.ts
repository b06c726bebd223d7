// Large events pass in turns of the event loop: cut, in order, and with all of their text. Events that come meanwhile
// wait behind them.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AnswerEvent, Delta } from '../../../src/domain/conversation/answer.ts'
import { LazyList } from '../../../src/domain/json/lazy-list.ts'
import { EventPacing } from '../../../src/inference/answer/pace-events.ts'

const text = (piece: string, more = {}): Delta => ({ type: 'text', choice: 0, text: piece, ...more })
const event = (...deltas: Delta[]): AnswerEvent => ({ deltas, raw: null })
const large = 'some words '.repeat(100_000)

function open(slowMs = 0) {
  const passed: AnswerEvent[] = []
  let resumed = 0
  const pacing = new EventPacing({
    pass(events) {
      const until = performance.now() + slowMs
      while (performance.now() < until);
      passed.push(...events)
      return true
    },
    resume: () => void resumed++,
  })
  return { pacing, passed, resumed: () => resumed }
}

async function idle(pacing: EventPacing): Promise<void> {
  while (pacing.isBusy) await turn()
}

const textsOf = (events: readonly AnswerEvent[]) =>
  events.flatMap(({ deltas }) => deltas.map(delta => ('text' in delta ? delta.text : ''))).join('')

test('pieces pass in turns and in order, and the provider goes on after the last', async () => {
  const { pacing, passed, resumed } = open(6)
  expect(pacing.take([event(text('a'), text(large))])).toBe(false)
  expect(passed).toEqual([])
  expect(pacing.take([event(text('z'))])).toBe(false)
  await turn()
  expect(passed).toHaveLength(1)
  expect(resumed()).toBe(0)
  await idle(pacing)
  expect(textsOf(passed)).toBe(`a${large}z`)
  expect(Math.max(...passed.map(({ deltas }) => textsOf([{ deltas, raw: null }]).length))).toBeLessThanOrEqual(65_536)
  expect(resumed()).toBe(1)
})

test('events with bytes of the provider stay whole', async () => {
  const { pacing, passed } = open()
  const events = [{ deltas: [text(large)], raw: Buffer.from('raw') }]
  pacing.take(events)
  await idle(pacing)
  expect(passed).toEqual(events)
})

test.each([
  ['more tokens than text', 'short'],
  ['more text than tokens', large],
])('log probabilities are cut with their text: %s', async (_name, said) => {
  const tokens = Array.from({ length: 1_000 }, (_, at) => ({ token: `t${at}` }))
  const lazy = new LazyList(tokens.length, at => tokens[at])
  const { pacing, passed } = open()
  for (const content of [tokens, lazy]) {
    passed.length = 0
    pacing.take([event(text(said, { logprobs: { content, refusal: null } }))])
    await idle(pacing)
    const pieces = passed.flatMap(({ deltas }) => deltas) as {
      text: string
      logprobs: { content: Iterable<unknown> }
    }[]
    const lists = pieces.map(({ logprobs }) => [...logprobs.content])
    expect(textsOf(passed)).toBe(said)
    expect(lists.flat()).toEqual(tokens)
    expect(Math.max(...lists.map(({ length }) => length))).toBeLessThanOrEqual(256)
    expect(Math.max(...pieces.map(piece => piece.text.length))).toBeLessThanOrEqual(65_536)
  }
})

test('the end of the answer waits, and what is left when it stops is returned', async () => {
  const { pacing, passed, resumed } = open(6)
  let isIdle = false
  pacing.take([event(text(large))])
  pacing.whenIdle(() => {
    isIdle = true
  })
  await turn()
  expect(isIdle).toBe(false)
  await idle(pacing)
  expect([isIdle, resumed()]).toEqual([true, 0])
  passed.length = 0
  pacing.take([event(text(large))])
  await turn()
  expect(textsOf(passed) + textsOf(pacing.stop())).toBe(large)
})
