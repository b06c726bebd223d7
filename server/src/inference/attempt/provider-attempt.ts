// Reads the answer of one attempt at a provider. The outcome is an answer that has begun, or an error before the first
// event. Does not open connections and does not retry.

import type { AnswerEvent, Usage } from '../../domain/conversation/answer.ts'
import { type ProviderError, providerError } from '../../domain/conversation/provider-error.ts'
import { GrowingBuffer } from '../../http/growing-buffer.ts'
import type { AnswerHeaders, Call, Receiver } from '../../outbound/call.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { StreamDecoder } from '../../providers/protocols/protocol.ts'
import type { AnswerConsumer, AttemptBounds, AttemptOptions, UpstreamAnswer } from './attempt.ts'
import { AttemptTimers } from './attempt-timers.ts'
import {
  beginsAsEvents,
  classOfFailure,
  findError,
  findErrorUsage,
  heldBytesOf,
  isEventStream,
  isOnlyError,
  isPrelude,
} from './inspect-answer.ts'
import { maxAnswerBytes, uncountedBytes } from './large-answers.ts'

/** The attempt's phases, in order. */
type Phase =
  /** Waits for the response's head. */
  | 'sent'
  /** A stream was requested and the head does not announce one: the body's first bytes decide. */
  | 'undecided'
  /** Reads the body: as events if there is a decoder, otherwise as a whole. */
  | 'reading'
  /** The answer has begun. Its events are held back until there is a consumer. */
  | 'begun'
  /** The answer is complete or broken off. The rest of the body is discarded. */
  | 'ended'
  /** Failed before the answer began, or aborted. */
  | 'dropped'

/** After so many bytes without content the answer begins nevertheless. */
const maxPreludeBytes = 64 * 1024
/** An error response is read up to this size. */
const maxErrorBytes = 64 * 1024
export class ProviderAttempt implements Receiver, UpstreamAnswer {
  /** Null until the request is sent. */
  call: Call | null = null
  readonly #bounds: AttemptBounds
  readonly #options: AttemptOptions
  #phase: Phase = 'sent'
  #status: number | null = null
  #headers: AnswerHeaders = {}
  #decoder: StreamDecoder | null = null
  #body: GrowingBuffer | null = null
  #consumer: AnswerConsumer | null = null
  /** Events that arrived before the consumer was set. */
  #waiting: AnswerEvent[] = []
  /** Bytes of the events before the first one with content. */
  #preludeBytes = 0
  /** Why the answer broke off. */
  #error: ProviderError | null = null
  /** Bytes held for the answer's events, and bytes of an incomplete event. */
  #held = 0
  #unread = 0
  readonly #timers: AttemptTimers

  constructor(bounds: AttemptBounds, options: AttemptOptions) {
    this.#bounds = bounds
    this.#options = options
    this.#timers = new AttemptTimers(options, bounds.idleTimeoutMs, reason =>
      this.#failWith(new OutboundFailure('timeout', { reason })),
    )
  }

  get isOver(): boolean {
    return this.#phase === 'ended' || this.#phase === 'dropped'
  }

  onResponse(status: number, headers: AnswerHeaders): void {
    if (this.isOver) return
    const { isStream, protocol } = this.#options
    this.#status = status
    this.#headers = headers
    this.#phase = 'reading'
    if (status === 200 && isStream && isEventStream(headers, protocol)) this.#decodeEvents()
    else {
      this.#body = new GrowingBuffer(status === 200 ? maxAnswerBytes : maxErrorBytes)
      if (status === 200 && isStream) this.#phase = 'undecided'
    }
    this.#timers.startIdle()
  }

  onData(chunk: Buffer): void {
    if (this.isOver) return
    this.#timers.noteBytes()
    if (this.#phase === 'undecided') this.#decide(beginsAsEvents(chunk))
    if (this.#decoder !== null) this.#readEvents(this.#decoder, chunk)
    else this.#gather(chunk)
  }

  onEnd(): void {
    if (this.isOver) this.#timers.stop()
    else if (this.#decoder !== null) {
      this.#passOn(this.#decoder.end())
      this.#complete()
    } else if (this.#status === 200) this.#readWhole()
    else this.#readError()
  }

  onFailure(failure: OutboundFailure): void {
    if (this.isOver) this.#timers.stop()
    else this.#failWith(failure)
  }

  /** The request could not be sent. */
  fail(error: ProviderError): void {
    if (!this.isOver) this.#reject(error)
  }

  begin(consumer: AnswerConsumer): void {
    this.#consumer = consumer
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length > 0 && !consumer.onEvents(waiting)) this.#pause()
    if (this.#phase === 'ended') this.#consumer?.onEnd(this.#error)
  }

  resume(): void {
    if (this.isOver) return
    this.#timers.startIdle()
    this.call?.resume()
  }

  abort(): Usage | null {
    this.#consumer = null
    if (this.isOver) return null
    const error = providerError('network')
    const usage = findErrorUsage(this.#decoder?.breakOff(error) ?? [])
    if (this.#phase === 'begun') this.#drop()
    else this.#reject(error)
    return usage
  }

  #decide(isEvents: boolean | null): void {
    if (isEvents === null) return
    this.#phase = 'reading'
    if (isEvents) this.#decodeEvents()
  }

  #decodeEvents(): void {
    const { protocol, reading } = this.#options
    this.#body = null
    this.#decoder = protocol.createStreamDecoder(reading)
  }

  #readEvents(decoder: StreamDecoder, chunk: Buffer): void {
    const events = decoder.push(chunk)
    this.#unread = events.length === 0 ? this.#unread + chunk.length : 0
    this.#held += heldBytesOf(events, this.#options.owner.keepsAnswer)
    // An incomplete event lies in a buffer that doubles its size.
    if (!this.#hold(this.#held + 2 * this.#unread)) {
      this.#failWith(new OutboundFailure('too_large'))
      return
    }
    this.#passOn(events)
    if (decoder.isOver) this.#complete()
    if (this.#phase === 'ended') {
      this.#timers.linger(() => this.call?.abort())
      this.call?.resume()
    } else if (events.length === 0 || this.#phase !== 'begun') this.#timers.noteQuiet()
    else this.#timers.noteEvents()
  }

  #gather(chunk: Buffer): void {
    const body = this.#body
    const isAnswer = this.#status === 200
    if (body === null || (body.add(chunk) && (!isAnswer || this.#hold(body.heldBytes)))) this.#timers.noteQuiet()
    else if (isAnswer) this.#failWith(new OutboundFailure('too_large'))
    else this.#readError()
  }

  #hold(bytes: number): boolean {
    if (bytes <= uncountedBytes) return true
    const { tenantId, call } = this.#options.owner
    return this.#bounds.largeAnswers.hold(call, tenantId, bytes)
  }

  #readWhole(): void {
    const { protocol, reading } = this.#options
    const body = this.#body?.whole() ?? Buffer.alloc(0)
    this.#body = null
    if (body.length <= uncountedBytes) this.#passWhole(protocol.decodeAnswer(body, reading))
    // What follows walks over all parts of the answer again: of a large one, in a turn of its own.
    else if (!protocol.parseLarge) setImmediate(event => this.#passWhole(event), protocol.decodeAnswer(body, reading))
    else void protocol.parseLarge(body).then(json => this.#passWhole(protocol.decodeAnswer(body, reading, { json })))
  }

  /** A whole answer that contains an error is rejected: no part of it is passed on. */
  #passWhole(event: AnswerEvent): void {
    if (this.isOver) return
    const error = findError([event])
    if (error !== null) this.#reject(error)
    else {
      // A stream was requested, so the client gets one, and not the provider's bytes.
      this.#passOn([this.#options.isStream ? { ...event, raw: null } : event])
      this.#complete()
    }
  }

  #readError(): void {
    const { protocol } = this.#options
    const { secrets } = this.#options.owner
    // Before the protocol takes it apart. Its message is looked through again, since JSON has more forms of a text.
    const body = secrets.redact(this.#body?.whole().toString() ?? '')
    const answer = { status: this.#status ?? 0, headers: this.#headers, body, now: this.#bounds.now() }
    this.#reject(protocol.readError(answer))
  }

  #passOn(arrived: AnswerEvent[]): void {
    const events = this.#phase === 'begun' ? arrived : this.#withoutPrelude(arrived)
    const [first] = events
    if (first === undefined || this.isOver) return
    const error = findError(events)
    if (this.#phase !== 'begun' && isOnlyError(first)) {
      this.#reject(findError([first]) ?? providerError('malformed'))
      return
    }
    if (this.#consumer === null) {
      for (const event of events) this.#waiting.push(event)
      this.#announce()
    } else if (!this.#consumer.onEvents(events)) this.#pause()
    if (error !== null) this.#end(error)
  }

  /** Keeps the events at the beginning without content, with copies of their bytes: more are read meanwhile. */
  #withoutPrelude(events: AnswerEvent[]): AnswerEvent[] {
    let count = 0
    for (const event of events) {
      if (this.#preludeBytes > maxPreludeBytes || !isPrelude(event, this.#options.waitsForContent)) break
      const { deltas, raw } = event
      this.#waiting.push({ deltas, raw: raw && Uint8Array.from(raw) })
      this.#preludeBytes += raw?.length ?? 0
      count++
    }
    return count === 0 ? events : events.slice(count)
  }

  #announce(): void {
    if (this.#phase === 'begun') return
    this.#phase = 'begun'
    this.#timers.noteBegun()
    this.#options.resolve({ begun: this })
  }

  #pause(): void {
    if (this.isOver) return
    // The client is slow: the provider must not time out for it.
    this.#timers.stop()
    this.call?.pause()
  }

  #complete(): void {
    if (this.#phase === 'begun') this.#end(null)
    else if (!this.isOver) this.#reject(providerError('malformed'))
  }

  #failWith(failure: OutboundFailure): void {
    if (this.isOver) return
    const details = { code: failure.reason ?? failure.kind }
    if (this.#phase !== 'begun') {
      const error = providerError(classOfFailure(failure, this.#status), details)
      this.#reject(error, failure.connected || failure.kind === 'blocked')
      return
    }
    const error = providerError(failure.kind === 'timeout' ? 'timeout' : 'truncated', details)
    this.#passOn(this.#decoder?.breakOff(error) ?? [])
    this.#end(error)
    this.call?.abort(failure)
  }

  #end(error: ProviderError | null): void {
    if (this.isOver) return
    this.#phase = 'ended'
    this.#error = error
    this.#timers.stop()
    this.#consumer?.onEnd(error)
  }

  /** The attempt fails before its answer has begun. */
  #reject(error: ProviderError, hasConnected = true): void {
    const { owner, resolve } = this.#options
    this.#drop()
    resolve({ error: owner.secrets.redactError(error), status: this.#status, hasConnected })
  }

  #drop(): void {
    this.#phase = 'dropped'
    this.#timers.stop()
    this.call?.abort()
  }
}
