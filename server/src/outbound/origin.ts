// The connections of one origin: gives each exchange a free one, opens more up to a maximum, and queues the rest in
// order.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import type { Exchange } from './call.ts'
import { Connection, type Owner } from './connection.ts'
import { connectFailure, OutboundFailure } from './failure.ts'

/**
 * Connections being opened at the same time: a server queues a few hundred, most often 511, and a further one gets no
 * reply for a second or more. Several replicas may connect at once.
 */
const maxConnecting = 128

interface OriginOptions {
  url: URL
  connect: buildConnector.connector
  /** Null for no maximum. */
  maxConnections: number | null
}

export class Origin implements Owner {
  readonly #options: OriginOptions
  readonly #target: buildConnector.Options
  readonly #all = new Set<Connection>()
  /** The most recently used is taken first, so that surplus ones age and are closed. */
  readonly #free: Connection[] = []
  readonly #waiting: Exchange[] = []
  #connecting = 0
  #isClosing = false

  constructor(options: OriginOptions) {
    this.#options = options
    const { hostname, host, protocol, port } = options.url
    // As undici's own pools pass it to the connector: an address without its brackets.
    this.#target = { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }
  }

  /** Idle connections, the oldest first. */
  get free(): readonly Connection[] {
    return this.#free
  }

  /** Whether it holds nothing and can be replaced. */
  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#connecting === 0 && this.#waiting.length === 0
  }

  begin(exchange: Exchange): void {
    const free = this.#takeFree()
    if (free !== null) free.begin(exchange)
    else {
      this.#waiting.push(exchange)
      exchange.beginOn({ drop: () => this.#forget(exchange), hold: nothing, release: nothing })
      this.#connectAsNeeded()
    }
  }

  watch(now: number): void {
    for (const connection of this.#all) connection.watch(now)
    for (const exchange of this.#waiting.filter(each => each.isLate(now) || each.isOverdue(now))) {
      exchange.fail(new OutboundFailure('timeout', { reason: 'no_connection', connected: false }))
    }
  }

  /** Ends everything at once. */
  destroy(): void {
    this.#isClosing = true
    const aborted = () => new OutboundFailure('aborted', { reason: 'closed' })
    for (const exchange of this.#waiting.splice(0)) exchange.fail(aborted())
    for (const connection of [...this.#all]) connection.end(aborted())
  }

  onIdle(connection: Connection): void {
    const next = this.#waiting.shift()
    if (next !== undefined) connection.begin(next)
    else if (this.#isClosing) connection.drop()
    else {
      connection.rest()
      this.#free.push(connection)
    }
  }

  /**
   * A server that stops closes all of its free connections at once, and each close is noticed separately: a retry on
   * the next free one would fail again, one by one. Most connections still free have been idle longer than the stale
   * one.
   */
  onStale(): void {
    for (const connection of this.#free.splice(0)) connection.drop()
  }

  onGone(connection: Connection): void {
    this.#all.delete(connection)
    const at = this.#free.lastIndexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
    this.#connectAsNeeded()
  }

  #takeFree(): Connection | null {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.isFree) return free
      free.drop()
    }
    return null
  }

  #forget(exchange: Exchange): void {
    const at = this.#waiting.indexOf(exchange)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  #connectAsNeeded(): void {
    const { maxConnections } = this.#options
    while (
      this.#connecting < Math.min(this.#waiting.length, maxConnecting) &&
      (maxConnections === null || this.#all.size + this.#connecting < maxConnections)
    ) {
      this.#connect()
    }
  }

  #connect(): void {
    this.#connecting += 1
    // A share of the waiting exchanges, if there are more than connections can be opened.
    const share = Math.ceil(this.#waiting.length / (maxConnecting + this.#all.size))
    // A rejection may be synchronous, before the caller has its call object.
    const fail = (error: unknown) => queueMicrotask(() => this.#failSome(share, connectFailure(error)))
    try {
      this.#options.connect(this.#target, (error, socket) => {
        if (error !== null) fail(error)
        else this.#join(socket as Socket)
      })
    } catch (error) {
      fail(error)
    }
  }

  #join(socket: Socket): void {
    this.#connecting -= 1
    const connection = new Connection(socket, this)
    this.#all.add(connection)
    this.onIdle(connection)
    // More exchanges may wait than connections can be opened, and a stream can keep its connection for minutes.
    this.#connectAsNeeded()
  }

  /**
   * One connection attempt failed: fails its share of the longest-waiting exchanges unless other attempts suffice. So
   * an unreachable origin is waited for at most three attempts, however many exchanges wait.
   */
  #failSome(share: number, failure: OutboundFailure): void {
    this.#connecting -= 1
    const tooMany = Math.max(0, this.#waiting.length - this.#connecting)
    for (const exchange of this.#waiting.splice(0, Math.min(share, tooMany))) exchange.fail(failure)
    this.#connectAsNeeded()
  }
}

const nothing = () => undefined
