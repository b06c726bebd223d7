// A TCP proxy that passes every byte on unchanged and records the request heads, to see what a client such as a browser
// really sends. Reads HTTP/1.1 only.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface TappedRequest {
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
}

export interface RequestTap {
  port: number
  /** All requests so far, in the order of their connections. */
  requests(): TappedRequest[]
  close(): Promise<void>
}

const headGrammar = /(OPTIONS|GET|HEAD|POST|PUT|DELETE) (\S+) HTTP\/1\.1\r\n((?:[^\r\n]+\r\n)+)\r\n/g

export async function startTap(targetPort: number): Promise<RequestTap> {
  const sockets = new Set<Socket>()
  const heard: { text: string }[] = []
  const server = createServer(client => {
    const upstream = connect(targetPort, '127.0.0.1')
    const connection = { text: '' }
    heard.push(connection)
    client.setEncoding('latin1').on('data', (text: string) => {
      connection.text += text
      upstream.write(text, 'latin1')
    })
    upstream.pipe(client)
    client.on('end', () => upstream.end())
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => heard.flatMap(({ text }) => [...text.matchAll(headGrammar)].map(readHead)),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function readHead([, method = '', path = '', lines = '']: RegExpExecArray): TappedRequest {
  const headers = lines
    .trimEnd()
    .split('\r\n')
    .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  return { method, path, headers: Object.fromEntries(headers) }
}
