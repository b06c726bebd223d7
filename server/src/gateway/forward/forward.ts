// Forwards an admitted call to the service at INFERENCE_URL: adds the caller's identity as headers, passes the answer
// back as it arrives, and settles its cost.

import type { AdmittedCall, Ending } from '../../call/admitted-call.ts'
import type { InferencePort } from '../../call/inference-port.ts'
import { memoize } from '../../collections/bounded-memo.ts'
import { totalTimeoutOf, type UpstreamTimeouts } from '../../domain/conversation/upstream-timeouts.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import { replyError } from '../../http/reply.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { AnswerHeaders, Call, Receiver } from '../../outbound/call.ts'
import { OutboundFailure, type OutboundFailureKind } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { readAnswerKind, readReportedUsage, readToldRefusal } from './answer-headers.ts'
import { createHeaderInjector, type HeaderInjector } from './inject-headers.ts'
import { createEventRelay, createWholeRelay, type Relay } from './relays.ts'

interface ForwarderOptions extends UpstreamTimeouts {
  outbound: Pick<Outbound, 'open'>
  /** An origin, with or without a path. */
  inferenceUrl: string
  internalSecret: string | null
  log: Log
}

interface Forwarding {
  readonly options: ForwarderOptions
  /** Memoized: most requests have the same few URLs. */
  readonly addressOf: (url: string) => string
  readonly injectHeaders: HeaderInjector
}

/** Added to the total time of our own inference role: it ends the call itself, and reports what it cost. */
const ownRoleGraceMs = 10_000
/**
 * Attempts by kind of failure; a call is retried only while nothing of it was sent. A reset is one of a pooled
 * connection: the next attempt gets a new one, unless another pooled connection becomes free at that moment.
 */
const maxAttempts: Partial<Record<OutboundFailureKind, number>> = { connect: 2, dns: 2, timeout: 2, reset: 4 }

export function createForwarder(options: ForwarderOptions): InferencePort {
  const base = options.inferenceUrl.replace(/\/+$/, '')
  const forwarding: Forwarding = {
    options,
    addressOf: memoize(url => base + url),
    injectHeaders: createHeaderInjector(options.internalSecret),
  }
  return {
    check: () => undefined,
    answer: call => new Promise((done, refuse) => new ForwardedCall(forwarding, call, done, refuse).begin()),
  }
}

type Phase =
  /** The head of the answer has not arrived. */
  | 'sent'
  /** The body of the answer goes to the client as it arrives. */
  | 'passing'
  /** The client reads more slowly than the answer arrives, and the upstream is paused. */
  | 'paused'
  /** The outcome is decided, and the cost settled. */
  | 'over'

/** One forwarded call, which also receives its answer from the outbound client. */
class ForwardedCall implements Receiver {
  readonly copiesWhatItKeeps = true
  readonly #forwarding: Forwarding
  readonly #call: AdmittedCall
  readonly #done: () => void
  readonly #refuse: (refusal: Refusal) => void
  readonly #startedAt = performance.now()
  readonly #dueAt: number
  /** Only our own inference role shares a secret with the gateway. */
  readonly #isOwnRole: boolean
  #upstream: Call | undefined
  #relay: Relay | null = null
  /** Runs only while paused. The outbound client notices an upstream that is silent. */
  #timer: NodeJS.Timeout | undefined
  #attempt = 1
  #phase: Phase = 'sent'
  /** What a stream has cost so far; null for whole answers. */
  #countTokens: (() => number) | null = null

  constructor(forwarding: Forwarding, call: AdmittedCall, done: () => void, refuse: (refusal: Refusal) => void) {
    this.#forwarding = forwarding
    this.#call = call
    this.#done = done
    this.#refuse = refuse
    this.#isOwnRole = forwarding.options.internalSecret !== null
    this.#dueAt = this.#startedAt + forwarding.options.timeoutMs
  }

  /** Null until the client has received something of the answer. */
  get #begun(): Relay | null {
    return this.#relay?.hasBegun() ? this.#relay : null
  }

  begin(): void {
    this.#call.listen(reason => this.#endEarly(reason))
    if (this.#phase === 'sent') this.#send()
  }

  onResponse(status: number, headers: AnswerHeaders): void {
    try {
      this.#takeHead(status, headers)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onData(chunk: Buffer): void {
    try {
      if (this.#phase !== 'over') this.#takeData(chunk)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onEnd(): void {
    try {
      if (this.#phase !== 'over') this.#takeEnd()
    } catch (error) {
      this.#abandon(error)
    }
  }

  onFailure(failure: OutboundFailure): void {
    if (this.#phase === 'over') return
    try {
      this.#takeFailure(failure)
    } catch (error) {
      this.#abandon(error)
    }
  }

  #send(): void {
    const { options, addressOf, injectHeaders } = this.#forwarding
    const { request, body, verified } = this.#call
    this.#upstream = options.outbound.open(
      {
        url: addressOf(request.url ?? ''),
        method: request.method ?? 'GET',
        block: injectHeaders(request.headers, verified),
        body: body === null ? null : (body.text ?? body.bytes),
        isPlainText: true,
        guard: 'operator',
        // From the first attempt to the head. Our own inference role sends heartbeats until then, because it applies
        // the provider's time limits itself.
        takesHeartbeats: this.#isOwnRole,
        headersTimeoutMs: Math.max(1, this.#attempt === 1 ? options.timeoutMs : this.#dueAt - performance.now()),
        bodyTimeoutMs: options.idleTimeoutMs,
        endsAt: this.#startedAt + options.totalTimeoutMs + (this.#isOwnRole ? ownRoleGraceMs : 0),
      },
      this,
    )
  }

  #takeHead(status: number, headers: AnswerHeaders): void {
    if (this.#phase !== 'sent') return
    this.#phase = 'passing'
    const { response, format } = this.#call
    const kind = readAnswerKind(status, headers)
    if (kind === null) {
      this.#fail(new OutboundFailure('protocol', { reason: 'no_answer' }))
      return
    }
    if (kind === 'events') {
      const relay = createEventRelay(response, status, headers, { format, requestId: this.#call.verified.requestId })
      this.#relay = relay
      const countTokens = () => relay.tokens(this.#call.promptEstimate ?? 0)
      this.#countTokens = countTokens
      return
    }
    // The gateway learns only now whether the answer is a stream. Our own role keeps to the right limit itself.
    if (!this.#isOwnRole) this.#upstream?.endBy(this.#startedAt + totalTimeoutOf(this.#forwarding.options, false))
    const reported = this.#isOwnRole ? readReportedUsage(headers) : null
    if (this.#isOwnRole) this.#call.noteFailure(readToldRefusal(headers))
    this.#relay = createWholeRelay(response, status, headers, { format, reported })
  }

  #takeData(chunk: Buffer): void {
    const relay = this.#relay
    if (relay === null) return
    const hasRoom = relay.take(chunk)
    if (relay.isTooLarge()) {
      this.#fail(new OutboundFailure('too_large'))
      return
    }
    if (this.#countTokens !== null) this.#call.checkpoint(this.#countTokens)
    if (!hasRoom && this.#phase === 'passing') this.#pause()
  }

  #pause(): void {
    this.#phase = 'paused'
    this.#timer = setTimeout(() => this.#endEarly('client_gone'), this.#forwarding.options.idleTimeoutMs)
    this.#upstream?.pause()
    this.#call.response.once('drain', () => this.#resume())
  }

  #resume(): void {
    if (this.#phase !== 'paused') return
    this.#phase = 'passing'
    clearTimeout(this.#timer)
    this.#upstream?.resume()
  }

  #takeEnd(): void {
    const relay = this.#relay
    if (relay === null) return
    if (!relay.isAnswer()) {
      this.#takeFailure(new OutboundFailure('protocol', { reason: 'no_answer' }))
      return
    }
    // Before the last byte: the client's next request must meet the settled budget.
    this.#settle(relay.tokens(this.#call.promptEstimate ?? 0))
    relay.finish()
    this.#done()
  }

  #takeFailure(failure: OutboundFailure): void {
    const isUnsent = this.#phase === 'sent' && !failure.connected
    if (isUnsent && this.#attempt < (maxAttempts[failure.kind] ?? 1) && performance.now() < this.#dueAt) {
      this.#attempt++
      this.#send()
      return
    }
    const { promptEstimate, verified } = this.#call
    const { kind, reason } = failure
    const fields = { request_id: verified.requestId, reason: kind, code: reason, attempt: this.#attempt }
    sparseLogOf(this.#forwarding.options.log).warn('upstream failed', `${kind} ${reason}`, fields)
    const refusal = new Refusal(kind === 'timeout' ? 'provider_timeout' : 'provider_unavailable')
    this.#call.noteFailure(refusal.code)
    // The client pays only for what it received.
    const begun = this.#begun
    this.#settle(begun?.tokens(promptEstimate ?? 0) ?? 0)
    if (begun !== null) begun.endWithError(refusal)
    else this.#reply(refusal)
    this.#done()
  }

  #endEarly(ending: Ending): void {
    if (this.#phase === 'over') return
    try {
      this.#end(ending)
    } catch (error) {
      this.#abandon(error)
    }
  }

  #end(ending: Ending): void {
    const begun = this.#begun
    const { response, promptEstimate } = this.#call
    const prompt = promptEstimate ?? 0
    // A client that leaves before the answer pays for the prompt, which the provider has read.
    const unanswered = ending === 'client_gone' && this.#upstream !== undefined ? prompt : 0
    this.#settle(begun === null ? unanswered : begun.tokens(prompt))
    this.#upstream?.abort()
    if (ending === 'client_gone') {
      response.destroy()
      this.#done()
    } else if (begun === null) this.#refuse(new Refusal(ending))
    else {
      this.#call.noteFailure(ending)
      begun.endWithError(new Refusal(ending))
      this.#done()
    }
  }

  #fail(failure: OutboundFailure): void {
    // Reports the failure to `onFailure`, unless the upstream had ended its answer already.
    this.#upstream?.abort(failure)
    if (this.#phase !== 'over') this.#takeFailure(failure)
  }

  /** For internal errors: neither the client nor the upstream must be left waiting. */
  #abandon(error: unknown): void {
    const { response, verified } = this.#call
    const { log } = this.#forwarding.options
    if (response.headersSent) log.error('forwarding failed', { request_id: verified.requestId, error })
    this.#phase = 'over'
    clearTimeout(this.#timer)
    this.#upstream?.abort()
    this.#reply(error)
    this.#done()
  }

  #reply(error: unknown): void {
    const { response, verified, format } = this.#call
    replyError(response, error, { format, log: this.#forwarding.options.log, requestId: verified.requestId })
  }

  #settle(tokens: number): void {
    this.#phase = 'over'
    clearTimeout(this.#timer)
    const { promptEstimate } = this.#call
    if (promptEstimate === null) return
    this.#call.settle(Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : promptEstimate)
  }
}
