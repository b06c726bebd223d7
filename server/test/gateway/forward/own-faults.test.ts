// Tests exceptions of our own code during an answer: it ends with an error, no truncated answer looks complete, and the
// error is logged.
import { expect, test } from 'vitest'
import {
  delta,
  openStream,
  requestText,
  runForwarder,
  type StreamReader,
  startUpstream,
  until,
} from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

const fault = () => {
  throw new TypeError('our own fault')
}
const answers = {
  plain: () => startUpstream((_request, response) => response.setHeader('content-type', 'application/json').end('{}')),
  stream: () =>
    startUpstream((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('a') + delta('b')),
    ),
  broken: () => startUpstream((_request, response) => response.socket?.destroy()),
}

const lastEventOf = (stream: StreamReader) => JSON.parse(parseEvents(stream.body()).at(-1)?.data ?? '')
const internal = { error: { message: 'Internal server error', type: 'server_error', param: null, code: null } }

test.each(['plain', 'broken'] as const)('at the settlement of an answer that is %s', async kind => {
  const stage = await runForwarder(await answers[kind](), { onSettle: fault })
  const stream = openStream(stage.port, requestText(['connection: close']))
  await stream.closed
  expect(stream.text()).toMatch(/^HTTP\/1.1 500 /)
  expect(stream.isComplete()).toBe(false)
  await expectLine(stage.lines, 'request failed')
})

test('at the settlement of an answer that is a stream', async () => {
  const stage = await runForwarder(await answers.stream(), { onSettle: fault })
  const stream = openStream(stage.port, requestText(['connection: close']))
  await stream.closed
  expect(stream.text()).toMatch(/^HTTP\/1.1 200 /)
  expect(lastEventOf(stream)).toEqual(internal)
  await expectLine(stage.lines, 'answer could not be passed on')
})

async function expectLine(lines: readonly string[], event: string): Promise<void> {
  await until(() => lines.some(line => line.includes(`"${event}"`)))
  const line = lines.find(each => each.includes(`"${event}"`))
  expect(line).toContain('"name":"TypeError"')
  expect(line).not.toContain('our own fault')
}

test('at an early end', async () => {
  const upstream = await startUpstream((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('a')),
  )
  const stage = await runForwarder(upstream, { onSettle: fault })
  const stream = openStream(stage.port)
  await until(() => stream.body().length > 0)
  stage.calls[0]?.end('service_disabled')
  await until(() => stream.isComplete())
  expect(lastEventOf(stream)).toEqual(internal)
  await expectLine(stage.lines, 'answer could not be passed on')
})
