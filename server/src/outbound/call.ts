// One request and its answer: what its caller hears, in order, once and never after the end. Every answer that is a
// redirect or compressed is a failure here, for small exchanges and streams alike. Knows no sockets and no address rules.
import type { Log } from '../domain/log.ts'
import { exchangeFailure, OutboundFailure } from './failure.ts'
import type { AnswerHeaders, ResponseHead } from './response-head.ts'

export type { AnswerHeaders } from './response-head.ts'

/** Who takes the answer. onFailure or onEnd comes last, and once. */
export interface Receiver {
  /** It is given bytes that hold still during its onData alone, and copies what it keeps; else it gets its own. */
  readonly copiesWhatItKeeps?: true
  onResponse(status: number, headers: AnswerHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: OutboundFailure): void
}

export interface Call {
  /** Ends the call at once; the receiver hears of it as a failure unless it had ended. */
  abort(failure?: OutboundFailure): void
  pause(): void
  resume(): void
  /** In the place of the request's own `endsAt`. */
  endBy(at: number): void
}

/** What carries an exchange, as far as the exchange needs it. */
export interface Carrier {
  drop(): void
  hold(): void
  release(): void
}

export interface Message {
  readonly method: string
  /** With a body of plain text behind it. */
  readonly head: string
  /** What is not in there. */
  readonly body: Uint8Array | null
  readonly headMs: number
  readonly bodyMs: number
  /** By when, on `performance.now()`, the answer must be whole, whatever comes meanwhile; 0 or absent for never. */
  readonly endsAt?: number
  readonly takesLifeSigns?: boolean
}

export class Exchange implements Call {
  readonly message: Message
  readonly #receiver: Receiver
  readonly #log: Pick<Log, 'warn'>
  #carrier: Carrier | null = null
  #isOver = false
  #hasAnswer = false
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

  /** Whether the head should have come by now. */
  isLate(now: number): boolean {
    return this.#dueAt !== 0 && now >= this.#dueAt && !this.#hasAnswer
  }

  /** Whether the whole answer should have come by now. */
  isOverdue(now: number): boolean {
    return this.#endsAt !== 0 && now >= this.#endsAt
  }

  endBy(at: number): void {
    this.#endsAt = at
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the head of the answer has come. */
  get hasAnswer(): boolean {
    return this.#hasAnswer
  }

  beginOn(carrier: Carrier): void {
    this.#carrier = carrier
    if (this.isHeld) carrier.hold()
  }

  /** Whether it is welcome; where not, they may not go on for ever. */
  takeInterim(): boolean {
    const { takesLifeSigns, headMs } = this.message
    if (takesLifeSigns !== true) return false
    if (headMs !== 0) this.#dueAt = performance.now() + headMs
    return true
  }

  takeHead({ status, headers }: ResponseHead): void {
    this.#hasAnswer = true
    const refusal = refuseAnswer(status, headers)
    if (refusal !== null) this.fail(refusal)
    else this.#receiver.onResponse(status, headers)
  }

  /** In memory that is not the receiver's to keep. */
  takeBody(bytes: Buffer, from: number, to: number): void {
    if (this.#isOver) return
    const receiver = this.#receiver
    const piece = bytes.subarray(from, to)
    receiver.onData(receiver.copiesWhatItKeeps === true ? piece : Buffer.from(piece))
  }

  takeEnd(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#carrier = null
    this.#receiver.onEnd()
  }

  fail(failure: OutboundFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#carrier?.drop()
    this.#carrier = null
    this.#tell(failure)
  }

  /** Of a receiver that threw: its call must not hang, and its fault must not be lost. */
  failBy(error: unknown): void {
    if (error instanceof OutboundFailure) {
      this.fail(error)
      return
    }
    this.#log.warn('receiver of an answer failed', { error })
    const failure = exchangeFailure(error)
    // It may have thrown at its own end.
    if (this.#isOver) this.#tell(failure)
    else this.fail(failure)
  }

  abort(failure: OutboundFailure = new OutboundFailure('aborted')): void {
    this.fail(failure)
  }

  pause(): void {
    if (this.#isOver) return
    this.isHeld = true
    this.#carrier?.hold()
  }

  resume(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.#carrier?.release()
  }

  #tell(failure: OutboundFailure): void {
    try {
      this.#receiver.onFailure(failure)
    } catch (error) {
      // Nobody is left to be told: the log is.
      this.#log.warn('receiver of an answer failed', { reason: failure.kind, error })
    }
  }
}

function refuseAnswer(status: number, headers: AnswerHeaders): OutboundFailure | null {
  // Never followed: the request carries a key, and the next host is not the one it was meant for.
  if (status >= 300 && status < 400) return new OutboundFailure('redirect', { reason: String(status) })
  // We ask for identity; what comes compressed anyway could unfold without end.
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') return new OutboundFailure('protocol', { reason: 'content_encoding' })
  return null
}
