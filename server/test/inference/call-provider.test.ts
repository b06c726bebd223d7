// A call to a provider whose first try is over before the call that began it returns: who ends the call still ends the pause.
import { expect, test } from 'vitest'
import type { CallWatch } from '../../src/domain/metrics.ts'
import { unknownModelFacts } from '../../src/domain/model-facts.ts'
import { readCompletionRequest } from '../../src/domain/read-completion-request.ts'
import type { AdmittedCall, Ending } from '../../src/http/inference-port.ts'
import type { Receiver } from '../../src/http/outbound-call.ts'
import { CallEnding } from '../../src/inference/call-ending.ts'
import { callProvider } from '../../src/inference/call-provider.ts'
import { roomFor } from '../support/slowness.ts'

const nothing = () => undefined
const watch: CallWatch = {
  tryStarted: nothing,
  tryAnswered: nothing,
  tryFailed: nothing,
  answerEnded: nothing,
  accounted: nothing,
}

test('a client that leaves while a second try is waited for', async () => {
  let end: (reason: Ending) => void = nothing
  const ending = new CallEnding({ onEnding: (listener: typeof end) => (end = listener) } as unknown as AdmittedCall)
  let tries = 0
  const open = (_request: object, receiver: Receiver) => {
    tries++
    receiver.onResponse(503, { 'retry-after': '2' })
    receiver.onEnd()
    return { abort: nothing, pause: nothing, resume: nothing }
  }
  const bounds = { now: Date.now, largeAnswers: { hold: () => true }, timeoutMs: 5_000, idleTimeoutMs: 5_000 }
  const asked = callProvider(
    { ...bounds, outbound: { open }, newToolCallId: () => 'call' },
    {
      prompt: readCompletionRequest({ messages: [{ role: 'user', content: 'a' }] }).prompt,
      target: {
        modelId: 'openai/m',
        model: 'm',
        provider: 'openai',
        facts: unknownModelFacts,
        key: 'sk-a',
        baseUrl: 'http://127.0.0.1:9/v1',
        guard: 'operator',
        hasBaseUrlOverride: false,
      },
      tenantId: 'tenant',
      endUserHash: 'hash',
      answer: {},
      keepsAnswer: false,
      watch,
    },
    ending,
  )
  const begun = performance.now()
  setTimeout(() => end('client_gone'), 50)
  expect(await asked).toMatchObject({ class: 'overloaded' })
  expect(performance.now() - begun).toBeLessThan(roomFor(1_000))
  expect(tries).toBe(1)
})
