// Tests providers that send a few bytes at a time without end: they are never silent, so the total timeout has to end
// their responses.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openaiEvents } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf, textOf } from '../inference-stage.ts'

const totalTimeoutMs = 1_500
const events = openaiEvents({ text: ['one'] })
const sse = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }

/** Calls a provider that sends a head and `start`, then `drop` repeatedly until the connection closes. */
async function ask(stream: boolean, status: number, [start, drop]: [start: string, drop: string]) {
  let isLeft = false
  const write = async (response: ServerResponse) => {
    response.once('close', () => {
      isLeft = true
    })
    response.writeHead(status, stream && status === 200 ? sse : json).write(start)
    while (!isLeft) {
      await sleep(30)
      response.write(drop)
    }
  }
  const chat = await openChat({ write }, { parts: { totalTimeoutMs } })
  const answer = await chat.ask({ stream })
  await expect.poll(() => isLeft).toBe(true)
  return { ...answer, rows: chat.rows, settled: chat.settled, lines: chat.lines }
}

test('a stream ends with one error and no clean end, and costs what was said', async () => {
  const [first, text] = events
  const { status, text: body, rows, settled } = await ask(true, 200, [`${first}`, `${text}`])
  expect(status).toBe(200)
  const seen = eventsOf(body)
  const error = { type: 'server_error', param: null, code: 'provider_timeout', message: expect.any(String) }
  expect(seen.at(-1)).toEqual({ error })
  expect(textOf(seen.slice(0, -1))).toMatch(/^(one)+$/)
  expect(seen.filter(event => JSON.stringify(event).includes('error'))).toHaveLength(1)
  expect(body).not.toMatch(/\[DONE\]|"finish_reason":"/)
  expect([rows.length, settled.length]).toEqual([1, 1])
})

test.each<[name: string, stream: boolean, status: number, pieces: [string, string]]>([
  ['a plain answer', false, 200, ['{"choices":[{"message":{"content":"', 'one ']],
  ['a stream whose first event never ends', true, 200, ['data: {"choices":[{"delta":{"content":"', 'one ']],
  ['the words of a refusal', false, 400, ['{"error":{"message":"', 'no ']],
])('%s is 502', async (_name, stream, status, pieces) => {
  const answer = await ask(stream, status, pieces)
  expect(answer.status).toBe(502)
  expect(JSON.parse(answer.text)).toMatchObject({ error: { type: 'server_error', code: 'provider_timeout' } })
  expect(answer.rows).toEqual([])
  expect(answer.lines.join('')).toContain('"code":"total"')
})
