// A real egress proxy on loopback: tunnels (CONNECT) and forwards requests in absolute form. Names need not exist: `hosts`
// says where each leads.
import { once } from 'node:events'
import { createServer, request as forward, type IncomingHttpHeaders, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface ProxiedRequest {
  /** CONNECT, or the method of a forwarded request. */
  method: string
  /** host:port of a tunnel, or the absolute address of a forwarded request. */
  target: string
  headers: IncomingHttpHeaders
}

export interface EgressProxy {
  port: number
  requests: ProxiedRequest[]
  /** From host:port to a port of loopback; a target that is not listed is connected to as it is. */
  hosts: Map<string, number>
  /** Answers the following requests itself, instead of forwarding them. Null forwards again. */
  refuseWith(answer: ((socket: Socket) => void) | null): void
  close(): Promise<void>
}

export async function startEgressProxy(tls?: { key: string; cert: string }): Promise<EgressProxy> {
  const requests: ProxiedRequest[] = []
  const hosts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let refuse: ((socket: Socket) => void) | null = null
  const server: Server = tls === undefined ? createServer() : createSecureServer(tls)
  const placeOf = (target: string) => {
    const { hostname, port } = new URL(`http://${target}`)
    const listed = hosts.get(target)
    return listed === undefined ? { host: hostname, port: Number(port || 80) } : { host: '127.0.0.1', port: listed }
  }
  const track = (socket: Socket) => sockets.add(socket.on('error', () => undefined))
  server.on('connection', track)
  server.on('connect', ({ method = '', url = '', headers }, socket: Socket) => {
    requests.push({ method, target: url, headers })
    if (refuse !== null) return refuse(socket)
    const onward = connect(placeOf(url), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    track(onward)
    onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    onward.on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  server.on('request', (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    requests.push({ method, target: url, headers })
    if (refuse !== null) return refuse(incoming.socket)
    const { host, pathname, search } = new URL(url)
    const onward = forward({ ...placeOf(host), method, path: pathname + search, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    hosts,
    refuseWith(answer) {
      refuse = answer
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
