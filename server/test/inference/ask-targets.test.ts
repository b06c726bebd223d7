// The loop over the targets of one call, in cases that the product produces rarely: an open breaker, a client that leaves
// between two targets, a prompt that one format cannot express, and a call whose time is over.
import { describe, expect, test } from 'vitest'
import { createBreakers } from '../../src/inference/target/breakers.ts'
import type { ChosenTarget, RouteRules } from '../../src/inference/target/choose-target.ts'
import { errorResponse, say } from '../support/simulated/provider-answers.ts'
import { type Script, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { openChat } from './chat-stage.ts'

const rules: RouteRules = { timeoutMs: null, firstTokenTimeoutMs: null, retry: { attempts: 0 } }
const ok = say('openai', { text: ['ok'] }, false)

type Parts = NonNullable<Parameters<typeof openChat>[1]>['parts']

/** A chat whose targets are these providers, in this order. */
async function openTargets(scripts: Script[], parts: Parts = {}, changes: Partial<ChosenTarget>[] = []) {
  const others = await Promise.all(
    scripts.slice(1).map(async script => {
      const upstream = await startUpstream()
      upstream.on('POST /v1/chat/completions', script)
      upstream.on('POST /v2/chat', script)
      return upstream
    }),
  )
  const targets: ChosenTarget[] = []
  const chat = await openChat(scripts[0] ?? {}, {
    parts: { ...parts, targets: { chooseKnown: () => null, choose: async () => [targets[0]!, ...targets.slice(1)] } },
  })
  const upstreams = [chat.upstream, ...others]
  for (const [at, { url }] of upstreams.entries()) {
    const modelId = `openai/model-${at}`
    targets.push({ ...chat.target, modelId, baseUrl: `${url}/v1`, route: rules, ...changes[at] })
  }
  const stop = async () => await Promise.all(others.map(upstream => upstream.close()))
  return { chat, upstreams, stop, asked: () => upstreams.map(({ requests }) => requests.length) }
}

test('a target whose breaker is open is skipped, and not counted', async () => {
  let now = 0
  const breakers = createBreakers(() => now)
  let isDown = true
  const { chat, asked, stop } = await openTargets([() => (isDown ? errorResponse('openai', 500, 'down') : ok), ok], {
    breakers,
  })
  for (let call = 0; call < 19; call++) expect((await chat.ask()).status).toBe(200)
  now += 5_000
  expect((await chat.ask()).status).toBe(200)
  expect(asked()).toEqual([20, 20])
  expect((await chat.ask()).status).toBe(200)
  expect(asked()).toEqual([20, 21])
  // Half-open: one request is the trial, and heals the target.
  isDown = false
  now += 5_000
  expect((await chat.ask()).status).toBe(200)
  expect(asked()).toEqual([21, 21])
  await stop()
})

test.each([400, 401, 403, 429])('refusals with %s open no breaker, however many and for however long', async status => {
  let now = 0
  const { chat, asked, stop } = await openTargets([errorResponse('openai', status, 'no')], {
    breakers: createBreakers(() => now),
  })
  for (let call = 0; call < 20; call++) await chat.ask()
  now += 5_000
  // As an outage, the next one would open the breaker, which would stop those after it.
  for (let call = 0; call < 5; call++) await chat.ask()
  expect(asked()).toEqual([25])
  await stop()
})

test('with all breakers open, the provider is unavailable', async () => {
  const shut = { failing: { size: 1 }, admits: () => false, noteAnswer: () => undefined, noteFailure: () => undefined }
  const { chat, asked, stop } = await openTargets([ok, ok], { breakers: shut })
  const { status, text } = await chat.ask()
  expect([status, JSON.parse(text).error.code]).toEqual([502, 'provider_unavailable'])
  expect(asked()).toEqual([0, 0])
  await stop()
})

test('short timeouts of one project do not open the breaker of another', async () => {
  const keys = new Set<string>()
  const breakers = {
    failing: { size: 1 },
    admits: (key: string) => Boolean(keys.add(key)),
    noteAnswer: () => undefined,
    noteFailure: () => undefined,
  }
  const down = errorResponse('openai', 500, 'down')
  const short = { route: { ...rules, timeoutMs: 5_000 } }
  const { chat, upstreams, stop } = await openTargets([down, down, ok], { breakers }, [{}, short, {}])
  await chat.ask()
  expect(keys.size).toBe(3)
  expect([...keys].filter(key => key.endsWith(' 5000 null'))).toHaveLength(1)
  expect([...keys].filter(key => key.endsWith(`${upstreams[0]?.url}/v1`))).toHaveLength(1)
  await stop()
})

test('a client that leaves before the first target has failed: no other is asked, and one row is written', async () => {
  const { chat, asked, stop } = await openTargets([{ hangUp: true, delayMs: 300 }, ok])
  const answer = chat.ask()
  await expect.poll(() => asked()[0]).toBe(1)
  chat.end('client_gone')
  await answer
  expect(asked()).toEqual([1, 0])
  expect([chat.rows.length, chat.settled.length]).toEqual([1, 1])
  expect(chat.rows[0]?.model).toBe('openai/model-0')
  await stop()
})

test('a call that ends while its budget is reserved: nobody is asked, and nothing is charged', async () => {
  const [reserving, reserved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const budgets = {
    known: () => null,
    async reserve() {
      reserving.resolve()
      await reserved.promise
      return null
    },
    stop: () => Promise.resolve(),
  }
  const { chat, asked, stop } = await openTargets([ok, ok], { budgets })
  const answer = chat.ask()
  await reserving.promise
  chat.end('client_gone')
  reserved.resolve()
  await answer
  expect(asked()).toEqual([0, 0])
  expect(chat.rows).toEqual([])
  await stop()
})

test('a target whose format cannot express the prompt is skipped; the others decide', async () => {
  const cohere = { provider: 'cohere' as const, modelId: 'cohere/command-a-03-2025', model: 'command-a-03-2025' }
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const body = { messages: [{ role: 'user', content: [audio] }] }
  const { chat, asked, stop } = await openTargets([ok, ok], {}, [cohere])
  expect((await chat.ask(body)).status).toBe(200)
  expect(asked()).toEqual([0, 1])
  await stop()
  const none = await openTargets([ok, ok], {}, [cohere, cohere])
  expect((await none.chat.ask(body)).status).toBe(400)
  expect(none.asked()).toEqual([0, 0])
  await none.stop()
})

test('once the whole time of a call is over, no other target is asked', async () => {
  const { chat, asked, stop } = await openTargets([{ write: () => undefined }, ok], { totalTimeoutMs: 2_000 })
  const { status, text } = await chat.ask()
  expect([status, JSON.parse(text).error.code]).toEqual([502, 'provider_timeout'])
  expect(asked()).toEqual([1, 0])
  await stop()
})

test('a timeout of the routes shortens that of the operator, and never lengthens it', async () => {
  const hang = { write: () => undefined }
  const short = await openTargets([hang, ok], { timeoutMs: 60_000 }, [{ route: { ...rules, timeoutMs: 2_000 } }])
  expect((await short.chat.ask()).status).toBe(200)
  expect(short.asked()).toEqual([1, 1])
  await short.stop()
  const long = await openTargets([hang, ok], { timeoutMs: 2_000 }, [{ route: { ...rules, timeoutMs: 600_000 } }])
  expect((await long.chat.ask()).status).toBe(200)
  await long.stop()
})

test('a stream without a first token in time is given up, however busy it is', async () => {
  const busy: Script = {
    write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write(': working\n\n'), 20)
      response.once('close', () => clearInterval(timer))
    },
  }
  const spoken = say('openai', { text: ['ok'] }, true)
  const limited = { route: { ...rules, firstTokenTimeoutMs: 2_000 } }
  const { chat, asked, stop } = await openTargets([busy, spoken], {}, [limited])
  const { status, text } = await chat.ask({ stream: true })
  expect([status, asked()]).toEqual([200, [1, 1]])
  expect(text).toContain('"ok"')
  await stop()
  // It does not apply to an answer that is not streamed, nor to a stream that has begun.
  const slow: Script = ({ body }) => {
    const isStream = JSON.parse(body).stream === true
    if (!isStream) return { ...ok, delayMs: 3_000 }
    const events = String(say('openai', { text: ['slow', 'ly'] }, true).body).split('\n\n')
    return {
      write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`${events.slice(0, 2).join('\n\n')}\n\n`)
        setTimeout(() => response.end(`${events.slice(2).join('\n\n')}`), 3_000)
      },
    }
  }
  const patient = await openTargets([slow, ok], {}, [limited])
  for (const stream of [true, false]) expect((await patient.chat.ask({ stream })).isWhole).toBe(true)
  expect(patient.asked()).toEqual([2, 0])
  await patient.stop()
})

describe('retries by the routes', () => {
  async function pausesOf(headers: Record<string, string>, attempts: number): Promise<number[]> {
    const times: number[] = []
    const failing = () => {
      times.push(performance.now())
      return errorResponse('openai', 503, 'no', headers)
    }
    const route: RouteRules = { ...rules, retry: { attempts, on: ['5xx'] } }
    const { chat, stop } = await openTargets([failing, ok], {}, [{ route }, {}])
    expect((await chat.ask()).status).toBe(200)
    await stop()
    expect(times).toHaveLength(attempts + 1)
    return times.slice(1).map((time, at) => time - (times[at] ?? 0))
  }

  test('wait longer before each one', async () => {
    const [, second = 0, third = 0] = await pausesOf({}, 3)
    expect(second).toBeGreaterThanOrEqual(249)
    expect(third).toBeGreaterThanOrEqual(499)
  })

  test('wait as long as the provider asks, and at most two seconds', async () => {
    const [short = 0] = await pausesOf({ 'retry-after': '1' }, 1)
    expect(short).toBeGreaterThanOrEqual(999)
    const [long = 0] = await pausesOf({ 'retry-after': '120' }, 1)
    expect(long).toBeGreaterThanOrEqual(1_999)
    expect(long).toBeLessThan(60_000)
  })
})
