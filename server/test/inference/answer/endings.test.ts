// Tests answers that do not end well: clients that disconnect at any moment or stop reading, providers that misbehave
// in every way, kill switches, and a killed process. Each gets the right error, none hangs, and each is charged once.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { roomFor } from '../../support/slowness.ts'
import { startProduct } from '../../support/start-product.ts'
import { eventsOf, openStage, openStageOfTest, type Stage, type TestProject } from '../inference-stage.ts'

const prove = inject('prove')
const pieces = Array.from({ length: 40 }, (_, index) => `piece ${index} `)
const events = openaiEvents({ text: pieces })
const streamHead = { 'content-type': 'text/event-stream' }

/** A random seed for each run, printed so that a failed run can be repeated. */
let seed = Math.floor(Math.random() * 2 ** 31)
console.info(`endings: seed ${seed}`)
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return seed % below
}

let stage: Stage
/** With the usual timeouts: a pause of this machine ends no stream. */
let patient: Stage
let project: TestProject

beforeAll(async () => {
  stage = await openStage('sqlite', { UPSTREAM_TIMEOUT: '1', UPSTREAM_IDLE_TIMEOUT: '1' })
  patient = await openStage('sqlite')
  project = await stage.makeProject({ settings: { tokens_per_day: 1_000_000_000 } })
})
afterAll(() => Promise.all([stage.stop(), patient.stop()]))

describe('a client that leaves', () => {
  test('in the middle of a stream: the provider is let go within a second, and each costs once', async () => {
    const count = prove ? 1_000 : 50
    const own = await patient.makeProject({ settings: { tokens_per_day: 1_000_000_000 } })
    const closedAt = new Map<string, number>()
    patient.script(({ body }) => ({ write: response => dripUntilClosed(response, markOf(body), closedAt) }))
    const lateness: number[] = []
    const one = async (index: number) => {
      const mark = `abort-${index}`
      const answer = await own.open({ messages: [{ role: 'user', content: mark }] })
      const wanted = random(20)
      while (eventsOf(wholeEvents(answer.text())).length < wanted) {
        if (answer.response.closed) throw new Error(`ended before the client left: ${answer.text().slice(-300)}`)
        await sleep(3)
      }
      const leftAt = performance.now()
      answer.abort()
      await expect.poll(() => closedAt.get(mark), { interval: 5 }).toBeDefined()
      lateness.push((closedAt.get(mark) ?? Number.POSITIVE_INFINITY) - leftAt)
    }
    await inParallel(count, 25, one)
    lateness.sort((a, b) => a - b)
    expect(lateness[Math.floor(lateness.length * 0.99)]).toBeLessThan(roomFor(1_000))
    await expect.poll(async () => (await own.usage()).requests).toBe(count)
    const { total_tokens } = await own.usage()
    const rows = await patient.harness.query<{ count: number; estimated: number }>(
      'select count(*) as count, sum(is_estimated) as estimated from usage_records where project_id = ?',
      [own.id],
    )
    expect(rows).toEqual([{ count, estimated: count }])
    await expect.poll(() => spentOf(own)).toBe(total_tokens)
  })

  test('by a reset, before the answer: the provider is let go, and the prompt was read', async () => {
    const own = await stage.makeProject()
    const closed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    stage.script({
      write(response) {
        response.once('close', () => closed.resolve())
        asked.resolve()
      },
    })
    const request = await own.begin()
    await asked.promise
    request.socket?.resetAndDestroy()
    await closed.promise
    await expect.poll(() => own.usage()).toMatchObject({ requests: 1 })
    const { total_tokens } = await own.usage()
    expect(total_tokens).toBeGreaterThan(0)
    expect(await spentOf(own)).toBe(total_tokens)
  })

  test('by a reset, before a second try: there is none', async () => {
    const own = await stage.makeProject()
    let asked = 0
    stage.script(() => {
      asked++
      return { status: 429, headers: { 'retry-after': '2' }, body: {} }
    })
    const request = await own.begin()
    await expect.poll(() => asked, { interval: 5 }).toBe(1)
    await sleep(300)
    request.socket?.resetAndDestroy()
    await sleep(2_700)
    expect(asked).toBe(1)
  })

  test('and one that does not read is given up', async () => {
    const own = await stage.makeProject()
    const closed = Promise.withResolvers<void>()
    const large = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) }, finish_reason: null }] })}\n\n`
    stage.script({
      async write(response) {
        response.writeHead(200, streamHead)
        response.once('close', () => closed.resolve())
        while (!response.destroyed) if (!response.write(large)) await drained(response)
      },
    })
    const answer = await own.open()
    answer.response.pause()
    await closed.promise
    await expect.poll(async () => (await own.usage()).requests).toBe(1)
  })
})

describe('a provider that misbehaves', () => {
  type Misdeed = (response: ServerResponse) => unknown
  const some = () => events.slice(0, 1 + random(20)).join('')
  const begin = (response: ServerResponse) => response.writeHead(200, streamHead)
  const early: Record<string, Misdeed> = {
    'hangs up': response => response.req.socket.destroy(),
    resets: response => response.req.socket.resetAndDestroy(),
    'answers in HTML': response => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>fine</html>'),
    'answers in HTML that is called events': response => begin(response).end('<html>fine</html>'),
    'answers nothing': response => begin(response).end(),
    'answers an empty body': response => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    'answers with JSON that is none': response =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":'),
    'answers with another JSON': response => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
    'answers with an event that is none': response => begin(response).end('data: {nope}\n\ndata: [DONE]\n\n'),
    'answers in bytes that are no text': response =>
      begin(response).end(Buffer.from('data: {"a":"\xff\xfe"}\n\n', 'latin1')),
    redirects: response => response.writeHead(307, { location: `${stage.upstream.url}/v1/elsewhere` }).end(),
    'redirects for good': response => response.writeHead(301, { location: 'http://127.0.0.1:1/v1' }).end(),
    compresses: response => response.writeHead(200, { ...streamHead, 'content-encoding': 'gzip' }).end('x'),
    'says nothing': () => undefined,
    'says nothing behind its head': response => void begin(response).flushHeaders(),
    'breaks HTTP': response => response.req.socket.end('HTTP/1.1 2x0 what\r\n\r\n'),
    'ends a body early': response =>
      response.req.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{}'),
    'fails in a large page': response =>
      response.writeHead(500, { 'content-type': 'text/html' }).end('x'.repeat(300_000)),
  }
  const late: Record<string, Misdeed> = {
    'hangs up in the middle': response => begin(response).write(some(), () => response.req.socket.destroy()),
    'resets in the middle': response => begin(response).write(some(), () => response.req.socket.resetAndDestroy()),
    'ends in the middle': response => begin(response).end(some()),
    'ends within an event': response => begin(response).end(`${some()}data: {"id":"x","cho`),
    'stalls in the middle': response => begin(response).write(some()),
    'goes on with bytes that are no text': response =>
      begin(response).end(Buffer.concat([Buffer.from(some()), Buffer.from('data: {"a":"\xff"}\n\n', 'latin1')])),
    'goes on with a line without an end': response => {
      begin(response).write(some())
      return writeEndlessly(response)
    },
    'goes on with something else': response => begin(response).end(`${some()}data: <html>\n\ndata: [DONE]\n\n`),
    'says that it is done without a reason': response => begin(response).end(`${some()}data: [DONE]\n\n`),
  }

  const names = [...Object.keys(early), ...Object.keys(late)]
  test(`in any of ${names.length} ways is mapped, whatever was asked for`, async () => {
    const count = prove ? 500 : 60
    const elsewhere: unknown[] = []
    stage.upstream.on('*', ({ headers }) => {
      elsewhere.push(headers)
      return { body: {} }
    })
    // Many tenants, because otherwise a circuit breaker would reject requests before the provider.
    const tenants: TestProject[] = []
    await inParallel(prove ? 80 : 12, 4, async () => void tenants.push(await stage.makeProject()))
    stage.script(({ body }) => {
      const name = markOf(body)
      const misdeed = early[name] ?? late[name]
      return misdeed === undefined ? { status: 200, body: {} } : { write: response => void misdeed(response) }
    })
    await inParallel(count, 6, async index => {
      const name = names[index % names.length] ?? ''
      const own = tenants[index % tenants.length] ?? project
      const stream = name in late || random(2) === 0
      const answer = await own.complete({ stream, messages: [{ role: 'user', content: name }] })
      expect(answer.text, name).not.toMatch(/sk-|\[DONE\]|html/)
      if (answer.status === 200) {
        expect(name in late, `${name}: ${answer.text}`).toBe(true)
        const last = eventsOf(answer.text).at(-1)
        expect(last, name).toMatchObject({ error: { type: 'server_error', code: expect.stringMatching(/^provider_/) } })
        expect(answer.text, name).not.toMatch(/"finish_reason":"/)
      } else {
        expect(answer.status, name).toBe(502)
        expect(answer.body, name).toMatchObject({
          error: { type: 'server_error', code: expect.stringMatching(/^provider_/) },
        })
      }
    })
    // No redirect was followed, so no key was sent elsewhere.
    expect(elsewhere).toEqual([])
  })
})

test.each([
  ['an answer', 200, 32, 502],
  ['a refusal', 400, 0, 400],
])('%s without an end is read up to a size and no further', async (_name, status, maxMegabytes, told) => {
  const own = await stage.makeProject()
  let written = 0
  const closed = Promise.withResolvers<void>()
  stage.script({
    async write(response) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.once('close', () => closed.resolve())
      while (!response.destroyed && written < 300 * 1024 * 1024) {
        written += 100_000
        if (!response.write('x'.repeat(100_000))) await drained(response)
      }
    },
  })
  expect(await own.complete()).toMatchObject({ status: told })
  await closed.promise
  // Socket buffers hold some bytes in addition.
  expect(written).toBeLessThan((maxMegabytes + 30) * 1024 * 1024)
})

describe('a call that must end', () => {
  test('a kill switch ends a stream with its word, and what was sent is paid', async () => {
    const own = await patient.makeProject()
    const closedAt = new Map<string, number>()
    patient.script({ write: response => dripUntilClosed(response, 'x', closedAt) })
    const answer = await own.open()
    const switched = await patient.harness.call('POST', `/v1/admin/killswitch/project/${own.id}`, {
      adminSecret: patient.harness.adminSecret,
      body: { enabled: true },
    })
    expect(switched.status).toBe(200)
    const begun = performance.now()
    expect(await answer.ended).toBe(true)
    expect(performance.now() - begun).toBeLessThan(roomFor(2_000))
    expect(eventsOf(answer.text()).at(-1)).toMatchObject({ error: { code: 'service_disabled' } })
    const { session } = patient.harness.owner
    const path = `/auth/v1/projects/${own.id}/requests`
    await expect
      .poll(async () => (await patient.harness.call('GET', path, { session })).body)
      .toMatchObject({ data: [{ status: 200, error: 'service_disabled', kill_switch: 'project' }] })
    await expect.poll(() => closedAt.size).toBe(1)
    await expect
      .poll(() => patient.harness.query('select request_id from usage_records where project_id = ?', [own.id]))
      .toHaveLength(1)
  })

  test.each([
    ['PUT', 'block', 'User is blocked'],
    ['POST', 'revoke-tokens', 'Token revoked'],
  ])('%s %s of its user ends a stream and says why', async (method, action, message) => {
    const own = await patient.makeProject()
    patient.script({ write: response => dripUntilClosed(response, 'x', new Map()) })
    const answer = await own.open()
    const path = `/auth/v1/projects/${own.id}/users/alice/${action}`
    const { session } = patient.harness.owner
    expect(await patient.harness.call(method, path, { session, body: {} })).toMatchObject({ status: 200 })
    const begun = performance.now()
    expect(await answer.ended).toBe(true)
    expect(performance.now() - begun).toBeLessThan(roomFor(2_000))
    expect(eventsOf(answer.text()).at(-1)).toEqual({
      error: { message, type: 'server_error', param: null, code: 'service_disabled' },
    })
    expect(answer.text()).not.toContain('[DONE]')
  })
})

test('kill -9 loses at most the usage of the last 0.3 seconds', async () => {
  const stage = await openStageOfTest('sqlite', {}, 'process')
  const own = await stage.makeProject()
  stage.script(({ body }) => say('openai', { text: ['a'] }, JSON.parse(body).stream === true))
  const endedAt: number[] = []
  let isKilled = false
  const ask = async () => {
    while (!isKilled) {
      const answer = await own.complete().catch(() => null)
      if (answer?.status === 200) endedAt.push(performance.now())
    }
  }
  const asking = [ask(), ask(), ask(), ask()]
  await expect.poll(() => endedAt.length).toBeGreaterThan(prove ? 1_000 : 50)
  const killedAt = performance.now()
  await stage.harness.product.kill()
  isKilled = true
  await Promise.all(asking)
  const lostMs = roomFor(300)
  const product = await startProduct({ env: { ...stage.harness.env, PORT: String(stage.harness.product.port) } })
  const rows = await stage.harness.query('select request_id from usage_records where project_id = ?', [own.id])
  await product.stop()
  expect(rows.length).toBeGreaterThanOrEqual(endedAt.filter(at => at < killedAt - lostMs).length)
})

test('a stop writes what waits', async () => {
  const stage = await openStageOfTest('sqlite')
  const own = await stage.makeProject()
  stage.script(say('openai', { text: ['a'] }, false))
  await Promise.all(Array.from({ length: 30 }, () => own.complete()))
  expect(await stage.harness.product.stop()).toBe(0)
  expect(await stage.harness.query('select request_id from usage_records')).toHaveLength(30)
})

const markOf = (body: string): string => JSON.parse(body).messages.at(-1).content
const wholeEvents = (text: string): string => text.slice(0, text.lastIndexOf('\n\n') + 2)

async function dripUntilClosed(response: ServerResponse, mark: string, closedAt: Map<string, number>): Promise<void> {
  response.once('close', () => closedAt.set(mark, performance.now()))
  response.writeHead(200, streamHead)
  for (const event of events.slice(0, -3)) {
    if (response.destroyed) return
    response.write(event)
    await sleep(8)
  }
  while (!response.destroyed) {
    response.write(events[5] ?? '')
    await sleep(50)
  }
}

async function writeEndlessly(response: ServerResponse): Promise<void> {
  response.write('data: ')
  while (!response.destroyed) if (!response.write('x'.repeat(100_000))) await drained(response)
}

async function drained(response: ServerResponse): Promise<void> {
  while (response.writableNeedDrain && !response.destroyed) await sleep(2)
}

async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Reads the day's spent tokens from the headers of a request that costs none. */
async function spentOf(own: TestProject): Promise<number> {
  const { headers } = await own.ask('GET', '/v1/models')
  const [total, remaining] = ['limit', 'remaining'].map(name => Number(headers[`x-ratelimit-${name}-tokens`]))
  return (total ?? 0) - (remaining ?? 0)
}
