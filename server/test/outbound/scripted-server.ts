// A server whose answers a test writes by hand, byte by byte.
import { createServer as createTcpServer, type Socket } from 'node:net'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { request, serve } from './outbound-stage.ts'

export const answer = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`

/** Answers the requests of each connection by number; tells how many connections there were. */
export async function scripted(script: (socket: Socket, number: number, connection: number) => void) {
  let connections = 0
  const port = await serve(
    createTcpServer(socket => {
      const connection = ++connections
      let number = 0
      socket.on('data', () => script(socket, ++number, connection))
    }),
  )
  return { url: `http://127.0.0.1:${port}/`, connections: () => connections }
}

export const rest = (ms = 30) => new Promise(done => setTimeout(done, ms))

export async function bodyOf(outbound: Outbound, url: string, more = {}): Promise<string> {
  return (await outbound.send(request(url, more))).body.toString()
}
