// Tests slow, silent and endless providers with the inference role in a separate process: they end as they do in one.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { openaiEvents, say } from '../support/simulated/provider-answers.ts'
import type { Product } from '../support/start-product.ts'
import { contentOf } from './guard/guard-stage.ts'
import { type Answer, eventsOf, type Stage, type TestProject, textOf } from './inference-stage.ts'
import { startSplitRoles } from './split-roles-stage.ts'

let stage: Stage
let project: TestProject
let gateway: Product

beforeAll(async () => {
  const roles = await startSplitRoles()
  ;({ stage, project, gateway } = roles)
  return roles.stop
})

const at = () => ({ port: gateway.port })
const whole = openaiEvents({ text: ['Hel', 'lo'] })
const writers = new Map<string, (response: ServerResponse, question: string) => Promise<void>>()
const plain = JSON.stringify(say('openai', { text: ['Hello'] }, false).body)
const sse = { 'content-type': 'text/event-stream' }

/** Writes for longer than both idle timeouts, with shorter pauses. */
async function keepSaying(words: string, response: ServerResponse): Promise<void> {
  for (let each = 0; each < 14 && !response.destroyed; each++) {
    response.write(words)
    await sleep(500)
  }
}

type Write = (response: ServerResponse, turn: number) => Promise<void>

const slow: Record<string, Write> = {
  async 'a stream with comments before its first event'(response) {
    response.writeHead(200, sse)
    await keepSaying(': OPENROUTER PROCESSING\n\n', response)
    response.end(whole.join(''))
  },
  async 'a stream with comments between two events'(response) {
    response.writeHead(200, sse).write(whole[0]!)
    await keepSaying(': OPENROUTER PROCESSING\n\n', response)
    response.end(whole.slice(1).join(''))
  },
  async 'an answer behind white space'(response) {
    response.writeHead(200, { 'content-type': 'application/json' })
    await keepSaying('\n', response)
    response.end(plain)
  },
  async 'a stream with a late head and a late event'(response) {
    await sleep(3_000)
    response.writeHead(200, sse).flushHeaders()
    await sleep(3_000)
    response.end(whole.join(''))
  },
  async 'a stream after a late fault'(response, turn) {
    await sleep(3_000)
    if (turn === 1) response.writeHead(503).end()
    else response.writeHead(200, sse).end(whole.join(''))
  },
}
const silent: Record<string, Write> = {
  'silence at all': async () => undefined,
  'silence after the head': async response => void response.writeHead(200, sse).flushHeaders(),
}

const dripping: Record<string, Write> = {
  async 'a stream without an end'(response) {
    response.writeHead(200, sse).write(whole[0]!)
    await dripUntilLeft(whole[1]!, response)
  },
  async 'a plain answer without an end'(response) {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[{"message":{"content":"')
    await dripUntilLeft('a', response)
  },
}

async function dripUntilLeft(words: string, response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(words)
    await sleep(200)
  }
}

/** Sends the same request to one process and to two. */
async function askBoth(own: TestProject, name: string): Promise<Answer[]> {
  const turns = new Map<string, number>()
  writers.set(name, (response, question) => {
    const turn = (turns.get(question) ?? 0) + 1
    turns.set(question, turn)
    return { ...slow, ...silent, ...dripping }[name]!(response, turn)
  })
  stage.script(({ body }) => {
    const [{ content }] = JSON.parse(body).messages
    return { write: response => writers.get(content.split(',')[0])!(response, content) }
  })
  const stream = name.startsWith('a stream') || name.startsWith('silence')
  const bodyOf = (place: string) => ({ stream, messages: [{ role: 'user', content: `${name}, ${place}` }] })
  return await Promise.all([own.complete(bodyOf('together')), own.complete(bodyOf('apart'), at())])
}

test.concurrent.each(Object.keys(slow))('in one process and in two, in time: %s', async name => {
  const answers = await askBoth(project, name)
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  for (const { text, body } of answers) {
    expect(body === null ? textOf(eventsOf(text)) : contentOf({ body } as Answer)).toBe('Hello')
  }
})

test.concurrent.each(Object.keys(silent))('in one process and in two, too late: %s', async name => {
  for (const answer of await askBoth(await stage.makeProject(), name)) {
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_timeout' } } })
  }
})

test.concurrent('in one process and in two, without an end: a plain answer', async () => {
  for (const answer of await askBoth(await stage.makeProject(), 'a plain answer without an end')) {
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_timeout' } } })
  }
})

test.concurrent('in one process and in two, without an end: a stream, which costs what its rows say', async ({
  expect,
}) => {
  const own = await stage.makeProject({ settings: { tokens_per_day: 1_000_000 } })
  for (const { status, text } of await askBoth(own, 'a stream without an end')) {
    expect(status).toBe(200)
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: 'provider_timeout' } })
    expect(text).not.toContain('[DONE]')
  }
  await expect.poll(async () => (await own.usage(at())).requests).toBe(2)
  const { total_tokens } = await own.usage(at())
  await expect.poll(() => spent(own)).toBe(total_tokens)
})

/** Reads the spent tokens from the headers of a request that costs none. */
async function spent(own = project): Promise<number> {
  const { headers } = await own.ask('GET', '/v1/models')
  const [limit, remaining] = ['limit', 'remaining'].map(name => Number(headers[`x-ratelimit-${name}-tokens`]))
  return (limit ?? 0) - (remaining ?? 0)
}
