// The only way out: every outbound request goes through here, with the address rules if a tenant chose the address.
// Must not follow redirects or decompress, or use another proxy than the operator's.
import type { buildConnector } from 'undici'
import { memoize } from '../collections/bounded-memo.ts'
import type { Log } from '../domain/log.ts'
import { type Call, Exchange, type Message, type Receiver } from './call.ts'
import { createConnector, resolveReachable } from './connector.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import { type HeaderBlock, type RequestTarget, writeHead, writeStart } from './head-writer.ts'
import { Origin } from './origin.ts'
import { checkAddressForm, checkOrigin, isLiteral, mayConnect, type OutboundAllow } from './policy.ts'
import { createPools } from './pools.ts'
import { findProxy, noProxies, type Proxies } from './proxies.ts'
import { createProxyConnector } from './proxy-connector.ts'
import { createResolver, type Resolve } from './resolver.ts'
import { collect, type SmallAnswer } from './send.ts'

interface OutboundRequest {
  url: string
  method: string
  /** Host, connection and length headers are set here and not by the caller. */
  headers?: Record<string, string>
  /** More headers, checked before by `makeHeaderBlock`. */
  block?: HeaderBlock
  body?: string | Uint8Array | null
  /** Whether each character of a text body is known to be one byte. */
  isPlainText?: boolean
  /** `tenant`: a tenant chose the address, so all rules apply. `operator`: the operator configured it. */
  guard: 'tenant' | 'operator'
  /** The tenant of the request, if any: connections are never shared between tenants. */
  tenantId?: string
  /** Until the response's head, and between two chunks of its body; 0 if the caller has its own timeout. */
  headersTimeoutMs?: number
  bodyTimeoutMs?: number
  /** When the whole response must have arrived, on `performance.now()`; checked every quarter of a second. */
  endsAt?: number
  /** Interim responses are heartbeats: each restarts the timeout of the head. Only for our own services. */
  takesHeartbeats?: boolean
}

export interface SmallRequest extends OutboundRequest {
  /** From the call to the last byte. */
  timeoutMs: number
  maxBytes: number
  signal?: AbortSignal
}

export interface Outbound {
  /**
   * Throws OutboundFailure `blocked` or `dns` unless the address may be stored and currently resolves to public hosts.
   */
  check(url: string): Promise<URL>
  /** A small exchange, read whole; throws OutboundFailure. */
  send(request: SmallRequest): Promise<SmallAnswer>
  /** A streamed exchange; every error goes to the receiver's onFailure and is never thrown. */
  open(request: OutboundRequest, receiver: Receiver): Call
  close(): Promise<void>
}

interface OutboundOptions {
  allow: OutboundAllow
  /** By default, no proxy is used. */
  proxies?: Proxies
  log: Pick<Log, 'warn'>
  connectTimeoutMs?: number
  dnsTimeoutMs?: number
  maxFreeConnections?: number
  /** Name servers to use instead of the system's resolver. */
  dnsServers?: readonly string[]
  resolve?: Resolve
  buildConnector?: typeof buildConnector
}

const connectionsPerTenantPool = 128
/** Idle connections of all tenants and origins together, up to about 80 KB each. */
const defaultMaxFree = 4_096
const usualTimeoutMs = 300_000
/** Methods that send no content-length without a body. */
const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

export function createOutbound(options: OutboundOptions): Outbound {
  const { allow, proxies = noProxies, log, connectTimeoutMs = 5000, dnsTimeoutMs = 4000, dnsServers: servers } = options
  const resolve = options.resolve ?? createResolver({ timeoutMs: dnsTimeoutMs, servers })
  const pools = createPools(options.maxFreeConnections ?? defaultMaxFree)

  const note = (reason: string, tenantId?: string) =>
    log.warn('outbound address rejected', { reason, tenant_id: tenantId })
  const block = (reason: string, tenantId?: string): OutboundFailure => {
    note(reason, tenantId)
    return new OutboundFailure('blocked', { reason, connected: false })
  }

  const rules = (url: URL, guard: OutboundRequest['guard'], tenantId?: string) => ({
    mayReach: (address: string) => guard === 'operator' || mayConnect(url, address, allow),
    resolve,
    onBlocked: (reason: string) => note(reason, tenantId),
  })

  const makeOrigin = (url: URL, { guard, tenantId }: OutboundRequest): Origin => {
    const common = { resolve, timeoutMs: connectTimeoutMs, build: options.buildConnector }
    const proxy = findProxy(url, proxies)
    const connect =
      proxy === null
        ? createConnector({ ...rules(url, guard, tenantId), ...common })
        : createProxyConnector({ proxy, url, ...common })
    return new Origin({ url, maxConnections: guard === 'tenant' ? connectionsPerTenantPool : null, connect })
  }

  const readTarget = createTargetReaders(allow, proxies)

  const open = (request: OutboundRequest, receiver: Receiver): Call => {
    const { guard, tenantId } = request
    const target = readTarget[guard](request.url)
    const refusal = target.refusal ?? (namesHost(request.headers) ? 'host_header' : null)
    if (refusal !== null) return failedCall(block(refusal, tenantId), receiver)
    const key = tenantId === undefined ? target.poolKey : `${target.poolKey} ${tenantId}`
    try {
      const exchange = new Exchange(messageOf(target, request), receiver, log)
      pools.get(key, () => makeOrigin(new URL(request.url), request)).begin(exchange)
      return exchange
    } catch (error) {
      return failedCall(exchangeFailure(error), receiver)
    }
  }

  return {
    open,
    send: request => collect(receiver => open(request, receiver), request),
    async check(text) {
      const verdict = checkAddressForm(text, allow)
      if (!verdict.ok) throw block(verdict.reason)
      const { url } = verdict
      // A literal was checked by its form, and a proxy resolves names itself.
      const isResolvedHere = !isLiteral(url) && findProxy(url, proxies) === null
      if (isResolvedHere) await resolveReachable(url.hostname, rules(url, 'tenant'))
      return url
    },
    close: async () => pools.close(),
  }
}

/** What an address means under a guard; cached, since few recur. */
interface Target extends Readonly<RequestTarget> {
  readonly refusal: string | null
  readonly poolKey: string
  /** Whether a proxy reads the request itself. */
  readonly isProxied: boolean
  /** The method of `start`, the start of the last request: most origins get only one method. */
  method: string | null
  start: string
}

type TargetReader = (address: string) => Target

function createTargetReaders(allow: OutboundAllow, proxies: Proxies): Record<OutboundRequest['guard'], TargetReader> {
  const createReader = (guard: OutboundRequest['guard']) => createTargetReader(guard, allow, proxies)
  return { tenant: createReader('tenant'), operator: createReader('operator') }
}

function createTargetReader(guard: OutboundRequest['guard'], allow: OutboundAllow, proxies: Proxies): TargetReader {
  const unread = { refusal: null, poolKey: '', host: '', path: '', method: null, start: '' }
  const direct = { isProxied: false, proxyAuthorization: null }
  return memoize(address => {
    const url = URL.parse(address)
    if (!url) return { ...unread, ...direct, refusal: 'not_a_url' }
    const refusal = refuseTarget(url, guard, allow)
    const path = url.pathname + url.search
    const target = { ...unread, refusal, poolKey: `${guard} ${url.origin}`, host: url.host, path }
    const proxy = url.protocol === 'http:' ? findProxy(url, proxies) : null
    if (proxy === null) return { ...target, ...direct }
    return { ...target, path: url.origin + path, isProxied: true, proxyAuthorization: proxy.authorization }
  })
}

function startOf(target: Target, method: string): string {
  if (target.method !== method) {
    target.start = writeStart(method, target)
    target.method = method
  }
  return target.start
}

function refuseTarget(url: URL, guard: OutboundRequest['guard'], allow: OutboundAllow): string | null {
  if (guard === 'tenant') return checkOrigin(url, allow)
  if (url.username || url.password) return 'user_info'
  return url.protocol === 'https:' || url.protocol === 'http:' ? null : 'scheme'
}

/** A Host header from the caller would change the name that TLS checks. */
function namesHost(headers: Record<string, string> | undefined): boolean {
  for (const name in headers) if (name.length === 4 && name.toLowerCase() === 'host') return true
  return false
}

function messageOf(target: Target, request: OutboundRequest): Message {
  const { method, headers, block } = request
  const { body: given = null } = request
  const start = startOf(target, method)
  const isText = typeof given === 'string'
  const bodyLength = given !== null ? lengthOf(given, request.isPlainText === true) : bodiless.has(method) ? null : 0
  // If each character is a byte, the body can be written as text in one piece with its head.
  const text = isText && bodyLength === given.length ? given : ''
  return {
    method,
    head: writeHead({ start, headers, block, bodyLength }) + text,
    body: !isText ? given : text === '' ? Buffer.from(given) : null,
    headMs: request.headersTimeoutMs ?? usualTimeoutMs,
    bodyMs: request.bodyTimeoutMs ?? usualTimeoutMs,
    endsAt: request.endsAt ?? 0,
    takesHeartbeats: request.takesHeartbeats === true,
    isProxied: target.isProxied,
  }
}

function lengthOf(body: string | Uint8Array, isPlainText: boolean): number {
  if (typeof body !== 'string') return body.byteLength
  return isPlainText ? body.length : Buffer.byteLength(body)
}

function failedCall(failure: OutboundFailure, receiver: Receiver): Call {
  queueMicrotask(() => receiver.onFailure(failure))
  const nothing = () => undefined
  return { abort: nothing, pause: nothing, resume: nothing, endBy: nothing }
}
