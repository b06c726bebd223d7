// Tests exceptions of our own code during an answer: the client's connection ends, no truncated answer looks complete,
// and the error is logged.
import { expect, test } from 'vitest'
import { delta, openStream, requestText, runForwarder, startUpstream, until } from './forward-stage.ts'

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

test.each([
  ['plain', /^HTTP\/1.1 500 /, 'request failed'],
  ['stream', /^(?:$|HTTP\/1.1 200 )/, 'forwarding failed'],
  ['broken', /^HTTP\/1.1 500 /, 'request failed'],
] as const)('at the settlement of an answer that is %s', async (kind, status, event) => {
  const stage = await runForwarder(await answers[kind](), { onSettle: fault })
  const stream = openStream(stage.port, requestText(['connection: close']))
  await stream.closed
  expect(stream.text()).toMatch(status)
  expect(stream.isComplete()).toBe(false)
  await until(() => stage.lines.some(line => line.includes(`"${event}"`)))
  const line = stage.lines.find(each => each.includes(`"${event}"`))
  expect(line).toContain('"name":"TypeError"')
  expect(line).not.toContain('our own fault')
})

test('at an early end', async () => {
  const upstream = await startUpstream((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('a')),
  )
  const stage = await runForwarder(upstream, { onSettle: fault })
  const stream = openStream(stage.port)
  await until(() => stream.body().length > 0)
  stage.calls[0]?.end('service_disabled')
  await stream.closed
  expect(stream.isComplete()).toBe(false)
  await until(() => stage.lines.some(line => line.includes('"forwarding failed"')))
})
