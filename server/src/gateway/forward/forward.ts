// Forwards an admitted call to the service at INFERENCE_URL: adds the caller's identity as headers, passes the answer
// back as it arrives, and settles its cost.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { AnswerEnding, type RelayedAnswer } from '../../call/answer-ending.ts'
import type { InferencePort } from '../../call/inference-port.ts'
import { memoize } from '../../collections/bounded-memo.ts'
import { boundEstimate } from '../../domain/conversation/client-rules.ts'
import { assumeGenerated } from '../../domain/conversation/token-estimate.ts'
import { plainTotalTimeoutOf, type UpstreamTimeouts } from '../../domain/conversation/upstream-timeouts.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { AnswerEnd } from '../../domain/metrics.ts'
import type { RequestBody } from '../../http/read-body.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { AnswerHeaders, Call, Receiver } from '../../outbound/call.ts'
import { OutboundFailure, type OutboundFailureKind } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { readAnswerKind, readRefusalCode, readReportedUsage } from './answer-headers.ts'
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
    checkRequest: () => undefined,
    answer: call => new Promise((done, refuse) => new ForwardedCall(forwarding, call, done, refuse).begin()),
  }
}

/** One forwarded call, which also receives its answer from the outbound client. */
class ForwardedCall implements Receiver, RelayedAnswer {
  readonly copiesWhatItKeeps = true
  readonly #forwarding: Forwarding
  readonly #call: AdmittedCall
  readonly #ending: AnswerEnding
  readonly #startedAt = performance.now()
  readonly #dueAt: number
  /** Only our own inference role shares a secret with the gateway. */
  readonly #isOwnRole: boolean
  #upstream: Call | undefined
  /** When the first part of the answer arrived. */
  #begunAt: number | null = null
  /** Null until the head of the answer has arrived. */
  #relay: Relay | null = null
  #attempt = 1
  /** What a stream has cost so far; null for whole answers. */
  #countTokens: (() => number) | null = null

  constructor(forwarding: Forwarding, call: AdmittedCall, done: () => void, refuse: (error: unknown) => void) {
    const { options } = forwarding
    this.#forwarding = forwarding
    this.#call = call
    const { idleTimeoutMs, log } = options
    this.#ending = new AnswerEnding({ call, answer: this, done, refuse, idleTimeoutMs, log })
    this.#isOwnRole = options.internalSecret !== null
    this.#dueAt = this.#startedAt + options.timeoutMs
  }

  /** Null until the client has received something of the answer. */
  get #begun(): Relay | null {
    return this.#relay?.hasBegun() ? this.#relay : null
  }

  begin(): void {
    this.#ending.start(() => this.#send())
  }

  onResponse(status: number, headers: AnswerHeaders): void {
    if (!this.#ending.isPassing) return
    try {
      this.#takeHead(status, headers)
    } catch (error) {
      this.#ending.abandon(error)
    }
  }

  onData(chunk: Buffer): void {
    if (!this.#ending.isPassing || this.#relay === null) return
    try {
      this.#takeData(this.#relay, chunk)
    } catch (error) {
      this.#ending.abandon(error)
    }
  }

  onEnd(): void {
    const relay = this.#relay
    if (!this.#ending.isPassing || relay === null) return
    try {
      // The cost is settled before the last byte: the client's next request must meet the settled budget.
      if (relay.isAnswer()) this.#ending.complete(() => relay.finish())
      else this.#fail(new OutboundFailure('protocol', { reason: 'no_answer' }))
    } catch (error) {
      this.#ending.abandon(error)
    }
  }

  onFailure(failure: OutboundFailure): void {
    if (!this.#ending.isPassing) return
    try {
      if (this.#mayRetry(failure)) {
        this.#attempt++
        this.#send()
      } else this.#fail(failure)
    } catch (error) {
      this.#ending.abandon(error)
    }
  }

  #send(): void {
    const { options, addressOf, injectHeaders } = this.#forwarding
    const { request, verified } = this.#call
    const body = this.#bodyToSend()
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

  /** Another service knows nothing of prompts. Our own role writes them out again, by the rules of the project. */
  #bodyToSend(): RequestBody | null {
    const { body, prompt } = this.#call
    return prompt === null || this.#isOwnRole ? body : prompt.body
  }

  #takeHead(status: number, headers: AnswerHeaders): void {
    const { response, format, verified, promptEstimate } = this.#call
    const kind = readAnswerKind(status, headers)
    if (kind === null) {
      this.#fail(new OutboundFailure('protocol', { reason: 'no_answer' }))
      return
    }
    if (this.#isOwnRole) this.#call.noteLoggedElsewhere()
    if (kind === 'events') {
      const relay = createEventRelay(response, status, headers, { format, requestId: verified.requestId })
      this.#relay = relay
      const countTokens = () => relay.tokens(promptEstimate ?? 0)
      this.#countTokens = countTokens
      return
    }
    // The gateway learns only now whether the answer is a stream. Our own role keeps to the right limit itself.
    if (!this.#isOwnRole) this.#upstream?.endBy(this.#startedAt + plainTotalTimeoutOf(this.#forwarding.options))
    const reported = this.#isOwnRole ? readReportedUsage(headers) : null
    if (this.#isOwnRole) this.#call.noteFailure(readRefusalCode(headers))
    this.#relay = createWholeRelay(response, status, headers, { format, reported })
  }

  #takeData(relay: Relay, chunk: Buffer): void {
    this.#begunAt ??= performance.now()
    const hasRoom = relay.take(chunk)
    if (relay.isTooLarge()) {
      this.#fail(new OutboundFailure('too_large'))
      return
    }
    if (this.#countTokens !== null) this.#call.checkpoint(this.#countTokens)
    if (hasRoom) return
    this.#upstream?.pause()
    this.#ending.waitForClient(() => this.#upstream?.resume())
  }

  #mayRetry({ kind, connected }: OutboundFailure): boolean {
    if (this.#relay !== null || connected) return false
    return this.#attempt < (maxAttempts[kind] ?? 1) && performance.now() < this.#dueAt
  }

  #fail({ kind, reason }: OutboundFailure): void {
    const fields = { request_id: this.#call.verified.requestId, reason: kind, code: reason, attempt: this.#attempt }
    sparseLogOf(this.#forwarding.options.log).warn('upstream failed', `${kind} ${reason}`, fields)
    const isTimeout = kind === 'timeout'
    const refusal = new Refusal(isTimeout ? 'provider_timeout' : 'provider_unavailable')
    this.#ending.fail(isTimeout ? 'timeout' : 'network', refusal)
  }

  settle(end: AnswerEnd): null {
    this.#upstream?.abort()
    const { promptEstimate } = this.#call
    if (promptEstimate === null) return null
    const tokens = this.#countFor(end, promptEstimate)
    this.#call.settle(Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : promptEstimate)
    return null
  }

  /**
   * A client pays for what it received. If it leaves, the provider has read the prompt, and has worked as long as the
   * client waited.
   */
  #countFor(end: AnswerEnd, promptEstimate: number): number {
    const relay = end === 'complete' ? this.#relay : this.#begun
    const received = relay?.tokens(promptEstimate) ?? 0
    if (end !== 'client_gone' || this.#upstream === undefined) return received
    const { estimated, resolved } = this.#call
    const reserved = boundEstimate(estimated?.estimate ?? { prompt: 0, completion: 0 }, resolved.settings)
    const waitedMs = (this.#begunAt ?? performance.now()) - this.#startedAt
    return Math.max(received, promptEstimate + assumeGenerated(reserved, waitedMs))
  }

  endWithError(refusal: Refusal): boolean {
    const begun = this.#begun
    begun?.endWithError(refusal)
    return begun !== null
  }

  drop(): void {
    this.#call.response.destroy()
  }
}
