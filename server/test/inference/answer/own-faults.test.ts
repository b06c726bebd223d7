// Tests exceptions of our own code during an answer: the client gets an error at once, the provider call is aborted,
// the call is charged once, and the error is logged.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { UsageRecord } from '../../../src/inference/usage/record-usage.ts'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { roomFor } from '../../support/slowness.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf, textOf } from '../inference-stage.ts'

const events = openaiEvents({ text: ['one ', 'two ', 'three ', 'four '] })
const internal = { error: { message: 'Internal server error', type: 'server_error', param: null, code: null } }

/** A provider that sends an event every 20 ms, and repeats the last but three until the connection closes. */
function drip(onLeft: () => void) {
  return {
    async write(response: ServerResponse) {
      response.once('close', onLeft)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let index = 0; !response.destroyed; index++) {
        response.write(events[Math.min(index, events.length - 4)])
        await sleep(20)
      }
    },
  }
}

/** Returns a function that throws at its n-th call. */
function failAt(number: number): () => null {
  let calls = 0
  return () => {
    if (++calls === number) throw new Error('a step failed')
    return null
  }
}

describe('a stream', () => {
  test.each([
    ['at its first piece is refused', 1, 500, 'request failed'],
    ['in its middle ends with an error line', 4, 200, 'answer could not be passed on'],
  ])('whose step fails %s, at once', async (_name, number, expectedStatus, line) => {
    const left = Promise.withResolvers<void>()
    const chat = await openChat(() => drip(left.resolve), { onCheckpoint: failAt(number) })
    const startedAt = performance.now()
    const { status, text, isWhole } = await chat.ask({ stream: true })
    // Far less than the idle timeout.
    expect(performance.now() - startedAt).toBeLessThan(roomFor(4_000))
    await left.promise
    expect([status, isWhole]).toEqual([expectedStatus, true])
    expect(status === 200 ? eventsOf(text).at(-1) : JSON.parse(text)).toEqual(internal)
    expect(text).not.toContain('[DONE]')
    expect(chat.rows).toMatchObject([{ isEstimated: true }])
    expect(chat.settled).toEqual([chat.rows[0]?.totalTokens])
    expect(chat.lines).toEqual([expect.stringContaining(line)])
    expect(chat.lines[0]).toContain('own-faults.test.ts')
  })

  test('that cannot be accounted ends with an error line too, and is not counted twice', async () => {
    let added = 0
    const usageRecorder = {
      add(_row: UsageRecord) {
        added++
        throw new Error('a step failed')
      },
    }
    const chat = await openChat(() => say('openai', { text: ['all'] }, true), { parts: { usageRecorder } })
    const { text } = await chat.ask({ stream: true })
    expect(textOf(eventsOf(text))).toBe('all')
    expect(eventsOf(text).at(-1)).toEqual(internal)
    expect(added).toBe(1)
    expect(chat.settled).toEqual([18])
  })

  test('whose client leaves just then is let go as well', async () => {
    const left = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const answer = () => {
      asked.resolve()
      return drip(left.resolve)
    }
    const chat = await openChat(answer, {
      parts: { usageRecorder: { add: failAt(1) } },
    })
    const answered = chat.ask({ stream: true })
    await asked.promise
    await sleep(200)
    chat.end('client_gone')
    await left.promise
    await answered
    expect(chat.settled).toHaveLength(1)
    expect(chat.lines.filter(line => line.includes('own-faults.test.ts'))).toHaveLength(1)
  })
})

test.each([
  ['reads it', { onCheckpoint: failAt(1) }],
  ['accounts it', { parts: { usageRecorder: { add: failAt(1) } } }],
])('a plain answer whose step fails that %s is refused as our fault', async (_name, options) => {
  const chat = await openChat(
    () => ({ body: { ...Object(say('openai', { text: ['a'] }, false).body), usage: null } }),
    options,
  )
  expect(await chat.ask()).toEqual({ status: 500, text: JSON.stringify(internal), isWhole: true })
  expect(chat.settled).toHaveLength(1)
  expect(chat.lines).toEqual([expect.stringContaining('request failed')])
  expect(chat.lines[0]).toContain('own-faults.test.ts')
})

test('the next call is served as ever', async () => {
  const chat = await openChat(() => say('openai', { text: ['fine'] }, true), {
    parts: { usageRecorder: { add: failAt(1) } },
  })
  expect(eventsOf((await chat.ask({ stream: true })).text).at(-1)).toEqual(internal)
  expect(eventsOf((await chat.ask({ stream: true })).text).at(-1)).toBe('[DONE]')
})
