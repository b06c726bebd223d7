// Tests answers whose scan fails, behind a real listener: an enforced guardrail ends the answer, one in shadow mode
// lets it pass; both are counted, and the tokens are charged.

import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { Refusal } from '../../../src/domain/errors.ts'
import { AnswerCheck } from '../../../src/inference/guard/check-answer.ts'
import type { ActiveMode } from '../../../src/inference/guard/guardrail.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { openaiEvents, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'

/** Fails at the second piece of a text. */
function failingGuard(mode: ActiveMode, error: Error = new TypeError('cannot read')) {
  const counted: string[] = []
  const { log, lines } = createMemoryLog()
  const openAnswer = () => {
    let reads = 0
    const subject = {
      guardrail: 'pii' as const,
      direction: 'output' as const,
      mode,
      verified: { requestId: 'r1', tenantId: 't1', projectId: 'p1', userId: 'alice' },
      events: { emit: () => undefined },
      metrics: {
        guardrailChecked: ({ guardrail, direction }: { guardrail: string; direction: string }, verdict: string) =>
          void counted.push(`${guardrail} ${direction} ${verdict}`),
        verdictReused: () => undefined,
        recogniserCalled: () => undefined,
      },
      now: Date.now,
      log,
    }
    const scanner = {
      read({ base, view }: { base: number; view: string }): number {
        reads++
        if (reads > 1) throw error
        return base + view.length
      },
    }
    const check = new AnswerCheck(subject, {
      createScanner: () => scanner,
      conclude: () => (error instanceof Refusal ? 'blocked' : 'passed'),
    })
    return {
      isEnforced: check.isEnforced,
      createScanners: () => [check.createScanner()],
      conclude: () => check.conclude(),
    }
  }
  const check = async (_call: unknown, prompt: { messages: never[] }) => ({
    messages: prompt.messages,
    replacement: null,
    forMemory: () => [],
    vault: null,
  })
  return { counted, lines, guard: { openAnswer, check } as never }
}

const settings = { pii_answer_mode: 'enforce' } as const

test('an enforced scan that fails ends a whole answer with 503, which is charged', async () => {
  const { guard, counted } = failingGuard('enforce')
  const chat = await openChat(say('openai', { text: ['Hello'] }, false), { parts: { guard }, settings })
  const { status, text } = await chat.ask()
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'guardrail_unavailable' } })
  expect(chat.settled).toEqual([wholeUsage.total_tokens])
  expect(chat.rows).toHaveLength(1)
  expect(counted).toEqual(['pii output unavailable'])
})

test('an enforced scan that fails ends a stream with one error event', async () => {
  const { guard, counted } = failingGuard('enforce')
  let goOn = (): void => undefined
  const [first = '', ...others] = openaiEvents({ text: ['Hello ', 'there ', 'you'] })
  const script = {
    async write(response: ServerResponse) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first)
      await new Promise<void>(resolve => (goOn = resolve))
      response.write(others.join(''))
    },
  }
  const chat = await openChat(script, { parts: { guard }, settings, onCheckpoint: () => goOn() })
  const { status, text, isWhole } = await chat.ask({ stream: true })
  expect([status, isWhole]).toEqual([200, true])
  expect(text.match(/"code":"guardrail_unavailable"/g)).toHaveLength(1)
  expect(text).not.toContain('[DONE]')
  expect(text).not.toContain('you')
  expect(chat.rows).toHaveLength(1)
  expect(counted).toEqual(['pii output unavailable'])
})

test.each([false, true])(
  'a scan in shadow mode that fails lets the answer pass, is logged and counted (stream: %s)',
  async stream => {
    const { guard, counted, lines } = failingGuard('shadow')
    const chat = await openChat(say('openai', { text: ['Hello ', 'there'] }, stream), { parts: { guard }, settings })
    const { status, text } = await chat.ask({ stream })
    expect(status).toBe(200)
    expect(text).toContain('there')
    expect(counted).toEqual(['pii output unavailable'])
    expect(lines.map(({ event }) => event)).toEqual(['guardrail could not run'])
  },
)

test('a scan that ends the answer is counted with its verdict, not as unavailable', async () => {
  const { guard, counted } = failingGuard('enforce', new Refusal('pii_blocked'))
  const chat = await openChat(say('openai', { text: ['Hello'] }, false), { parts: { guard }, settings })
  expect((await chat.ask()).status).toBe(403)
  expect(counted).toEqual(['pii output blocked'])
})
