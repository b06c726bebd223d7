// Clients that connect together to a busy process are accepted together, not one in each turn of its event loop.
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runListener } from '../running-listener.ts'

const clients = 256
/** With one listening socket there is a turn for each client. */
const maxTurns = clients / 4

test('256 clients that connect together wait for a quarter of as many turns at most', async () => {
  const { port } = await runListener()
  const sockets = Array.from({ length: clients }, () => connect({ port, host: '127.0.0.1' }))
  onTestFinished(() => sockets.forEach(socket => void socket.destroy()))
  let answered = 0
  for (const socket of sockets) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost:8080\r\n\r\n')
    socket.once('data', () => answered++)
  }
  let turns = 0
  while (answered < clients && turns < 10 * clients) {
    turns++
    busyFor(2)
    await new Promise(setImmediate)
  }
  expect({ answered, isSoon: turns <= maxTurns }).toEqual({ answered: clients, isSoon: true })
})

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
