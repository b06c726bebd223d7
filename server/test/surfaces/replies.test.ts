// What a reply leaves behind, however it ends: no timer, and nothing that is written later.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { largeLength } from '../../src/domain/json/json-text.ts'
import { createStreamReply, createWholeReply } from '../../src/surfaces/chat-completions/replies.ts'
import { createStreamReply as createResponseReply } from '../../src/surfaces/responses/replies.ts'
import type { Reply } from '../../src/surfaces/surface.ts'

const options = { requestId: 'x', createdSeconds: 1, model: 'm', includeUsage: false, reportsUsage: false }
const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length

async function openReply(create: typeof createStreamReply = createStreamReply, keepAliveMs = 15_000) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const asked = once(server, 'request')
  const request = get({ port: (server.address() as AddressInfo).port, agent: false })
  request.on('error', () => undefined)
  const [, response] = (await asked) as [IncomingMessage, ServerResponse]
  onTestFinished(() => void request.destroy())
  const before = timers()
  const reply = create(response, { ...options, keepAliveMs })
  return { reply, request, response, left: () => timers() - before }
}

describe.each([
  ['a completion', createStreamReply],
  ['a response', createResponseReply],
])('%s', (_format, create) => {
  test.each<[string, (reply: Reply) => void]>([
    ['is finished', reply => reply.finish(1)],
    ['is cut', reply => reply.endWithError?.(new Refusal('provider_timeout'), 1)],
    ['is dropped', reply => reply.drop()],
  ])('a stream that %s keeps no timer', async (_name, end) => {
    const { reply, response, left } = await openReply(create)
    expect(left()).toBe(1)
    reply.take([{ deltas: [{ type: 'text', choice: 0, text: 'a' }], raw: null }])
    expect(left()).toBe(1)
    end(reply)
    expect(left()).toBe(0)
    expect(response.writableEnded || response.destroyed).toBe(true)
  })

  test('a stream of which nothing comes has comments', async () => {
    const { request, reply, response } = await openReply(create, 20)
    const [answer] = (await once(request, 'response', { signal: AbortSignal.timeout(60_000) })) as [IncomingMessage]
    const [chunk] = await once(answer, 'data')
    expect(String(chunk)).toMatch(/^(?:: keep-alive\n\n)+$/)
    reply.drop()
    expect(response.destroyed).toBe(true)
  })
})

test('a large whole answer writes nothing when the call has ended meanwhile', async () => {
  const { reply, response } = await openReply(createWholeReply)
  reply.take([{ deltas: [{ type: 'text', choice: 0, text: '"'.repeat(2 * largeLength) }], raw: null }])
  const finished = reply.finish(1)
  response.writeHead(503).end()
  await expect(finished).resolves.toBeUndefined()
  expect(response.statusCode).toBe(503)
})
