// Opens the one listener: its server, its limits and its shutdown. `listening-sockets.ts` accepts connections,
// `accept-request.ts` handles requests, and `refuse-connection.ts` broken connections.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { Log } from '../../domain/log.ts'
import { BodyMemory } from '../body-memory.ts'
import { createFastLane, type FastLane } from '../fast-lane/fast-lane.ts'
import { RuntimeRequest } from '../runtime/request.ts'
import { createServer } from '../runtime-http.ts'
import { acceptPlain, acceptRequest, type ListenerState, type RequestHandlers } from './accept-request.ts'
import { createClientAddressReader } from './client-address.ts'
import { createHostDecider, type HostConfig } from './host-decision.ts'
import { createListeningSockets } from './listening-sockets.ts'
import { refuseMethod, refuseParserError } from './refuse-connection.ts'
import { createRequestsInFlight } from './requests-in-flight.ts'
import type { SocketHandle } from './reserved-sockets.ts'

export interface ListenerOptions {
  hosts: HostConfig
  trustedProxies: readonly string[]
  handlers: RequestHandlers
  isInternalSecret: (secret: string) => boolean
  /** Short names of what keeps this process from being ready. */
  readiness: () => readonly string[]
  /** Called when a response has ended. */
  onEnded?: NonNullable<ListenerState['onEnded']>
  /** Reads plain requests on the fast lane; false leaves all of them to the runtime's server. */
  hasFastLane: boolean
  /** How many sockets listen on the port; beside other processes, their share of the connections. */
  socketCount?: number
  log: Log
  now: () => number
  randomId: () => string
  limits?: Partial<ListenerLimits>
}

export interface ListenerLimits {
  headerBytes: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  keepAliveTimeoutMs: number
  checkIntervalMs: number
  /**
   * Limits the bodies of all requests together until they are answered. A parsed body takes several times its bytes.
   */
  bodyMemoryBytes: number
  /**
   * How long idle connections are kept during a shutdown. A request that was sent before the shutdown began is still
   * answered, and a frequent client learns from a response that the connection closes; closing at once would reset
   * both.
   */
  graceMs: number
  /** How long streams have to write their last event when a shutdown cuts them off. */
  cutOffMs: number
}

export interface Listener {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Listens on sockets that another process has reserved. */
  listenOn(reserved: readonly SocketHandle[]): Promise<AddressInfo>
  /** Also accepts the connections of these sockets, until the returned function is called. It closes them. */
  acceptFrom(reserved: readonly SocketHandle[]): Promise<() => void>
  /** Requests in flight, and how many of them are answered by an event stream. */
  countOpen(): { requests: number; streams: number }
  /**
   * Becomes unready, and every response closes its connection. Waits for requests in flight until the deadline, still
   * accepting others, then cuts off the rest. With `isReplaced`, another process accepts the others from now on.
   */
  close(deadlineMs: number, isReplaced?: boolean): Promise<void>
}

const defaultLimits: ListenerLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  checkIntervalMs: 5_000,
  bodyMemoryBytes: getHeapStatistics().heap_size_limit / 8,
  graceMs: 300,
  cutOffMs: 1_500,
}

/** The share of the shutdown's time in which requests are accepted; the rest remains to answer them. */
const acceptingShare = 2 / 3

export function createListener(options: ListenerOptions): Listener {
  const { log } = options
  const limits = { ...defaultLimits, ...options.limits }
  const listener: ListenerState = {
    ...options,
    decideHost: createHostDecider(options.hosts),
    readClientAddress: createClientAddressReader(options.trustedProxies),
    open: createRequestsInFlight(),
    bodies: new BodyMemory(limits.bodyMemoryBytes),
    distrusted: new WeakSet(),
    isDraining: false,
  }
  const server = createConfiguredServer(limits)
  server.on('request', (request, response) => acceptRequest(listener, request, response))
  server.on('checkContinue', (request, response) => {
    acceptRequest(listener, request, response, () => response.writeContinue())
  })
  server.on('checkExpectation', (request, response) => acceptRequest(listener, request, response))
  server.on('clientError', (error, socket) => refuseParserError(listener, error, socket))
  server.on('connect', (_request, socket) => refuseMethod(listener, socket))
  const sockets = createListeningSockets(server, options.socketCount)
  let hasSuccessor = false
  // With a successor there is time: the client of a stream that began before learns from its next response that the
  // connection closes.
  const closesUnannounced = () => listener.isDraining && !hasSuccessor
  const lane = addFastLane(server, listener, { ...limits, isOn: options.hasFastLane, closesUnannounced })

  async function close(deadlineMs: number, isReplaced = false) {
    const beganAt = performance.now()
    listener.isDraining = true
    listener.open.closeAfterAnswers()
    hasSuccessor = isReplaced
    if (isReplaced) void sockets.close()
    // Until then, readiness probes get an answer and late requests are served.
    await settlesWithin(listener.open.whenPresentOnesEnd(), deadlineMs * acceptingShare)
    const closed = sockets.close()
    await settlesWithin(closed, Math.min(limits.graceMs, deadlineMs))
    server.close()
    lane.closeIdle()
    const leftMs = () => Math.max(0, deadlineMs - (performance.now() - beganAt))
    if (isReplaced && (await settlesWithin(listener.open.whenEmpty(), leftMs()))) {
      await settlesWithin(closed, Math.min(limits.graceMs, leftMs()))
    }
    if (!(await settlesWithin(listener.open.whenEmpty(), leftMs()))) {
      log.warn('requests in flight cut off')
      listener.open.runCutOff(error => log.error('cut-off callback failed', { error }))
      await settlesWithin(listener.open.whenEmpty(), limits.cutOffMs)
    }
    server.closeAllConnections()
    lane.stop()
    await closed
  }

  return { ...sockets, countOpen: listener.open.count, close }
}

type RuntimeServer = Server<typeof RuntimeRequest>

function createConfiguredServer(limits: ListenerLimits): RuntimeServer {
  const server = createServer({
    IncomingMessage: RuntimeRequest,
    insecureHTTPParser: false,
    // Our own check also covers HTTP/1.0 and answers with our error format.
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  })
  // A client that has closed its half still reads its response.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

/** Starts every connection on the fast lane; it moves to the runtime's server at the first thing that is not plain. */
function addFastLane(
  server: RuntimeServer,
  listener: ListenerState,
  settings: ListenerLimits & { isOn: boolean; closesUnannounced: () => boolean },
): FastLane {
  const [giveToRuntime] = server.listeners('connection')
  if (giveToRuntime === undefined) throw new Error('the runtime takes no connections')
  server.removeAllListeners('connection')
  const lane = createFastLane({
    serve: (request, respond) => acceptPlain(listener, request, respond),
    isDraining: settings.closesUnannounced,
    now: listener.now,
    bodies: listener.bodies,
    giveToRuntime: socket => giveToRuntime.call(server, socket),
    ...settings,
  })
  server.on('connection', lane.take)
  return lane
}

async function settlesWithin(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const inTime = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
