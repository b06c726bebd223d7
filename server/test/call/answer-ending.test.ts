// Tests how a relayed answer ends: once, by whatever comes first, with its cost settled before the client gets the end.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { AnswerEnding, type RelayedAnswer } from '../../src/call/answer-ending.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { createCall } from '../support/calls.ts'

type Step = (ending: AnswerEnding, call: ReturnType<typeof createCall>) => void

interface RelayOptions {
  /** Whether the client has received anything of the answer. */
  hasBegun?: boolean
  settle?: () => Promise<void> | null
  endWithError?: () => void
}

/** An answer that writes down what it is asked to do. */
function openAnswer({ hasBegun = true, settle, endWithError }: RelayOptions = {}) {
  const steps: string[] = []
  const { log, lines } = createMemoryLog()
  const call = createCall()
  if (hasBegun) call.response.writeHead(200)
  const answer: RelayedAnswer = {
    settle(end) {
      steps.push(`settle ${end}`)
      return settle?.() ?? null
    },
    endWithError(refusal, end) {
      if (!hasBegun) return false
      steps.push(`error ${refusal.code} ${end}`)
      endWithError?.()
      return true
    },
    drop: () => void steps.push('drop'),
  }
  const done = () => void steps.push('done')
  const refuse = (error: unknown) =>
    void steps.push(`refuse ${error instanceof Refusal ? error.code : (error as Error).message}`)
  const ending = new AnswerEnding({ call, answer, done, refuse, idleTimeoutMs: 1_000, log })
  ending.start(() => steps.push('begin'))
  return { ending, call, steps, lines }
}

const fault = () => {
  throw new Error('a step failed')
}
const all: [name: string, step: Step, expected: string[]][] = [
  ['is complete', ending => ending.complete(() => undefined), ['settle complete', 'done']],
  [
    'breaks off',
    ending => ending.fail('truncated', new Refusal('provider_unavailable')),
    ['settle truncated', 'error provider_unavailable truncated', 'done'],
  ],
  [
    'has to end early',
    (_ending, call) => call.end('service_disabled'),
    ['settle service_disabled', 'error service_disabled service_disabled', 'done'],
  ],
  ['loses its client', (_ending, call) => call.end('client_gone'), ['settle client_gone', 'drop', 'done']],
  [
    'meets an internal error',
    ending => ending.abandon(new Error('a step failed')),
    ['settle internal', 'error internal internal', 'done'],
  ],
]

test.each(all)('an answer that %s ends once, whatever comes after it', (_name, first, expected) => {
  for (const [, second] of all) {
    const { ending, call, steps } = openAnswer()
    first(ending, call)
    expect(ending.isPassing).toBe(false)
    second(ending, call)
    expect(steps).toEqual(['begin', ...expected])
  }
})

test.each([
  ['breaks off', all[1]![1], ['settle truncated', 'refuse provider_unavailable']],
  ['has to end early', all[2]![1], ['settle service_disabled', 'refuse service_disabled']],
  ['meets an internal error', all[4]![1], ['settle internal', 'refuse a step failed']],
])('an answer of which nothing was sent and that %s is refused', (_name, step, expected) => {
  const { ending, call, steps } = openAnswer({ hasBegun: false })
  step(ending, call)
  expect(steps).toEqual(['begin', ...expected])
})

test('the client hears of an error of the settlement, which is logged, and the cost is settled once', () => {
  const { ending, steps, lines } = openAnswer({ settle: fault })
  ending.complete(() => steps.push('finish') as unknown as undefined)
  expect(steps).toEqual(['begin', 'settle complete', 'error internal internal', 'done'])
  expect(lines.map(({ event }) => event)).toEqual(['answer could not be passed on'])
})

test('a rest that is written later may fail too', async () => {
  const { ending, steps } = openAnswer()
  ending.complete(async () => fault())
  expect(steps).toEqual(['begin', 'settle complete'])
  await expect.poll(() => steps.at(-1)).toBe('done')
  expect(steps).toEqual(['begin', 'settle complete', 'error internal internal', 'done'])
})

test('the client gets the end only once the cost is kept', async () => {
  const kept = Promise.withResolvers<void>()
  const { ending, call, steps } = openAnswer({ settle: () => kept.promise })
  ending.complete(() => void steps.push('finish'))
  call.end('service_disabled')
  expect(steps).toEqual(['begin', 'settle complete'])
  kept.resolve()
  await expect.poll(() => steps).toEqual(['begin', 'settle complete', 'finish', 'done'])
})

test('if even the error cannot be written, the connection is closed', () => {
  const { ending, call, steps } = openAnswer({ endWithError: fault })
  ending.fail('truncated', new Refusal('provider_unavailable'))
  expect(call.response.destroyed).toBe(true)
  expect(steps.at(-1)).toBe('done')
})

test('a call that has ended before is not begun', () => {
  const call = createCall()
  call.watch()
  call.end('service_disabled')
  const steps: string[] = []
  const answer: RelayedAnswer = { settle: () => null, endWithError: () => false, drop: () => undefined }
  const { log } = createMemoryLog()
  const refuse = () => void steps.push('refuse')
  const ending = new AnswerEnding({ call, answer, done: () => undefined, refuse, idleTimeoutMs: 1_000, log })
  ending.start(() => steps.push('begin'))
  expect(steps).toEqual(['refuse'])
})

test('a client that does not take the rest of a complete answer loses its connection', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const asked = once(server, 'request')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => undefined)
  onTestFinished(() => void client.destroy())
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = (await asked) as [IncomingMessage, ServerResponse]
  const closed = once(response, 'close')
  const answer: RelayedAnswer = { settle: () => null, endWithError: () => false, drop: () => undefined }
  const { log } = createMemoryLog()
  const ways = { done: () => undefined, refuse: () => undefined }
  const ending = new AnswerEnding({ call: createCall({ response }), answer, ...ways, idleTimeoutMs: 300, log })
  // More than the kernel buffers for a client that does not read.
  ending.start(() => ending.complete(() => void response.end(Buffer.alloc(64 * 1024 * 1024))))
  await closed
  expect(response.writableFinished).toBe(false)
})
