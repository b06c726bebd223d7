// Tests a client that stops reading when only the end of its answer is left to send: the connection is closed after the
// timeout, although nothing more is written.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ClientBackpressure } from '../../src/call/client-backpressure.ts'

const patienceMs = 300
/** More than the kernel buffers for a client that does not read. */
const large = Buffer.alloc(64 * 1024 * 1024)

test('a client that does not take the rest is given up', async () => {
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
  const room = new ClientBackpressure(response, patienceMs)
  response.end(large)
  room.stop()
  await closed
  expect(response.writableFinished).toBe(false)
})
