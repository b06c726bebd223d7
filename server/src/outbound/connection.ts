// One connection to one origin, for one exchange at a time: writes the request, feeds the parser, and becomes free
// again only if the response ended cleanly and nothing followed it.
import type { Socket } from 'node:net'
import { type PendingWrite, writeAtEndOfTurn } from '../sockets/end-of-turn-writes.ts'
import { type Reader, readInto } from '../sockets/shared-read-buffer.ts'
import type { Carrier, Exchange } from './call.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import { AnswerParser, type AnswerSink } from './parser.ts'
import type { ResponseHead } from './response-head.ts'

/** The pool that owns the connection. */
export interface Owner {
  onIdle(connection: Connection): void
  /** The peer had closed the connection while it was idle; called before its exchange fails. */
  onStale(): void
  onGone(connection: Connection): void
}

/** A small request is written in one piece with its head; a large one would be copied for that. */
const onePieceBytes = 16 * 1024
const usualIdleMs = 20_000
/**
 * For a connection without a request so far: servers wait less long for a first request, and do not announce how long.
 */
const unusedIdleMs = 10_000
const maxIdleMs = 60_000
/** The peer announces how long it waits; a request must not arrive just after that. */
const idleMarginMs = 2_000
/**
 * A close within this many checks, about two seconds after the request was sent, counts as one that crossed the request
 * on the wire: the packets may have been lost, or a replica killed. A peer that closes later had the request and may
 * have worked on it. Counted in checks and not in time: a stalled process notices the close late, but it also checks
 * only once.
 */
const checksUntilTaken = 8
/** After so many bytes others are served: the runtime by itself reads two megabytes in one turn of the event loop. */
const bytesPerTurn = 64 * 1024

export class Connection implements AnswerSink, Carrier, PendingWrite, Reader {
  readonly #socket: Socket
  readonly #owner: Owner
  readonly #parser = new AnswerParser(this)
  #exchange: Exchange | null = null
  /** Was idle, so the peer may have closed it before the next exchange. */
  #hasWaited = false
  /** How many more checks a close may count as stale; 0 once anything arrived. */
  #checksLeft = 0
  /** Whether any of the response arrived since the last check. */
  #hasMoved = false
  #isGone = false
  /** The exchange whose request is still to be written. */
  #unsent: Exchange | null = null
  /** Bytes that were read but not parsed while the exchange was held. */
  #rest: Buffer | null = null
  /** Bytes that were read since others were served. */
  #bytesInTurn = 0
  #waitsForTurn = false
  /** How long the peer keeps it idle; 0 if not at all. */
  #idleMs = unusedIdleMs
  /** While idle: when it must be closed. While in use: when the next bytes must have arrived; 0 for never. */
  #dueAt = 0

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket
    this.#owner = owner
    readInto(socket, this)
    socket.on('error', error => this.#break(exchangeFailure(error)))
    socket.on('end', () => this.#takeClose())
    socket.on('close', () => socket.readableEnded || this.#break(closed()))
  }

  get isHeld(): boolean {
    return this.#exchange === null || this.#exchange.isHeld
  }

  /** Only meaningful while the connection is idle. */
  get freeSince(): number {
    return this.#dueAt - this.#idleMs
  }

  /** Whether it can take an exchange. */
  get isFree(): boolean {
    return !this.#isGone && this.#exchange === null && this.#socket.writable && !this.#socket.readableEnded
  }

  begin(exchange: Exchange): void {
    const { method, body } = exchange.message
    this.#exchange = exchange
    this.#checksLeft = this.#hasWaited ? checksUntilTaken : 0
    this.#parser.begin(method === 'HEAD')
    this.#dueAt = 0
    exchange.beginOn(this)
    if (body === null || body.length <= onePieceBytes) {
      this.#unsent = exchange
      writeAtEndOfTurn(this)
    } else this.#sendInPieces(exchange.message.head, body)
  }

  /** Writes a small request at the end of the turn. */
  flush(): void {
    // It was aborted meanwhile.
    if (this.#unsent === null) return
    const { head, body } = this.#unsent.message
    this.#unsent = null
    this.#socket.write(body === null ? head : head + asBuffer(body).toString('latin1'), 'latin1')
  }

  #sendInPieces(head: string, body: Uint8Array): void {
    const socket = this.#socket
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body)
    socket.uncork()
  }

  /** Makes the connection idle until it gets an exchange. */
  rest(): void {
    this.#hasWaited = true
    this.#dueAt = performance.now() + this.#idleMs
  }

  take(bytes: Buffer): void {
    if (this.#exchange === null) {
      // Bytes without a request.
      this.drop()
      return
    }
    this.#checksLeft = 0
    if (this.#rest !== null) this.#rest = Buffer.concat([this.#rest, bytes])
    else this.#read(bytes)
    this.#bytesInTurn += bytes.length
    if (this.#bytesInTurn >= bytesPerTurn) this.#waitForTurn()
  }

  #waitForTurn(): void {
    this.#bytesInTurn = 0
    this.#waitsForTurn = true
    this.#socket.pause()
    setImmediate(() => {
      this.#waitsForTurn = false
      if (!this.#isGone && this.#exchange?.isHeld !== true) this.#socket.resume()
    })
  }

  takeInterim(): boolean {
    return this.#exchange?.takeInterim() === true
  }

  takeHead(head: ResponseHead): void {
    this.#idleMs = head.persists ? idleMsOf(head) : 0
    this.#exchange?.takeHead(head)
  }

  takeBody(bytes: Buffer, from: number, to: number): void {
    this.#exchange?.takeBody(bytes, from, to)
  }

  drop(): void {
    const isAbandoned = this.#exchange !== null
    this.#exchange = null
    this.#unsent = null
    this.#rest = null
    // A peer may take a plain close for the end of the request, and go on with its response. TLS has no reset.
    if (isAbandoned && !this.#socket.destroyed && !('encrypted' in this.#socket)) this.#socket.resetAndDestroy()
    else this.#socket.destroy()
    if (this.#isGone) return
    this.#isGone = true
    this.#owner.onGone(this)
  }

  /** Ends the connection and fails its exchange. */
  end(failure: OutboundFailure): void {
    this.#exchange?.fail(failure)
    this.drop()
  }

  hold(): void {
    this.#socket.pause()
  }

  release(): void {
    const rest = this.#rest
    this.#hasMoved = true
    // During a read `rest` is null, and the read continues by itself.
    if (rest !== null) {
      this.#rest = null
      this.#read(rest)
    }
    if (this.#isGone || this.#exchange === null || this.#exchange.isHeld) return
    if (this.#socket.readableEnded) this.#takeClose()
    else if (!this.#waitsForTurn) this.#socket.resume()
  }

  /** Called periodically: ends what has waited too long. Checking the clock only here keeps reads cheap. */
  watch(now: number): void {
    if (this.#checksLeft > 0) this.#checksLeft -= 1
    const exchange = this.#exchange
    if (exchange?.isOverdue(now) === true) {
      // A slow receiver does not extend the deadline.
      exchange.fail(new OutboundFailure('timeout', { reason: 'total' }))
      return
    }
    if (this.#hasMoved && exchange?.isAnswered === true) {
      const { bodyMs } = exchange.message
      this.#dueAt = bodyMs === 0 ? 0 : now + bodyMs
      this.#hasMoved = false
    }
    const isLate = exchange?.isLate(now) === true || (this.#dueAt !== 0 && now >= this.#dueAt)
    if (!isLate) return
    if (exchange === null) this.drop()
    else if (!exchange.isHeld) exchange.fail(new OutboundFailure('timeout', { reason: 'silence' }))
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange!
    try {
      const at = this.#parser.read(bytes, 0, bytes.length)
      if (this.#exchange === exchange) this.#settle(exchange, bytes, at)
    } catch (error) {
      exchange.failBy(error)
    }
  }

  /** After each read: keeps the rest if the exchange is held, and ends a complete response. */
  #settle(exchange: Exchange, bytes: Buffer, at: number): void {
    this.#hasMoved = true
    if (exchange.isHeld) {
      this.#rest = Buffer.from(bytes.subarray(at))
      return
    }
    if (!this.#parser.isOver) return
    const isSent = this.#unsent === null && this.#socket.writableLength === 0
    const isOpen = this.#idleMs > 0 && !this.#socket.readableEnded
    const isClean = at === bytes.length && isOpen && isSent
    this.#exchange = null
    if (isClean) this.#rejoin()
    else this.drop()
    exchange.takeEnd()
  }

  /** Comes before the exchange's end, so that the caller's next request finds the connection free. */
  #rejoin(): void {
    // Set even if the next exchange waits already: the peer may have closed in between.
    this.#hasWaited = true
    // A paused socket would never read the next response.
    if (this.#socket.isPaused() && !this.#waitsForTurn) this.#socket.resume()
    this.#owner.onIdle(this)
  }

  #takeClose(): void {
    const exchange = this.#exchange
    if (exchange === null) {
      this.drop()
      return
    }
    // Parsed when the exchange is resumed.
    if (exchange.isHeld) return
    if (!this.#parser.close()) {
      this.#break(closed())
      return
    }
    this.#exchange = null
    this.drop()
    try {
      exchange.takeEnd()
    } catch (error) {
      exchange.failBy(error)
    }
  }

  #break(failure: OutboundFailure): void {
    const exchange = this.#exchange
    this.drop()
    if (exchange === null || exchange.isOver) return
    // The peer closed the connection before the request arrived: the request may be retried.
    const isStale = failure.kind === 'reset' && this.#checksLeft > 0
    if (isStale) this.#owner.onStale()
    exchange.fail(isStale ? new OutboundFailure('reset', { reason: 'stale', connected: false }) : failure)
  }
}

function idleMsOf({ idleSeconds }: ResponseHead): number {
  if (idleSeconds === null) return usualIdleMs
  return Math.max(0, Math.min(idleSeconds * 1000 - idleMarginMs, maxIdleMs))
}

function closed(): OutboundFailure {
  return new OutboundFailure('reset', { reason: 'closed' })
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
