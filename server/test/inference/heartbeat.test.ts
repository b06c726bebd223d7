// Tests heartbeats (HTTP 102): they go only to clients of HTTP/1.1 whose response has not begun.
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHeartbeat } from '../../src/inference/heartbeat.ts'

const sign = 'HTTP/1.1 102 Processing\r\n\r\n'

it('says that it lives until the answer begins, in HTTP/1.1', async () => {
  const heartbeat = createHeartbeat(60)
  const waiting: ServerResponse[] = []
  const server = createServer((_request, response) => {
    const seat = heartbeat.begin(response)
    response.once('close', () => heartbeat.end(seat))
    waiting.push(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    heartbeat.stop()
    server.closeAllConnections()
    server.close()
  })
  const ask = (version: string) => {
    let text = ''
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.setEncoding('latin1').on('data', more => {
      text += more
    })
    socket.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`)
    return () => text
  }
  const old = ask('1.0')
  const fresh = ask('1.1')
  await expect.poll(fresh).toContain(sign.repeat(3))
  for (const response of waiting) response.writeHead(200, { 'content-length': 4 }).write('so')
  await expect.poll(fresh).toContain('so')
  await new Promise(resolve => setTimeout(resolve, 150))
  for (const response of waiting) response.end('on')
  await expect.poll(fresh).toMatch(/\r\n\r\nsoon$/)
  await expect.poll(old).toMatch(/\r\n\r\nsoon$/)
  expect(old()).toMatch(/^HTTP\/1\.1 200/)
})
