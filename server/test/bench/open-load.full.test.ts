// Tests the bench's load program for open loops against a server of this test.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { readRecorded } from '../../../bench/open-loop/percentiles.ts'
import { compileOpenLoad } from '../../../bench/open-loop/run-open-loop.ts'
import { paceEvenly, paceInBursts, type Schedule } from '../../../bench/open-loop/schedule.ts'
import { startProcess } from '../support/server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-open-load-'))
let program: string

beforeAll(() => {
  program = compileOpenLoad(folder)
  return () => rmSync(folder, { recursive: true, force: true })
})

interface Load {
  schedule: Schedule
  connections: number
  connecting: 'kept' | 'fresh'
  body?: string
}

async function run(handler: RequestListener, { schedule, connections, connecting, body = '{}' }: Load) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler)
  let accepted = 0
  server.on('connection', () => {
    accepted++
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const schedules = file('schedule', new Uint8Array(schedule.departures.buffer))
  const records = join(folder, 'records')
  const { port } = server.address() as AddressInfo
  const load = await startProcess({
    command: program,
    args: [String(port), String(connections), schedules, records, connecting],
    env: {
      BENCH_TOKENS: file('tokens', 'one.localhost first\ntwo.localhost second\n'),
      BENCH_PATH: '/v1/chat/completions',
      BENCH_BODY: file('body', body),
      BENCH_HEADERS: 'X-More: yes\nX-Other: no',
      BENCH_UNIQUE: '41',
    },
  })
  expect(await load.exitCode, load.stderr()).toBe(0)
  const printed = JSON.parse(/RESULT (.*)/.exec(load.stdout())![1]!) as Record<string, number>
  return { printed, accepted, ...readRecorded(readFileSync(records), schedule.warmCount) }
}

const answerAtOnce: RequestListener = (request, response) => {
  request.resume().once('end', () => response.setHeader('content-length', 2).end('{}'))
}

test('waiting in line counts: one slow answer makes those behind it late', async () => {
  let seen = 0
  const { printed, latencies } = await run(
    (request, response) => {
      if (++seen !== 20) return answerAtOnce(request, response)
      request.resume()
      setTimeout(() => response.end('{}'), 500)
    },
    { schedule: paceEvenly({ ratePerSecond: 100, warmSeconds: 0.1, seconds: 1 }), connections: 1, connecting: 'kept' },
  )
  expect(printed).toMatchObject({ requests: 110, refused: 0, broken: 0, unanswered: 0 })
  expect(latencies).toHaveLength(100)
  expect(latencies.at(-1)).toBeGreaterThanOrEqual(500_000)
  // One every 10 ms is due meanwhile, each waiting 10 ms less than the one before.
  expect(latencies.filter(micros => micros > 100_000).length).toBeGreaterThanOrEqual(35)
  expect(printed['waited']).toBeGreaterThanOrEqual(35)
})

test('requests leave on schedule while earlier ones are in flight', async () => {
  let [open, most] = [0, 0]
  const { printed } = await run(
    (request, response) => {
      most = Math.max(most, ++open)
      request.resume()
      setTimeout(() => {
        open--
        response.end('{}')
      }, 400)
    },
    { schedule: paceEvenly({ ratePerSecond: 50, warmSeconds: 0, seconds: 0.6 }), connections: 64, connecting: 'kept' },
  )
  expect(printed['waited']).toBe(0)
  expect(most).toBeGreaterThanOrEqual(10)
})

test('connections are kept, or made for each request', async () => {
  const schedule = paceInBursts({ size: 8, count: 3, everyMs: 50 })
  const kept = await run(answerAtOnce, { schedule, connections: 8, connecting: 'kept' })
  expect(kept.accepted).toBe(8)
  const fresh = await run(answerAtOnce, { schedule, connections: 8, connecting: 'fresh' })
  expect(fresh.accepted).toBe(32)
  expect(fresh.printed).toMatchObject({ requests: 32, refused: 0, broken: 0, unanswered: 0 })
  expect(fresh.latencies).toHaveLength(24)
})

test('answers in chunks end with the last one; requests have tokens, headers and a number of their own', async () => {
  const seen: string[] = []
  const { printed } = await run(
    (request, response) => {
      const { host, authorization } = request.headers
      let body = ''
      request.on('data', (piece: Buffer) => {
        body += piece.toString()
      })
      request.once('end', () => {
        seen.push(`${request.method} ${request.url} ${host} ${authorization} ${request.headers['x-more']} ${body}`)
        response.write('{')
        setTimeout(() => response.end('}'), 5)
      })
    },
    {
      schedule: paceEvenly({ ratePerSecond: 50, warmSeconds: 0, seconds: 0.06 }),
      connections: 1,
      connecting: 'kept',
      body: '{"user":"@@@@@@@@@@@@"}',
    },
  )
  expect(printed).toMatchObject({ requests: 3, refused: 0, broken: 0, unanswered: 0 })
  expect(seen).toEqual([
    'POST /v1/chat/completions one.localhost Bearer first yes {"user":"000000000041"}',
    'POST /v1/chat/completions two.localhost Bearer second yes {"user":"000000000042"}',
    'POST /v1/chat/completions one.localhost Bearer first yes {"user":"000000000043"}',
  ])
})

test('answers other than 2xx and broken connections are counted', async () => {
  let seen = 0
  const { printed, latencies, failures } = await run(
    (request, response) => {
      seen++
      if (seen === 2) request.socket.destroy()
      else {
        response.statusCode = seen === 3 ? 429 : 200
        answerAtOnce(request, response)
      }
    },
    { schedule: paceEvenly({ ratePerSecond: 50, warmSeconds: 0, seconds: 0.1 }), connections: 1, connecting: 'kept' },
  )
  expect(printed).toMatchObject({ requests: 5, refused: 1, broken: 1, unanswered: 0 })
  expect(latencies).toHaveLength(3)
  expect(failures).toBe(2)
})
