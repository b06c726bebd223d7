// Tests when an answer begins: events without content are held back, so that an error after them still has a status.
import { expect, test, vi } from 'vitest'
import type { AnswerEvent } from '../../../src/domain/conversation/answer.ts'
import type { AttemptLimits, AttemptOutcome } from '../../../src/inference/attempt/attempt.ts'
import { ProviderAttempt } from '../../../src/inference/attempt/provider-attempt.ts'
import { KnownSecrets } from '../../../src/providers/known-secrets.ts'
import { responses } from '../../../src/providers/protocols/responses/responses.ts'
import { testReading } from '../../providers/protocols/protocol-suite.ts'
import { created, eventsOf, messageItem, streamOf } from '../../providers/protocols/responses/responses-wire.ts'
import { createCall } from '../../support/calls.ts'

const events = eventsOf([messageItem('msg_1', 'Oh')])
const [first = {}, second = {}, ...others] = events
const failure = { type: 'error', error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } }

interface Limits extends AttemptLimits {
  idleTimeoutMs: number
  passes: boolean
}

function openStream({ idleTimeoutMs = 60_000, passes = true, ...limits }: Partial<Limits> = {}) {
  const outcomes: AttemptOutcome[] = []
  const bounds = { timeoutMs: 60_000, idleTimeoutMs, totalTimeoutMs: 60_000 }
  const attempt = new ProviderAttempt(
    { now: Date.now, largeAnswers: { hold: () => true }, ...bounds },
    {
      owner: { tenantId: 'tenant', call: createCall(), secrets: new KnownSecrets({}, ''), keepsAnswer: false },
      protocol: responses,
      reading: testReading({ passes }),
      isStream: true,
      timeoutMs: 60_000,
      firstTokenTimeoutMs: null,
      waitsForContent: false,
      ...limits,
      resolve: outcome => outcomes.push(outcome),
    },
  )
  attempt.onResponse(200, { 'content-type': 'text/event-stream' })
  const push = (...sent: object[]) => {
    const bytes = Buffer.from(streamOf(sent as Record<string, unknown>[]))
    attempt.onData(bytes)
    // The connection reads the next bytes into the same memory.
    bytes.fill(0x78)
  }
  return { attempt, outcomes, push }
}

function textOf(received: readonly AnswerEvent[]): string {
  return Buffer.concat(received.map(({ raw }) => raw ?? Buffer.from('rendered'))).toString()
}

test.each([true, false])('an error before any content rejects the request (passes: %s)', passes => {
  const apart = openStream({ passes })
  apart.push(first)
  apart.push(second)
  expect(apart.outcomes).toEqual([])
  apart.push(failure)
  const together = openStream({ passes })
  together.push(first, second, failure)
  for (const { outcomes } of [apart, together]) {
    expect(outcomes).toMatchObject([{ status: 200, error: { class: 'quota', message: failure.error.message } }])
  }
})

test('an answer begins with its first content, and loses nothing', () => {
  const { attempt, outcomes, push } = openStream()
  push(first)
  push(second)
  push(...others.slice(0, 1))
  expect(outcomes).toMatchObject([{ begun: attempt }])
  const received: AnswerEvent[] = []
  const ends: unknown[] = []
  let text = ''
  attempt.begin({
    onEvents(arrived) {
      received.push(...arrived)
      // Before the memory of later bytes is used again.
      if (received.length > arrived.length) text += textOf(arrived)
      return true
    },
    onEnd: error => ends.push(error),
  })
  expect(textOf(received.slice(0, 2))).toBe(streamOf(events.slice(0, 2)))
  expect(received[2]?.deltas).toMatchObject([{ type: 'origin', id: 'resp_1' }])
  push(...others.slice(1))
  expect(text).toBe(streamOf(others.slice(1)))
  attempt.onEnd()
  expect(ends).toEqual([null])
})

test('an answer begins after 64 KiB without content', () => {
  const { outcomes, push } = openStream()
  const large = { ...created, padding: 'x'.repeat(40_000) }
  push(large)
  push(large)
  expect(outcomes).toEqual([])
  push(large)
  expect(outcomes).toMatchObject([{ begun: {} }])
})

test('events without content do not keep a call open', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  try {
    vi.advanceTimersByTime(1)
    const { outcomes, push } = openStream({ idleTimeoutMs: 1_000 })
    for (let round = 0; round < 11; round++) {
      push({ type: 'keepalive' })
      vi.advanceTimersByTime(999)
    }
    expect(outcomes).toEqual([])
    push({ type: 'keepalive' })
    expect(outcomes).toMatchObject([{ error: { class: 'timeout', code: 'no_progress' } }])
  } finally {
    vi.useRealTimers()
  }
})
