// What one attempt at a provider came to, found out while its answer is read: an answer that has begun, or a fault before
// anything of one was told. Knows how answers begin, pause and break; knows no address, no key and no second try.

import type { AnswerEvent, Usage } from '../../domain/conversation/answer.ts'
import { type FaultClass, type ProviderFault, providerFault } from '../../domain/conversation/provider-fault.ts'
import { GrowingBuffer } from '../../http/growing-buffer.ts'
import type { AnswerHeaders, Call, Receiver } from '../../outbound/call.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { StreamDecoder } from '../../providers/protocols/protocol.ts'
import { heldBytesOf } from './answer-size.ts'
import type { AttemptBounds, AttemptOptions } from './attempt-options.ts'
import { beginsAsEvents, findFault, isEventStream, isFaultAlone } from './detect-answer-kind.ts'
import { maxAnswerBytes } from './large-answers.ts'
import type { AnswerConsumer, UpstreamAnswer } from './upstream-answer.ts'

/** Of a refusal no more is read. */
const maxFaultBytes = 64 * 1024
/**
 * Bytes that say nothing yet (comments, pings, white space, half of an event) are signs of life and keep a call open, but
 * for no longer than so many times the silence between two bytes: whoever waits for the client has given up by then.
 */
const maxIdleTimes = 10
/** What a provider gets to end its body after the last word, so that its connection can serve another call. */
const lingerMs = 1_000

/** Where the attempt stands. Events that come before somebody takes them wait. */
export class ProviderAttempt implements Receiver, UpstreamAnswer {
  call: Call | null = null
  readonly #bounds: AttemptBounds
  readonly #question: AttemptOptions
  #status: number | null = null
  #headers: AnswerHeaders = {}
  #decoder: StreamDecoder | null = null
  #body: GrowingBuffer | null = null
  /** A stream was asked for, and the head does not say that one comes: some leave that to the body. */
  #mayBeEvents = false
  #taker: AnswerConsumer | null = null
  #waiting: AnswerEvent[] = []
  #end: { fault: ProviderFault | null } | null = null
  #counted: Usage | null = null
  /** Its outcome is decided; what still comes is for nobody. */
  #isOver = false
  /** The answer has begun. */
  #isTold = false
  #isBodyOver = false
  /** Bytes that are held of the events of the answer, and that have come of one that is not whole yet. */
  #held = 0
  #unread = 0
  /** Since when bytes come and say nothing; 0 where the last ones did. */
  #quietSince = 0
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: AttemptBounds, question: AttemptOptions) {
    this.#bounds = bounds
    this.#question = question
    this.#startTimer(bounds.timeoutMs)
  }

  onResponse(status: number, headers: AnswerHeaders): void {
    if (this.#isOver) return
    const { protocol, reading, isStream } = this.#question
    this.#status = status
    this.#headers = headers
    if (status === 200 && isStream && isEventStream(headers)) this.#decoder = protocol.createStreamDecoder(reading)
    else this.#body = new GrowingBuffer(status === 200 ? maxAnswerBytes : maxFaultBytes)
    this.#mayBeEvents = status === 200 && isStream && this.#decoder === null
    this.#startTimer(this.#bounds.idleTimeoutMs)
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return
    this.#timer?.refresh()
    if (this.#mayBeEvents) this.#lookForEvents(chunk)
    if (this.#decoder !== null) this.#readStream(this.#decoder, chunk)
    else if (!this.#gather(chunk)) {
      if (this.#status === 200) this.#failWith(new OutboundFailure('too_large'))
      else this.#readFault()
    } else this.#noteQuiet()
  }

  onEnd(): void {
    this.#isBodyOver = true
    if (this.#isOver) {
      this.#stopTimer()
      return
    }
    if (this.#decoder !== null) {
      this.#tell(this.#decoder.end())
      this.#complete()
    } else if (this.#status === 200) this.#tellWhole()
    else this.#readFault()
  }

  onFailure(failure: OutboundFailure): void {
    if (this.#isOver) this.#stopTimer()
    else this.#failWith(failure)
  }

  begin(taker: AnswerConsumer): void {
    this.#taker = taker
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length > 0 && !taker.onEvents(waiting)) this.#pause()
    if (this.#end !== null) this.#taker?.onEnd(this.#end.fault)
  }

  resume(): void {
    if (this.#isOver) return
    this.#startTimer(this.#bounds.idleTimeoutMs)
    this.call?.resume()
  }

  abort(): Usage | null {
    this.#taker = null
    if (this.#isOver) return this.#counted
    this.#noteCount(this.#decoder?.breakOff(providerFault('network')) ?? [])
    this.#over()
    this.call?.abort()
    if (!this.#isTold) this.#refuseWith(providerFault('network'), true)
    return this.#counted
  }

  #lookForEvents(chunk: Buffer): void {
    const isStream = beginsAsEvents(chunk)
    this.#mayBeEvents = isStream === null
    if (!isStream) return
    this.#body = null
    this.#decoder = this.#question.protocol.createStreamDecoder(this.#question.reading)
  }

  #readStream(decoder: StreamDecoder, chunk: Buffer): void {
    const events = decoder.push(chunk)
    this.#unread = events.length === 0 ? this.#unread + chunk.length : 0
    this.#held += heldBytesOf(events, this.#question.owner.keepsAnswer)
    // An event that is not whole lies in memory that doubles.
    if (!this.#hold(this.#held + 2 * this.#unread)) {
      this.#failWith(new OutboundFailure('too_large'))
      return
    }
    this.#tell(events)
    if (decoder.isOver) this.#complete()
    else if (events.length === 0) this.#noteQuiet()
    else this.#quietSince = 0
  }

  #noteQuiet(): void {
    const now = performance.now()
    if (this.#quietSince === 0) this.#quietSince = now
    else if (now - this.#quietSince >= maxIdleTimes * this.#bounds.idleTimeoutMs) {
      this.#failWith(new OutboundFailure('timeout', { reason: 'no_progress' }))
    }
  }

  #gather(chunk: Buffer): boolean {
    const body = this.#body
    return body === null || (body.add(chunk) && (this.#status !== 200 || this.#hold(body.heldBytes)))
  }

  #hold(bytes: number): boolean {
    const { tenantId, call } = this.#question.owner
    return this.#bounds.largeAnswers.hold(call, tenantId, bytes)
  }

  #tell(events: AnswerEvent[]): void {
    const [first] = events
    if (first === undefined || this.#isOver) return
    const fault = findFault(events)
    if (!this.#isTold && isFaultAlone(first)) {
      this.#conclude(findFault([first]) ?? providerFault('malformed'))
      return
    }
    if (this.#taker === null) {
      this.#waiting.push(...events)
      this.#announce()
    } else if (!this.#taker.onEvents(events)) this.#pause()
    if (fault !== null) this.#finish(fault)
  }

  /** A whole answer is told where nothing is wrong with it; there is no such thing as half of one. */
  #tellWhole(): void {
    const { protocol, reading, isStream } = this.#question
    const event = protocol.decodeAnswer(this.#body?.whole() ?? Buffer.alloc(0), reading)
    this.#body = null
    const fault = findFault([event])
    if (fault !== null) {
      this.#conclude(fault)
      return
    }
    // Who asked for a stream and got it all at once still gets a stream.
    this.#tell([isStream ? { ...event, raw: null } : event])
    this.#complete()
  }

  #readFault(): void {
    const { protocol } = this.#question
    const body = this.#body?.whole().toString() ?? ''
    const answer = { status: this.#status ?? 0, headers: this.#headers, body, now: this.#bounds.now() }
    this.#conclude(protocol.readFault(answer))
  }

  #complete(): void {
    if (this.#isOver) return
    if (!this.#isTold) {
      this.#conclude(providerFault('malformed'))
      return
    }
    this.#over()
    if (!this.#isBodyOver) this.#linger()
    this.#tellEnd(null)
  }

  /** What follows the last word is of no interest, but a connection whose answer ended can serve another call. */
  #linger(): void {
    this.#timer = setTimeout(() => this.call?.abort(), lingerMs).unref()
    this.call?.resume()
  }

  #failWith(failure: OutboundFailure): void {
    if (this.#isOver) return
    const details = { code: failure.reason ?? failure.kind }
    if (this.#isTold) {
      const fault = providerFault(failure.kind === 'timeout' ? 'timeout' : 'truncated', details)
      this.#tell(this.#decoder?.breakOff(fault) ?? [])
      if (!this.#isOver) this.#finish(fault)
    } else {
      this.#over()
      const fault = providerFault(classOfFailure(failure, this.#status), details)
      this.#refuseWith(fault, failure.connected || failure.kind === 'blocked')
    }
    this.call?.abort(failure)
  }

  #announce(): void {
    if (this.#isTold) return
    this.#isTold = true
    this.#question.resolve({ begun: this })
  }

  #pause(): void {
    if (this.#isOver) return
    // The silence that follows is the client's.
    this.#stopTimer()
    this.call?.pause()
  }

  #finish(fault: ProviderFault | null): void {
    this.#over()
    this.#tellEnd(fault)
  }

  #tellEnd(fault: ProviderFault | null): void {
    this.#end = { fault }
    this.#taker?.onEnd(fault)
  }

  /** A no before anything was told. */
  #conclude(fault: ProviderFault): void {
    this.#over()
    this.call?.abort()
    this.#refuseWith(fault, true)
  }

  #refuseWith(fault: ProviderFault, hasConnected: boolean): void {
    this.#question.resolve({ fault, status: this.#status, hasConnected })
  }

  #noteCount(events: readonly AnswerEvent[]): void {
    for (const { deltas } of events) {
      for (const delta of deltas) if (delta.type === 'fault') this.#counted = delta.usage ?? this.#counted
    }
  }

  #startTimer(timeoutMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#failWith(new OutboundFailure('timeout', { reason: 'silence' })), timeoutMs)
  }

  #over(): void {
    this.#isOver = true
    this.#stopTimer()
  }

  /** A timer that is left to itself keeps the whole request in memory until it fires. */
  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Of an exchange that failed before anything of its answer was told. */
function classOfFailure({ kind }: OutboundFailure, status: number | null): FaultClass {
  if (kind === 'timeout') return 'timeout'
  if (status === 200) return 'truncated'
  const isNoAnswer = kind === 'redirect' || kind === 'protocol' || kind === 'too_large'
  return status !== null || isNoAnswer ? 'malformed' : 'network'
}
