// Tests the error message that a client gets for each kind of provider failure: an error response, a broken answer, or
// no connection.

import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { listen } from '../../outbound/fixtures.ts'
import { errorResponse, openaiEvents } from '../../support/simulated/provider-answers.ts'
import type { Script } from '../../support/simulated/scripted-upstream.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf } from '../inference-stage.ts'

const answeredWithError = 'The provider answered with an error'
const brokeOff = "The provider's stream broke off"
const notReached = 'The provider could not be reached'

const [first = '', second = ''] = openaiEvents({ text: ['one', 'two'] })
const sse = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }
const writing = (write: (response: ServerResponse) => unknown): Script => ({ write: response => void write(response) })
const raw = (text: string): Script => writing(response => response.req.socket.end(text))
const streaming = (next: (response: ServerResponse) => unknown): Script =>
  writing(response => response.writeHead(200, sse).write(first + second, () => next(response)))

const before: [name: string, script: Script, words: string][] = [
  ['500', errorResponse('openai', 500, 'inside'), answeredWithError],
  ['503 twice', errorResponse('openai', 503, 'inside'), answeredWithError],
  ['529 twice', errorResponse('openai', 529, 'inside'), answeredWithError],
  [
    '500 whose words break off',
    writing(response => response.writeHead(500, json).write('{"error"', () => response.destroy())),
    answeredWithError,
  ],
  ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>fine</html>' }, answeredWithError],
  ['JSON that is none', { body: '{"id":' }, answeredWithError],
  ['an error in the place of an answer', { body: { error: { message: 'inside', code: 500 } } }, answeredWithError],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, answeredWithError],
  ['a compressed answer', { headers: { 'content-encoding': 'gzip' }, body: 'x' }, answeredWithError],
  ['no HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n\r\n'), answeredWithError],
  ['nothing, and hangs up', { hangUp: true }, notReached],
  ['half a head', raw('HTTP/1.1 200 OK\r\n'), notReached],
  [
    'half a body',
    raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id":'),
    brokeOff,
  ],
]

const onlyStreams: [name: string, script: Script, words: string][] = [
  ['a stream without an event', writing(response => response.writeHead(200, sse).end()), brokeOff],
  ['half of the first event', writing(response => response.writeHead(200, sse).end('data: {"id"')), brokeOff],
  [
    'a first event that is none',
    writing(response => response.writeHead(200, sse).end('data: <x>\n\n')),
    answeredWithError,
  ],
]

const within: [name: string, script: Script, words: string][] = [
  ['hangs up', streaming(response => response.destroy()), brokeOff],
  ['resets', streaming(response => response.req.socket.resetAndDestroy()), brokeOff],
  ['ends too soon', streaming(response => response.end()), brokeOff],
  ['ends within an event', streaming(response => response.end('data: {"id"')), brokeOff],
  ['goes on with garbage', streaming(response => response.end('data: <html>\n\ndata: [DONE]\n\n')), brokeOff],
  [
    'sends an error',
    streaming(response => response.end('data: {"error":{"message":"inside","code":500}}\n\n')),
    answeredWithError,
  ],
]

describe('a client reads, before an answer has begun, of a provider that answers', () => {
  const rows = [
    ...[false, true].flatMap(stream => before.map(([name, ...rest]) => [name, stream, ...rest] as const)),
    ...onlyStreams.map(([name, ...rest]) => [name, true, ...rest] as const),
  ]
  test.each(rows)('%s (stream: %s)', async (_name, stream, script, words) => {
    const chat = await openChat(script)
    const { status, text } = await chat.ask({ stream })
    expect(status, text).toBe(502)
    expect(JSON.parse(text)).toEqual({
      error: { message: words, type: 'server_error', param: null, code: 'provider_unavailable' },
    })
  })

  test.each([false, true])('nowhere (stream: %s)', async stream => {
    const server = createServer()
    const port = await listen(server)
    await new Promise(resolve => server.close(resolve))
    const chat = await openChat({})
    const target = { ...chat.target, baseUrl: `http://127.0.0.1:${port}/v1` }
    const lost = await openChat({}, { parts: { targets: { chooseKnown: () => null, choose: async () => [target] } } })
    const { status, text } = await lost.ask({ stream })
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { message: notReached, code: 'provider_unavailable' } })
  })
})

test.each(within)('a client reads within an answer of a provider that %s', async (_name, script, words) => {
  const chat = await openChat(script)
  const { status, text } = await chat.ask({ stream: true })
  expect(status).toBe(200)
  expect(eventsOf(text).at(-1)).toEqual({
    error: { message: words, type: 'server_error', param: null, code: 'provider_unavailable' },
  })
  expect(text).not.toContain('[DONE]')
})
