// One request and its response: calls the receiver in order and never after the end. A redirect or a compressed
// response is a failure, for small exchanges and streams alike.
import type { Log } from '../domain/log.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import type { AnswerHeaders, ResponseHead } from './response-head.ts'

export type { AnswerHeaders } from './response-head.ts'

/** Receives the response. Either onFailure or onEnd comes last, and once. */
export interface Receiver {
  /**
   * The receiver copies what it keeps: the bytes it is given are valid only during onData. Without this it gets its own
   * copy.
   */
  readonly copiesWhatItKeeps?: true
  onResponse(status: number, headers: AnswerHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: OutboundFailure): void
}

export interface Call {
  /** Ends the call at once; the receiver gets a failure unless the call had ended. */
  abort(failure?: OutboundFailure): void
  pause(): void
  resume(): void
  /** Replaces the request's own `endsAt`. */
  endBy(at: number): void
}

/** The part of a connection that an exchange needs. */
export interface Carrier {
  drop(): void
  hold(): void
  release(): void
}

export interface Message {
  readonly method: string
  /** Followed by the body if that is plain text. */
  readonly head: string
  /** The body, unless it is part of `head`. */
  readonly body: Uint8Array | null
  readonly headMs: number
  readonly bodyMs: number
  /** When the whole response must have arrived, on `performance.now()`; 0 or absent for no deadline. */
  readonly endsAt?: number
  readonly takesHeartbeats?: boolean
  /** Whether a proxy reads the request itself. */
  readonly isProxied?: boolean
}

/** `waiting`: for the head of the response. */
type Phase = 'waiting' | 'answered' | 'over'

export class Exchange implements Call {
  readonly message: Message
  readonly #receiver: Receiver
  readonly #log: Pick<Log, 'warn'>
  #carrier: Carrier | null = null
  #phase: Phase = 'waiting'
  #dueAt: number
  #endsAt: number
  isHeld = false

  constructor(message: Message, receiver: Receiver, log: Pick<Log, 'warn'>) {
    this.message = message
    this.#receiver = receiver
    this.#log = log
    this.#dueAt = message.headMs === 0 ? 0 : performance.now() + message.headMs
    this.#endsAt = message.endsAt ?? 0
  }

  /** Whether the timeout for the head has passed. */
  isLate(now: number): boolean {
    return this.#dueAt !== 0 && now >= this.#dueAt && this.#phase === 'waiting'
  }

  /** Whether the deadline of the whole response has passed. */
  isOverdue(now: number): boolean {
    return this.#endsAt !== 0 && now >= this.#endsAt
  }

  endBy(at: number): void {
    this.#endsAt = at
  }

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  /** Whether the head of the response has arrived, and its end has not. */
  get isAnswered(): boolean {
    return this.#phase === 'answered'
  }

  beginOn(carrier: Carrier): void {
    this.#carrier = carrier
    if (this.isHeld) carrier.hold()
  }

  /** Returns whether the caller wants interim responses; others are limited in number. */
  takeInterim(): boolean {
    const { takesHeartbeats, headMs } = this.message
    if (takesHeartbeats !== true) return false
    if (headMs !== 0) this.#dueAt = performance.now() + headMs
    return true
  }

  takeHead({ status, headers }: ResponseHead): void {
    if (this.isOver) return
    this.#phase = 'answered'
    const refusal = this.message.isProxied === true && status === 407 ? refusedByProxy() : refuseAnswer(status, headers)
    if (refusal !== null) this.fail(refusal)
    else this.#receiver.onResponse(status, headers)
  }

  /** The memory is only valid during the call. */
  takeBody(bytes: Buffer, from: number, to: number): void {
    if (this.isOver) return
    const receiver = this.#receiver
    const piece = bytes.subarray(from, to)
    receiver.onData(receiver.copiesWhatItKeeps === true ? piece : Buffer.from(piece))
  }

  takeEnd(): void {
    if (this.isOver) return
    this.#phase = 'over'
    this.#carrier = null
    this.#receiver.onEnd()
  }

  fail(failure: OutboundFailure): void {
    if (this.isOver) return
    this.#phase = 'over'
    this.#carrier?.drop()
    this.#carrier = null
    this.#notifyFailure(failure)
  }

  /** For a receiver that threw: its call must not hang, and its error must not be lost. */
  failBy(error: unknown): void {
    if (error instanceof OutboundFailure) {
      this.fail(error)
      return
    }
    this.#log.warn('receiver of a response failed', { error })
    const failure = exchangeFailure(error)
    // The receiver may have thrown in its last callback.
    if (this.isOver) this.#notifyFailure(failure)
    else this.fail(failure)
  }

  abort(failure: OutboundFailure = new OutboundFailure('aborted')): void {
    this.fail(failure)
  }

  pause(): void {
    if (this.isOver) return
    this.isHeld = true
    this.#carrier?.hold()
  }

  resume(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.#carrier?.release()
  }

  #notifyFailure(failure: OutboundFailure): void {
    try {
      this.#receiver.onFailure(failure)
    } catch (error) {
      // No callback is left to report this to.
      this.#log.warn('receiver of a response failed', { reason: failure.kind, error })
    }
  }
}

/** Only a proxy answers so: it did not forward the request. */
function refusedByProxy(): OutboundFailure {
  return new OutboundFailure('connect', { reason: 'PROXY_AUTHENTICATION_REQUIRED', connected: false })
}

function refuseAnswer(status: number, headers: AnswerHeaders): OutboundFailure | null {
  // Never followed: the request carries a key, which is not for the next host.
  if (status >= 300 && status < 400) return new OutboundFailure('redirect', { reason: String(status), status })
  // We request identity encoding; a compressed body could expand without limit.
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity')
    return new OutboundFailure('protocol', { reason: 'content_encoding', status })
  return null
}
