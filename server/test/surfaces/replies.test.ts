// What a reply leaves behind, however it ends: no timer, and nothing that is written later.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { chatCompletions } from '../../src/surfaces/chat-completions/chat-completions.ts'
import type { Reply } from '../../src/surfaces/surface.ts'

const options = { requestId: 'x', createdSeconds: 1, model: 'm', includeUsage: false, reportsUsage: false }
const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length

async function openReply() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const asked = once(server, 'request')
  const request = get({ port: (server.address() as AddressInfo).port, agent: false })
  request.on('error', () => undefined)
  const [, response] = (await asked) as [IncomingMessage, ServerResponse]
  onTestFinished(() => void request.destroy())
  const before = timers()
  const reply = chatCompletions.streamReply(response, { ...options, keepAliveMs: 15_000 })
  return { reply, response, left: () => timers() - before }
}

test.each<[string, (reply: Reply) => void]>([
  ['is finished', reply => reply.finish(1)],
  ['is cut', reply => reply.endWithError(new Refusal('provider_timeout'), 1)],
  ['is dropped', reply => reply.drop()],
])('a stream that %s keeps no timer', async (_name, end) => {
  const { reply, response, left } = await openReply()
  expect(left()).toBe(1)
  reply.take([{ deltas: [{ type: 'text', choice: 0, text: 'a' }], raw: null }])
  expect(left()).toBe(1)
  end(reply)
  expect(left()).toBe(0)
  expect(response.writableEnded || response.destroyed).toBe(true)
})
