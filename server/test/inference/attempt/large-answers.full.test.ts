// Tests answers that never end or are very large: the memory they take in the process is bounded, and answers of normal
// size are not affected.
import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Collected } from '../../../src/inference/answer/collect-answer.ts'
import { createLargeAnswers } from '../../../src/inference/attempt/large-answers.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf, textOf } from '../inference-stage.ts'

const kib = 1024
const mib = 1024 * kib
const piece = 'words and more '.repeat(4_000)
const [role = '', event = ''] = openaiEvents({ text: [piece] })
const inSession = { 'x-session-id': 'long' }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Resolves when the response can take more, or is closed. */
function hasRoom(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.once('drain', done).once('close', done)
  })
}

/** Repeats an event until the connection closes, or until this many bytes were sent. */
function sayForever(onLeft: () => void, maxBytes = Number.POSITIVE_INFINITY): UpstreamAnswer {
  return {
    async write(response) {
      response.once('close', onLeft)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(role)
      for (let bytes = 0; bytes < maxBytes && !response.destroyed; bytes += piece.length) {
        if (!response.write(event)) await hasRoom(response)
      }
      response.end(openaiEvents({}).slice(1).join(''))
    },
  }
}

describe('a stream', () => {
  test('that is kept and does not end: ends as one that breaks off, and costs once', async () => {
    const left = Promise.withResolvers<void>()
    const chat = await openChat(() => sayForever(left.resolve))
    const { status, text, isWhole } = await chat.ask({ stream: true }, inSession)
    await left.promise
    expect([status, isWhole]).toEqual([200, true])
    const events = eventsOf(text)
    expect(events.at(-1)).toMatchObject({ error: { type: 'server_error', code: 'provider_unavailable' } })
    expect(textOf(events).length).toBeGreaterThan(31 * mib)
    expect(textOf(events).length).toBeLessThanOrEqual(32 * mib)
    expect(chat.rows).toHaveLength(1)
    expect(chat.settled).toEqual([chat.rows[0]?.totalTokens])
    expect(chat.lines.filter(line => line.includes('answer exceeds the memory limits'))).toHaveLength(1)
  })

  test('that nobody keeps passes, however long it is', async () => {
    const chat = await openChat(() => sayForever(() => undefined, 33 * mib))
    const { text } = await chat.ask({ stream: true })
    const events = eventsOf(text)
    expect(events.at(-1)).toBe('[DONE]')
    expect(textOf(events).length).toBeGreaterThan(32 * mib)
  })

  test.each([
    ['an event that does not end', 'data: {"choices":[{"index":0,"delta":{"content":"', 1],
    // Ended by their number, long before their size.
    ['calls without end', openaiEvents({ calls: [{ id: 'call_1', name: 'look', pieces: [] }] })[1] ?? '', 0],
  ])('of %s is ended too', async (_name, said, ofMemory) => {
    const { log, lines } = createMemoryLog()
    const chat = await openChat(
      () => ({
        async write(response) {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(role)
          let index = 0
          while (!response.destroyed) {
            const next = said.endsWith('\n\n') ? said.replace('"index":0,"id"', `"index":${index++},"id"`) : said
            if (!response.write(next)) await hasRoom(response)
          }
        },
      }),
      { parts: { largeAnswers: createLargeAnswers(mib, log) } },
    )
    const { text } = await chat.ask({ stream: true })
    expect(text).toContain('"code":"provider_unavailable"')
    expect(lines.map(({ event: words }) => words)).toEqual(Array(ofMemory).fill('answer exceeds the memory limits'))
    expect(chat.rows).toHaveLength(1)
  })
})

test('text that is kept takes about as much memory as it has characters', () => {
  const collected = new Collected(true)
  const heapBytes = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = heapBytes()
  for (let index = 0; index < 1_000_000; index++) {
    const delta = { type: 'text', choice: 0, text: `word ${index % 1_000} ` } as const
    collected.count(delta)
    collected.kept?.take(delta)
  }
  const grownBytes = heapBytes() - before
  const { content } = collected.message()
  expect(content?.length).toBe(8_890_000)
  expect(grownBytes).toBeLessThan(2 * 8_890_000)
})

describe('large answers in all', () => {
  const tenant = 'a'
  const open = (mostBytes: number) => {
    const { log, lines } = createMemoryLog()
    return { answers: createLargeAnswers(mostBytes, log), reasons: () => lines.map(({ fields }) => fields?.['reason']) }
  }

  test('are bounded for one, for a tenant and for the process; small ones are not counted', async () => {
    const { answers, reasons } = open(512 * mib)
    const response = await openResponse()
    const hold = (tenantId: string, bytes: number) => answers.hold({ response }, tenantId, bytes)
    response.setMaxListeners(0)
    expect(hold(tenant, 33 * mib)).toBe(false)
    expect([1, 2, 3, 4].map(() => hold(tenant, 32 * mib))).toEqual([true, true, true, true])
    expect(hold(tenant, mib)).toBe(false)
    for (const other of ['b', 'c', 'd']) {
      for (let index = 0; index < 4; index++) expect(hold(other, 32 * mib)).toBe(true)
    }
    expect(hold('e', mib)).toBe(false)
    expect(hold('e', 256 * kib)).toBe(true)
    expect(reasons()).toEqual(['answer', 'tenant', 'process'])
  })

  test('what has grown is counted once, and given back with its response', async () => {
    const { answers } = open(32 * mib)
    const [call, other] = [{ response: await openResponse() }, { response: await openResponse() }]
    for (let bytes = mib; bytes <= 32 * mib; bytes += mib) expect(answers.hold(call, tenant, bytes)).toBe(true)
    expect(answers.hold(other, 'b', mib)).toBe(false)
    call.response.end()
    await once(call.response, 'close')
    expect(answers.hold(other, 'b', 32 * mib)).toBe(true)
  })

  test('nothing is counted for a response that has closed already', async () => {
    const { answers } = open(32 * mib)
    const call = { response: await openResponse() }
    call.response.destroy()
    await once(call.response, 'close')
    expect(answers.hold(call, tenant, 32 * mib)).toBe(true)
    expect(answers.hold({ response: await openResponse() }, 'b', 32 * mib)).toBe(true)
  })

  test('one more is refused as its provider’s fault, while small ones pass, until others have gone', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let asked = 0
    const { log } = createMemoryLog()
    const chat = await openChat(
      ({ body }) => {
        const size = Number(JSON.parse(body).messages[0].content)
        const whole = JSON.stringify(say('openai', { text: ['x'.repeat(size)] }, false).body)
        const gate = size > 256 * kib ? gates[asked++] : undefined
        return {
          async write(response) {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.write(whole.slice(0, -1))
            await gate?.promise
            response.end(whole.slice(-1))
          },
        }
      },
      { parts: { largeAnswers: createLargeAnswers(mib, log) } },
    )
    const ask = (size: number) => chat.ask({ messages: [{ role: 'user', content: String(size) }] })
    const first = ask(700 * kib)
    await expect.poll(() => asked).toBe(1)
    await sleep(500)
    expect(await ask(700 * kib)).toMatchObject({ status: 502, text: expect.stringContaining('provider_unavailable') })
    expect((await ask(100 * kib)).status).toBe(200)
    gates[0]?.resolve()
    expect((await first).status).toBe(200)
    expect((await ask(700 * kib)).status).toBe(200)
  })
})

async function openResponse(): Promise<ServerResponse> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const asked = once(server, 'request')
  const client = get({ port: (server.address() as AddressInfo).port, agent: false }, response => response.resume())
  // A test may destroy the response, which this client sees as an error.
  client.on('error', () => undefined)
  return (await asked)[1]
}
