// Tests providers that send bytes but no content: they are waited for longer than silent ones, but not forever.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openaiEvents } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf, textOf } from '../inference-stage.ts'

/** A provider that sends bytes without content is given up after ten times this: six seconds. */
const idleTimeoutMs = 600
const events = openaiEvents({ text: ['Hel', 'lo'] })
const comment = ': OPENROUTER PROCESSING\n\n'
const sse = { 'content-type': 'text/event-stream' }

async function keepSaying(words: string, forMs: number, response: ServerResponse): Promise<void> {
  const endAt = performance.now() + forMs
  while (performance.now() < endAt && !response.destroyed) {
    response.write(words)
    await sleep(40)
  }
}

async function ask(stream: boolean, write: (response: ServerResponse) => Promise<void>) {
  let isLetGo = false
  const chat = await openChat(
    {
      async write(response) {
        response.once('close', () => {
          isLetGo = !response.writableFinished
        })
        await write(response)
      },
    },
    { parts: { idleTimeoutMs, timeoutMs: 60_000 } },
  )
  const answer = await chat.ask({ stream })
  await expect.poll(() => isLetGo || answer.text.includes('[DONE]')).toBe(true)
  return answer
}

const endless = 30_000

/** What a provider sends without end after the response's head. */
const nothingSaid: [name: string, stream: boolean, words: string][] = [
  ['comments', true, comment],
  ['events that say nothing', true, 'data: {"choices":[]}\n\n'],
  ['one event in small pieces', true, 'data: '],
  ['white space', false, '\n'],
]

test('an answer that never begins is late in the end', async () => {
  const outcomes = nothingSaid.map(async ([name, stream, words]) => {
    const { status, text } = await ask(stream, async response => {
      response.writeHead(200, stream ? sse : { 'content-type': 'application/json' })
      await keepSaying(words, endless, response)
      response.end(events.join(''))
    })
    expect(status, name).toBe(502)
    expect(JSON.parse(text), name).toMatchObject({ error: { code: 'provider_timeout' } })
  })
  await Promise.all(outcomes)
})

test('an answer that never goes on ends with an error', async () => {
  const { status, text } = await ask(true, async response => {
    response.writeHead(200, sse).write(events.slice(0, 2).join(''))
    await keepSaying(comment, endless, response)
    response.end(events.slice(2).join(''))
  })
  expect(status).toBe(200)
  expect(textOf(eventsOf(text).slice(0, -1))).toBe('Hel')
  expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: 'provider_timeout' } })
})

test('each event is waited for anew', async () => {
  const { status, text } = await ask(true, async response => {
    response.writeHead(200, sse)
    for (const event of events) {
      await keepSaying(comment, 1_300, response)
      response.write(event)
    }
    response.end()
  })
  expect(status).toBe(200)
  expect(textOf(eventsOf(text))).toBe('Hello')
  expect(eventsOf(text).at(-1)).toBe('[DONE]')
})
