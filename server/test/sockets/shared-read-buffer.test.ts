// A connection is read by whoever reads it now, also where the runtime does not let it share its memory.
import { connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { adoptSocket, readInto } from '../../src/sockets/shared-read-buffer.ts'

function noting() {
  const heard: string[] = []
  return { heard, take: (bytes: Buffer) => void heard.push(bytes.toString()) }
}

it.each(['accepted by the runtime', 'of another kind'])('tells its reader what comes: %s', async kind => {
  const { client, accepted } = kind === 'of another kind' ? piped() : await connected()
  const [first, second] = [noting(), noting()]
  const socket = adoptSocket(accepted, first)
  expect(socket === accepted).toBe(kind === 'of another kind')
  client.write('one')
  await expect.poll(() => first.heard).toEqual(['one'])
  readInto(socket, second)
  client.write('two')
  await expect.poll(() => second.heard).toEqual(['two'])
  expect(first.heard).toEqual(['one'])
})

async function connected() {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const server = createServer(resolve)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return { client, accepted: await promise }
}

function piped() {
  const pipe = new PassThrough()
  return { client: pipe, accepted: pipe as unknown as Socket }
}
