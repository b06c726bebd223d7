// Events of an answer pass its rewriter in slices of time: what names the answer is not sent while the rest of what came
// with it waits, since a scanner may still block all of it.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AnswerEvent, Delta } from '../../../src/domain/conversation/answer.ts'
import type { AnswerRewriter } from '../../../src/guardrails/answers/answer-rewriter.ts'
import { EventRewriting } from '../../../src/inference/answer/rewrite-events.ts'

const origin: Delta = { type: 'origin', id: 'a', model: 'm', createdSeconds: 1 }
const text: Delta = { type: 'text', choice: 0, text: 'Hi' }

/** A rewriter that needs a slice for each delta, and throws at texts if it blocks them. */
function open(blocks: boolean) {
  const sent: Delta[][] = []
  const failures: unknown[] = []
  const rewriter = {
    rewrite(deltas: readonly Delta[]) {
      const until = performance.now() + 6
      while (performance.now() < until);
      if (blocks && deltas[0]?.type === 'text') throw new Error('blocked')
      return [...deltas]
    },
  } as unknown as AnswerRewriter
  const rewriting = new EventRewriting({
    rewriter,
    changes: true,
    send(events: readonly AnswerEvent[]) {
      sent.push(events.flatMap(({ deltas }) => deltas))
      return true
    },
    resume: () => undefined,
    fail: error => failures.push(error),
  })
  return { sent, failures, take: () => rewriting.take([{ deltas: [origin, text, text], raw: null }]) }
}

async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await turn()
}

test('nothing is sent of an answer that is blocked in a later slice', async () => {
  const { sent, failures, take } = open(true)
  take()
  await turns()
  expect(failures).toHaveLength(1)
  expect(sent).toEqual([])
})

test('what names an answer is sent with the first text, in order', async () => {
  const { sent, failures, take } = open(false)
  take()
  await turns()
  expect(failures).toEqual([])
  expect(sent).toEqual([[origin, text], [text]])
})
