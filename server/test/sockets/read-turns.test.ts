// Connections whose readings cost far more than their bytes are read in turn: the loop serves all others in between.
import { connect, Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readBody } from '../../src/http/read-body.ts'
import { replyJson } from '../../src/http/reply.ts'
import { waitForTurn } from '../../src/sockets/read-turns.ts'
import { writeAll } from '../http/raw-request.ts'
import { runListener } from '../http/running-listener.ts'

const kilobyte = 1024
const turnOfLoop = () => new Promise<void>(resolve => setImmediate(resolve))

it('are resumed a few in each turn of the loop, in their order', async () => {
  const sockets = Array.from({ length: 10 }, () => new Socket())
  for (const socket of sockets) waitForTurn(socket)
  const resumed = []
  for (let turn = 0; turn < 4; turn++) {
    resumed.push(sockets.map(socket => (socket.isPaused() ? '-' : 'x')).join(''))
    await turnOfLoop()
  }
  expect(resumed).toEqual(['----------', 'xxxx------', 'xxxxxxxx--', 'xxxxxxxxxx'])
})

it('are read once in a turn of the loop where they send small chunks', async () => {
  const chunk = `10\r\n${'x'.repeat(16)}\r\n`
  const size = 3_000_000
  const count = Math.ceil(size / chunk.length)
  const sockets: Socket[] = []
  const { port } = await runListener({
    plane: async (request, response) => {
      sockets.push(request.socket)
      await readBody(request, { maxBytes: 10_000_000, timeoutMs: 60_000 })
      replyJson(response, 200, {})
    },
  })
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const head =
    'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  await new Promise(resolve => client.write(head, resolve))
  await expect.poll(() => sockets.length).toBe(1)
  writeAll(client, chunk.repeat(count))
  const total = head.length + chunk.length * count
  let most = 0
  for (let before = sockets[0]!.bytesRead; before < total; ) {
    await turnOfLoop()
    const now = sockets[0]!.bytesRead
    most = Math.max(most, now - before)
    before = now
  }
  expect(most).toBeLessThanOrEqual(64 * kilobyte)
})
