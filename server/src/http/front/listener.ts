// The one listener: its server, its limits, and how it stops.
// What becomes of a request is decided in accept-request.ts, what of a broken connection in refuse-connection.ts.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { Log } from '../../domain/log.ts'
import { BodyMemory } from '../body-memory.ts'
import { createFastLane, type FastLane } from '../fast-lane/fast-lane.ts'
import { RuntimeRequest } from '../runtime/request.ts'
import { RuntimeResponse } from '../runtime/response.ts'
import { acceptPlain, acceptRequest, type ListenerState, type RequestHandlers } from './accept-request.ts'
import { createClientAddressReader } from './client-address.ts'
import { probeHalfClosed } from './half-closed.ts'
import { createHostDecider, type HostConfig } from './host-decision.ts'
import { refuseMethod, refuseParserFault } from './refuse-connection.ts'
import { createRequestsInFlight } from './requests-in-flight.ts'

export interface ListenerOptions {
  hosts: HostConfig
  trustedProxies: readonly string[]
  planes: RequestHandlers
  isInternalSecret: (secret: string) => boolean
  /** Short words for what keeps this process from being ready. */
  readiness: () => readonly string[]
  /** Hears of every request at its end. */
  onEnded?: NonNullable<ListenerState['onEnded']>
  /** Reads plain requests itself; false leaves all of them to the runtime's server. */
  hasFastLane: boolean
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
  /** For the bodies of all requests together, until they are answered. Parsed, a body takes several times its bytes. */
  bodyMemoryBytes: number
  /**
   * How long free connections are kept at a stop. A request that was on its way when the stop began is still answered,
   * and whoever asks often hears with an answer that its connection closes: closed at once, it would meet a reset.
   */
  graceMs: number
  /** What streams get to write their last line when a stop cuts them off. */
  cutOffMs: number
}

export interface Listener {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Requests that are being answered, and those of them whose answer is an event stream. */
  countOpen(): { requests: number; streams: number }
  /**
   * Not ready any more, and every answer closes its connection. Waits for open requests up to the deadline, accepting
   * others meanwhile, then cuts the rest off.
   */
  close(deadlineMs: number): Promise<void>
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

/** Of the time that a stop has: what is accepted last keeps the rest of it to be answered. */
const acceptingShare = 2 / 3

export function createListener(options: ListenerOptions): Listener {
  const { log } = options
  const limits = { ...defaultLimits, ...options.limits }
  const front: ListenerState = {
    ...options,
    decideHost: createHostDecider(options.hosts),
    readClientAddress: createClientAddressReader(options.trustedProxies),
    open: createRequestsInFlight(),
    bodies: new BodyMemory(limits.bodyMemoryBytes),
    distrusted: new WeakSet(),
    isDraining: false,
  }
  const server = createConfiguredServer(limits)
  server.on('request', (request, response) => acceptRequest(front, request, response))
  server.on('checkContinue', (request, response) => {
    acceptRequest(front, request, response, () => response.writeContinue())
  })
  server.on('checkExpectation', (request, response) => acceptRequest(front, request, response))
  server.on('clientError', (fault, socket) => refuseParserFault(front, fault, socket))
  server.on('connect', (_request, socket) => refuseMethod(front, socket))
  const lane = addFastLane(server, front, { ...limits, isOn: options.hasFastLane })

  async function close(deadlineMs: number) {
    const beganAt = performance.now()
    front.isDraining = true
    front.open.closeAfterAnswers()
    // Whoever asks for readiness while there is something to wait for is told, and who has not asked yet is served.
    await settlesWithin(front.open.whenPresentOnesEnd(), deadlineMs * acceptingShare)
    // The runtime's own close ends the idle connections at once.
    const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
    await settlesWithin(closed, Math.min(limits.graceMs, deadlineMs))
    server.close()
    lane.closeIdle()
    const leftMs = Math.max(0, deadlineMs - (performance.now() - beganAt))
    if (!(await settlesWithin(front.open.whenEmpty(), leftMs))) {
      log.warn('open requests cut off')
      front.open.runCutOff(error => log.error('cut-off callback failed', { error }))
      await settlesWithin(front.open.whenEmpty(), limits.cutOffMs)
    }
    server.closeAllConnections()
    lane.stop()
    await closed
  }

  return { listen: (port, host) => listen(server, port, host), countOpen: front.open.count, close }
}

type RuntimeServer = Server<typeof RuntimeRequest, typeof RuntimeResponse>

function createConfiguredServer(limits: ListenerLimits): RuntimeServer {
  const server = createServer({
    IncomingMessage: RuntimeRequest,
    ServerResponse: RuntimeResponse,
    insecureHTTPParser: false,
    // Our own check also covers HTTP/1.0 and answers in our own words.
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  })
  // A client that sends no more still reads its answer.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

/** Every connection begins on the fast lane, and goes over to the runtime's server when something on it is not plain. */
function addFastLane(
  server: RuntimeServer,
  front: ListenerState,
  settings: ListenerLimits & { isOn: boolean },
): FastLane {
  const [giveToRuntime] = server.listeners('connection')
  if (giveToRuntime === undefined) throw new Error('the runtime takes no connections')
  server.removeAllListeners('connection')
  const lane = createFastLane({
    serve: (request, respond) => acceptPlain(front, request, respond),
    isDraining: () => front.isDraining,
    now: front.now,
    bodies: front.bodies,
    giveToRuntime: socket => giveToRuntime.call(server, socket),
    endHalf: socket => probeHalfClosed(socket, front.open),
    ...settings,
  })
  server.on('connection', lane.take)
  return lane
}

function listen(server: RuntimeServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
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
