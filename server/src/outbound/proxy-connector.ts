// Opens the sockets of one origin through the operator's egress proxy: for https inside a tunnel (CONNECT), for http to
// the proxy itself. The proxy resolves the names, so no address can be checked here.
import { request as requestSecure } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { buildConnector as BuildConnector } from 'undici'
import { request as requestPlain } from '../http/runtime-http.ts'
import { passData } from '../sockets/shared-read-buffer.ts'
import { buildConnector } from './build-connector.ts'
import { createConnector } from './connector.ts'
import { connectFailure, OutboundFailure } from './failure.ts'
import type { EgressProxy } from './proxies.ts'
import type { Resolve } from './resolver.ts'

interface ProxyConnectorOptions {
  proxy: EgressProxy
  /** The origin. */
  url: URL
  /** Resolves the proxy's own name. */
  resolve: Resolve
  /** To the end of the tunnel's opening, and again to the end of the TLS handshake in it. */
  timeoutMs: number
  build?: typeof BuildConnector | undefined
}

export function createProxyConnector(options: ProxyConnectorOptions): BuildConnector.connector {
  return options.url.protocol === 'https:' ? connectInTunnel(options) : connectToProxy(options)
}

function connectToProxy({ proxy, resolve, timeoutMs, build }: ProxyConnectorOptions): BuildConnector.connector {
  // The operator chose the proxy.
  const connect = createConnector({ mayReach: () => true, onBlocked: () => undefined, resolve, timeoutMs, build })
  return (_target, callback) =>
    connect(proxy, (...[error, socket]) => {
      if (error) callback(proxyFailure(error), null)
      else callback(null, socket)
    })
}

function connectInTunnel(options: ProxyConnectorOptions): BuildConnector.connector {
  const { timeoutMs, build = buildConnector } = options
  const secure = build({ timeout: timeoutMs, allowH2: false, rejectUnauthorized: true })
  return (target, callback) => {
    const connect = (httpSocket: Socket) =>
      secure({ ...target, httpSocket }, (...[error, socket]) => {
        if (error) {
          httpSocket.destroy()
          callback(connectFailure(error), null)
        } else {
          // TLS inside another socket cannot read into the shared buffer.
          passData(socket)
          callback(null, socket)
        }
      })
    openTunnel(options).then(connect, (error: Error) => callback(proxyFailure(error), null))
  }
}

/** Resolves to a connection on which only the origin speaks. */
function openTunnel({ proxy, url, resolve, timeoutMs }: ProxyConnectorOptions): Promise<Socket> {
  const opening = Promise.withResolvers<Socket>()
  const authority = `${url.hostname}:${url.port || '443'}`
  const credentials = proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }
  const request = (proxy.protocol === 'https:' ? requestSecure : requestPlain)({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...credentials },
    agent: false,
    rejectUnauthorized: true,
    lookup(host, _options, callback) {
      resolve(host).then(
        addresses =>
          callback(
            null,
            addresses.map(address => ({ address, family: isIP(address) })),
          ),
        (error: Error) => callback(error, []),
      )
    },
  })
  const timer = setTimeout(() => request.destroy(new OutboundFailure('timeout', { reason: 'CONNECT' })), timeoutMs)
  request.on('error', opening.reject)
  request.on('connect', ({ statusCode = 0 }, socket: Socket, rest) => {
    const reason = refusalOf(statusCode, rest.length)
    if (reason === null) {
      // TLS on top reports the errors.
      opening.resolve(socket.on('error', () => undefined))
    } else {
      socket.destroy()
      opening.reject(new OutboundFailure('connect', { reason }))
    }
  })
  request.end()
  return opening.promise.finally(() => clearTimeout(timer))
}

/** Null if the tunnel is open. */
function refusalOf(status: number, bytesBehindHead: number): string | null {
  if (status === 407) return 'AUTHENTICATION_REQUIRED'
  if (status < 200 || status >= 300) return 'REFUSED'
  // The origin speaks only after us.
  return bytesBehindHead === 0 ? null : 'UNEXPECTED_DATA'
}

/** The reason says that the proxy failed and not the origin; the request was not sent. */
function proxyFailure(error: unknown): OutboundFailure {
  const { kind, reason = 'UNKNOWN' } = connectFailure(error)
  return new OutboundFailure(kind, { reason: `PROXY_${reason}`, connected: false })
}
