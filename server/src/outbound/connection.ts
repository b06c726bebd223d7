// One connection to one origin, for one exchange at a time: writes the request, feeds the parser, and gives itself back
// only where the answer ended cleanly and nothing came behind it. Knows no addresses and no other connections.
import type { Socket } from 'node:net'
import { type PendingWrite, writeAtEndOfTurn } from '../sockets/end-of-turn-writes.ts'
import { type Reader, readInto } from '../sockets/shared-read-buffer.ts'
import type { Carrier, Exchange } from './call.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import { AnswerParser, type AnswerSink } from './parser.ts'
import type { ResponseHead } from './response-head.ts'

/** Whoever owns it. */
export interface Owner {
  onIdle(connection: Connection): void
  /** One that had waited turned out to be closed by its far end; comes before its exchange hears of it. */
  onStale(): void
  onGone(connection: Connection): void
}

/** A small request leaves in one piece with its head; a large one would be copied for it. */
const onePieceBytes = 16 * 1024
const usualIdleMs = 20_000
/** One that nobody has asked anything yet: servers wait for a first request less long, and do not say how long. */
const unusedIdleMs = 10_000
const maxIdleMs = 60_000
/** The far end says how long it waits; a request must not meet its end on the way. */
const idleMarginMs = 2_000
/**
 * Before so many looks, about two seconds after its request left, a close counts as one that was on its way by then: round
 * trips of which packets were lost, or a copy that was killed. Who closes later had the request, and may have worked long
 * on it. Counted in looks and not in time: a process that is held up hears late, but it also looks only once.
 */
const looksUntilTaken = 8

export class Connection implements AnswerSink, Carrier, PendingWrite, Reader {
  readonly #socket: Socket
  readonly #owner: Owner
  readonly #parser = new AnswerParser(this)
  #exchange: Exchange | null = null
  /** Its far end had time to close it before the next exchange is given to it. */
  #hasWaited = false
  /** How many more it may be that its exchange met a closed connection: none once anything came. */
  #looksLeft = 0
  /** Something of the answer came since the last look. */
  #hasMoved = false
  #isGone = false
  /** Whose request is still to be written. */
  #unsent: Exchange | null = null
  /** What was read and not taken while its exchange was held. */
  #rest: Buffer | null = null
  /** How long its far end lets it wait; 0 where it does not. */
  #idleMs = unusedIdleMs
  /** While it is idle: until when. While it works: when the next piece must have come; 0 for never. */
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

  /** Of one that waits for an exchange. */
  get freeSince(): number {
    return this.#dueAt - this.#idleMs
  }

  /** Whether it may be given an exchange. */
  get isFree(): boolean {
    return !this.#isGone && this.#exchange === null && this.#socket.writable && !this.#socket.readableEnded
  }

  begin(exchange: Exchange): void {
    const { method, body } = exchange.message
    this.#exchange = exchange
    this.#looksLeft = this.#hasWaited ? looksUntilTaken : 0
    this.#parser.begin(method === 'HEAD')
    this.#dueAt = 0
    exchange.beginOn(this)
    if (body === null || body.length <= onePieceBytes) {
      this.#unsent = exchange
      writeAtEndOfTurn(this)
    } else this.#sendInPieces(exchange.message.head, body)
  }

  /** The request, where it is small, in its turn. */
  depart(): void {
    // Given up meanwhile.
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

  /** Until it is given an exchange. */
  rest(): void {
    this.#hasWaited = true
    this.#dueAt = performance.now() + this.#idleMs
  }

  take(bytes: Buffer): void {
    if (this.#exchange === null) {
      // An answer to nothing.
      this.drop()
      return
    }
    this.#looksLeft = 0
    if (this.#rest !== null) this.#rest = Buffer.concat([this.#rest, bytes])
    else this.#read(bytes)
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
    this.#exchange = null
    this.#unsent = null
    this.#rest = null
    this.#socket.destroy()
    if (this.#isGone) return
    this.#isGone = true
    this.#owner.onGone(this)
  }

  /** With whatever it carries. */
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
    // Within a reading there is none, and that goes on by itself.
    if (rest !== null) {
      this.#rest = null
      this.#read(rest)
    }
    if (this.#isGone || this.#exchange === null || this.#exchange.isHeld) return
    if (this.#socket.readableEnded) this.#takeClose()
    else this.#socket.resume()
  }

  /** Now and then: ends what has waited too long. Looking at the clock here alone is what makes each reading cheap. */
  watch(now: number): void {
    if (this.#looksLeft > 0) this.#looksLeft -= 1
    const exchange = this.#exchange
    if (exchange?.isOverdue(now) === true) {
      // Held or not: that its receiver is slow does not make it last longer.
      exchange.fail(new OutboundFailure('timeout', { reason: 'total' }))
      return
    }
    if (this.#hasMoved && exchange?.hasAnswer === true) {
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

  /** After each reading: the rest is kept where no more is wanted just now, and an answer that is over is ended. */
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

  /** Before the exchange hears of its end, so that the next request of whoever waits for it finds it free. */
  #rejoin(): void {
    // Also where the next exchange waits already: what is between them may have been enough.
    this.#hasWaited = true
    // A socket that was held would never hear the next answer.
    if (this.#socket.isPaused()) this.#socket.resume()
    this.#owner.onIdle(this)
  }

  #takeClose(): void {
    const exchange = this.#exchange
    if (exchange === null) {
      this.drop()
      return
    }
    // Taken once it goes on.
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
    // Its far end closed it before the request came: whoever may try again then may do so now.
    const isStale = failure.kind === 'reset' && this.#looksLeft > 0
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
