// Answers an admitted call by the service at INFERENCE_URL: sends it on with the identity in headers, passes the answer
// back as it comes, and settles on what it cost. Decides nothing about who may call.

import { memoize } from '../../collections/bounded-memo.ts'
import { totalMsOf, type UpstreamTimes } from '../../domain/conversation/upstream-times.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { AdmittedCall, Ending } from '../../http/admitted-call.ts'
import type { InferencePort } from '../../http/inference-port.ts'
import { replyError } from '../../http/reply.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { AnswerHeaders, Call, Receiver } from '../../outbound/call.ts'
import { OutboundFailure, type OutboundFailureKind } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { readAnswerKind, readToldUsage } from './answer-headers.ts'
import { createHeaderInjector, type HeaderInjector } from './inject-headers.ts'
import { createEventRelay, createWholeRelay, type Relay } from './relays.ts'

interface ForwarderOptions extends UpstreamTimes {
  outbound: Pick<Outbound, 'open'>
  /** An origin with or without a path in front. */
  inferenceUrl: string
  internalSecret: string | null
  log: Log
}

interface Forwarding {
  readonly options: ForwarderOptions
  /** One text for all requests with the same url. */
  readonly addressOf: (url: string) => string
  readonly injectHeaders: HeaderInjector
}

/** Our own inference role gets so much longer in all: it ends the call by itself then, and tells what it cost. */
const ownRoleGraceMs = 10_000
/**
 * How often a call is tried of which nothing has left. A reset is one of a connection that had waited: the next one is
 * fresh, unless another of the same service comes free at that moment.
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
    answer: call => new Promise((done, refuse) => new Exchange(forwarding, call, done, refuse).begin()),
  }
}

/** One call on its way; `isOver` once its outcome is decided. It is the receiver of its own answer. */
class Exchange implements Receiver {
  readonly copiesWhatItKeeps = true
  readonly #forwarding: Forwarding
  readonly #call: AdmittedCall
  readonly #done: () => void
  readonly #refuse: (refusal: Refusal) => void
  readonly #startedAt = performance.now()
  readonly #dueAt: number
  #upstream: Call | undefined
  #relay: Relay | null = null
  /** Runs only while the client is waited for; the upstream's silence is the outbound client's to notice. */
  #timer: NodeJS.Timeout | undefined
  #attempt = 1
  #isOver = false
  /** What a stream has cost so far; null for whole answers. */
  #countTokens: (() => number) | null = null

  constructor(forwarding: Forwarding, call: AdmittedCall, done: () => void, refuse: (refusal: Refusal) => void) {
    this.#forwarding = forwarding
    this.#call = call
    this.#done = done
    this.#refuse = refuse
    this.#dueAt = this.#startedAt + forwarding.options.timeoutMs
  }

  /** Whoever has no secret of ours is no process of ours. */
  get #isOwnRole(): boolean {
    return this.#forwarding.options.internalSecret !== null
  }

  begin(): void {
    this.#call.listen(reason => this.#endEarly(reason))
    if (!this.#isOver) this.#send()
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
      if (!this.#isOver) this.#takeData(chunk)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onEnd(): void {
    try {
      if (!this.#isOver) this.#takeEnd()
    } catch (error) {
      this.#abandon(error)
    }
  }

  onFailure(failure: OutboundFailure): void {
    try {
      if (!this.#isOver) this.#takeFailure(failure)
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
        // To the head, from the first try on. Of our own inference role to a sign of life: how long its provider may
        // take is its own to judge, as in one process.
        takesLifeSigns: this.#isOwnRole,
        headersTimeoutMs: Math.max(1, this.#attempt === 1 ? options.timeoutMs : this.#dueAt - performance.now()),
        bodyTimeoutMs: options.idleTimeoutMs,
        endsAt: this.#startedAt + options.totalTimeoutMs + (this.#isOwnRole ? ownRoleGraceMs : 0),
      },
      this,
    )
  }

  #takeHead(status: number, headers: AnswerHeaders): void {
    const { response, format } = this.#call
    const kind = readAnswerKind(status, headers)
    if (kind === null) {
      this.#fail(new OutboundFailure('protocol', { reason: 'no_answer' }))
      return
    }
    if (kind === 'events') {
      const relay = createEventRelay(response, status, headers, format)
      this.#relay = relay
      const prompt = this.#call.promptEstimate ?? 0
      this.#countTokens = () => relay.tokens(prompt)
      return
    }
    // A request does not say which kind of answer comes. Our own role knew, and has kept to it.
    if (!this.#isOwnRole) this.#upstream?.endBy(this.#startedAt + totalMsOf(this.#forwarding.options, false))
    const told = this.#isOwnRole ? readToldUsage(headers) : null
    this.#relay = createWholeRelay(response, status, headers, { format, told })
  }

  #takeData(chunk: Buffer): void {
    const relay = this.#relay
    if (relay === null) return
    const hasRoom = relay.take(chunk)
    if (relay.isEndless()) {
      this.#fail(new OutboundFailure('too_large'))
      return
    }
    if (this.#countTokens !== null) this.#call.checkpoint(this.#countTokens)
    if (!hasRoom && this.#timer === undefined) this.#waitForClient()
  }

  #waitForClient(): void {
    // Whoever takes nothing for so long is left.
    this.#timer = setTimeout(() => this.#endEarly('client_gone'), this.#forwarding.options.idleTimeoutMs)
    this.#upstream?.pause()
    this.#call.response.once('drain', () => {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#upstream?.resume()
    })
  }

  #takeEnd(): void {
    const relay = this.#relay
    if (relay === null) return
    if (relay.isAnswer()) {
      // Before the last byte: whoever asks again at once meets the budget as it is.
      this.#conclude(relay.tokens(this.#call.promptEstimate ?? 0))
      relay.finish()
      this.#done()
    } else this.#takeFailure(new OutboundFailure('protocol', { reason: 'no_answer' }))
  }

  #takeFailure(failure: OutboundFailure): void {
    const mayTryAgain = this.#attempt < (maxAttempts[failure.kind] ?? 1) && performance.now() < this.#dueAt
    if (!failure.connected && mayTryAgain) {
      this.#attempt++
      this.#send()
      return
    }
    const relay = this.#relay
    const { response, promptEstimate, verified, format } = this.#call
    const { log } = this.#forwarding.options
    const { requestId } = verified
    const { kind, reason } = failure
    const fields = { request_id: requestId, reason: kind, code: reason, attempt: this.#attempt }
    sparseLogOf(log).warn('upstream failed', `${kind} ${reason}`, fields)
    const refusal = new Refusal(kind === 'timeout' ? 'provider_timeout' : 'provider_unavailable')
    // What did not reach the client costs nothing.
    this.#conclude(relay?.hasBegun() ? relay.tokens(promptEstimate ?? 0) : 0)
    if (relay?.hasBegun()) relay.cut(refusal)
    else replyError(response, refusal, { format, log, requestId })
    this.#done()
  }

  #endEarly(ending: Ending): void {
    if (this.#isOver) return
    try {
      this.#end(ending)
    } catch (error) {
      this.#abandon(error)
    }
  }

  #end(ending: Ending): void {
    const relay = this.#relay
    const { response, promptEstimate } = this.#call
    const prompt = promptEstimate ?? 0
    const hasBegun = relay?.hasBegun() ?? false
    // Whoever leaves before the answer has still had the prompt read.
    const unanswered = ending === 'client_gone' && this.#upstream !== undefined ? prompt : 0
    this.#conclude(hasBegun ? relay!.tokens(prompt) : unanswered)
    this.#upstream?.abort()
    if (ending === 'client_gone') {
      response.destroy()
      this.#done()
    } else if (hasBegun) {
      relay!.cut(new Refusal(ending))
      this.#done()
    } else this.#refuse(new Refusal(ending))
  }

  #fail(failure: OutboundFailure): void {
    this.#upstream?.abort(failure)
    // Where the client had ended already, nobody else says it.
    if (!this.#isOver) this.#takeFailure(failure)
  }

  /** A fault of our own: said once, and nobody is left waiting. */
  #abandon(error: unknown): void {
    const { response, verified, format } = this.#call
    const { log } = this.#forwarding.options
    const { requestId } = verified
    if (response.headersSent) log.error('forwarding failed', { request_id: requestId, error })
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#upstream?.abort()
    replyError(response, error, { format, log, requestId })
    this.#done()
  }

  #conclude(tokens: number): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    const { promptEstimate } = this.#call
    if (promptEstimate === null) return
    this.#call.settle(Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : promptEstimate)
  }
}
