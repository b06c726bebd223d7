// Tests a provider call whose first attempt fails before `callProvider` returns: a client that disconnects ends the
// pause before the retry, and both attempts share one total timeout.

import { expect, test } from 'vitest'
import type { Ending } from '../../../src/call/admitted-call.ts'
import { unknownModelFacts } from '../../../src/domain/conversation/model-facts.ts'
import type { CallWatch } from '../../../src/domain/metrics.ts'
import { callProvider } from '../../../src/inference/attempt/call-provider.ts'
import type { ProviderRequest } from '../../../src/inference/attempt/start-attempt.ts'
import type { Receiver } from '../../../src/outbound/call.ts'
import { KnownSecrets } from '../../../src/providers/known-secrets.ts'
import { chatCompletions } from '../../../src/providers/protocols/chat/chat-completions.ts'
import { openaiDialect } from '../../../src/providers/protocols/chat/dialects.ts'
import { adapterOf } from '../../../src/providers/registry.ts'
import { noClouds } from '../../providers/clouds/no-clouds.ts'
import { createCall } from '../../support/calls.ts'
import { roomFor } from '../../support/slowness.ts'
import { readCompletionRequest } from '../../surfaces/chat-completions/read-body.ts'

const nothing = () => undefined
const watch: CallWatch = {
  attemptStarted: nothing,
  attemptAnswered: nothing,
  attemptFailed: nothing,
  answerEnded: nothing,
  usageRecorded: nothing,
}

const asked: Omit<ProviderRequest, 'call' | 'endsAt'> = {
  prompt: readCompletionRequest({ messages: [{ role: 'user', content: 'a' }] }).prompt,
  target: {
    modelId: 'openai/m',
    model: 'm',
    provider: 'openai',
    facts: unknownModelFacts,
    prices: null,
    trustsReportedCost: false,
    platformPricing: null,
    isRegistered: true,
    credential: 'sk-a',
    baseUrl: 'http://127.0.0.1:9/v1',
    guard: 'operator',
    hasBaseUrlOverride: false,
  },
  adapter: adapterOf('openai'),
  protocol: chatCompletions(openaiDialect),
  passes: true,
  tenantId: 'tenant',
  endUserHash: 'hash',
  secrets: new KnownSecrets({}, 'sk-0'),
  keepsAnswer: false,
  watch,
  noteAttempt: nothing,
}

/** Calls a provider that returns 503 with this Retry-After at each attempt. */
function callOverloaded(retryAfter: string) {
  const endsAt = performance.now() + 60_000
  const call = createCall()
  const tries: { endsAt?: number }[] = []
  const open = (request: { endsAt?: number }, receiver: Receiver) => {
    tries.push(request)
    receiver.onResponse(503, { 'retry-after': retryAfter })
    receiver.onEnd()
    return { abort: nothing, pause: nothing, resume: nothing, endBy: nothing }
  }
  const bounds = { timeoutMs: 60_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000 }
  const parts = { now: Date.now, clouds: noClouds(), largeAnswers: { hold: () => true }, ...bounds }
  const outcome = callProvider(
    { ...parts, outbound: { open, send: () => Promise.reject(new Error('not used')) }, newToolCallId: () => 'call' },
    { ...asked, call, endsAt },
  )
  return { outcome, tries, endsAt, end: (reason: Ending) => call.end(reason) }
}

test('a client that leaves while a second try is waited for', async () => {
  const { outcome, tries, end } = callOverloaded('2')
  const begun = performance.now()
  setTimeout(() => end('client_gone'), 50)
  expect(await outcome).toMatchObject({ class: 'overloaded' })
  expect(performance.now() - begun).toBeLessThan(roomFor(1_000))
  expect(tries).toHaveLength(1)
})

test('two tries end at the same time', async () => {
  const { outcome, tries, endsAt } = callOverloaded('1')
  await outcome
  expect(tries.map(one => one.endsAt)).toEqual([endsAt, endsAt])
})
