// The stop as the other end of a kept connection sees it: a request that is on its way when the stop begins is
// answered.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { roomFor } from '../../support/slowness.ts'
import { sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const request = 'GET /v1/models HTTP/1.1\r\nHost: a-b-1.localhost\r\n\r\n'

async function open(port: number): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', data => (text += data)).on('error', error => (text += `[${error.name}]`))
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, text: () => text, closed }
}

const answersIn = (text: string) => text.match(/HTTP\/1\.1 200/g)?.length ?? 0

it.each([
  ['our own lane', false],
  ["the runtime's server", true],
])(
  'answers what is on its way when it begins, on kept and on new connections, and closes them: %s',
  async (_name, withoutLane) => {
    const { port, listener } = await runListener({ withoutLane })
    const [kept, unused, silent] = [await open(port), await open(port), await open(port)]
    kept.socket.write(request)
    await expect.poll(() => answersIn(kept.text())).toBe(1)
    const began = performance.now()
    const closing = listener.close(20_000)
    // Written before the far end can have heard of the stop.
    kept.socket.write(request)
    unused.socket.write(request)
    await Promise.all([kept.closed, unused.closed, silent.closed])
    await closing
    expect(answersIn(kept.text())).toBe(2)
    expect(answersIn(unused.text())).toBe(1)
    for (const { text } of [kept, unused]) expect(text().toLowerCase()).toContain('connection: close')
    expect(silent.text()).toBe('')
    expect(performance.now() - began).toBeLessThan(roomFor(5_000))
    expect((await sendRaw(port, request)).answers).toHaveLength(0)
  },
)

it('waits for nobody where nobody is connected', async () => {
  const { port, listener } = await runListener()
  await sendRaw(port, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  await sleep(50)
  const began = performance.now()
  await listener.close(20_000)
  expect(performance.now() - began).toBeLessThan(roomFor(200))
})
