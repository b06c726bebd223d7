// Answers an admitted call by the service at INFERENCE_URL: sends it on with the identity in headers, passes the answer
// back as it comes, and settles on what it cost. Decides nothing about who may call.
import type { ServerResponse } from 'node:http'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { AdmittedCall, Ending, InferencePort } from '../http/inference-port.ts'
import type { Outbound } from '../http/outbound.ts'
import type { AnswerHeaders, Call } from '../http/outbound-call.ts'
import { OutboundFailure, type OutboundFailureKind } from '../http/outbound-failure.ts'
import { replyError } from '../http/reply.ts'
import { readAnswerKind } from './answer-headers.ts'
import { createEventRelay, createPlainRelay, type Relay } from './answer-relay.ts'
import { createHeaderInjector, type HeaderInjector } from './inject-headers.ts'

interface ForwarderOptions {
  outbound: Pick<Outbound, 'open'>
  /** An origin with or without a path in front. */
  inferenceUrl: string
  internalSecret: string | null
  /** To the first byte, and between two bytes. */
  timeoutMs: number
  idleTimeoutMs: number
  log: Log
}

interface Forwarding {
  readonly options: ForwarderOptions
  readonly base: string
  readonly injectHeaders: HeaderInjector
}

/** One call on its way; `isOver` once its outcome is decided. */
interface Exchange {
  readonly forwarding: Forwarding
  readonly call: AdmittedCall
  readonly done: () => void
  readonly refuse: (refusal: Refusal) => void
  upstream: Call | undefined
  relay: Relay | null
  timer: NodeJS.Timeout | undefined
  attempt: number
  isPaused: boolean
  isOver: boolean
  checkpointAt: number
}

/** How often the reservation hears what a long stream has cost. */
const checkpointMs = 5_000
/** What a client gets to take the last words of an ended call before its connection is cut. */
const lastWordsMs = 1_200
/**
 * How often a call is tried of which nothing has left. A reset is one of a connection that was used before: a service that
 * stops leaves several of those behind.
 */
const mostAttempts: Partial<Record<OutboundFailureKind, number>> = { connect: 2, dns: 2, timeout: 2, reset: 4 }

export function createForwarder(options: ForwarderOptions): InferencePort {
  const forwarding: Forwarding = {
    options,
    base: options.inferenceUrl.replace(/\/+$/, ''),
    injectHeaders: createHeaderInjector(options.internalSecret),
  }
  return { answer: call => new Promise((done, refuse) => begin(forwarding, call, done, refuse)) }
}

function begin(forwarding: Forwarding, call: AdmittedCall, done: () => void, refuse: (refusal: Refusal) => void): void {
  const exchange: Exchange = {
    forwarding,
    call,
    done,
    refuse,
    upstream: undefined,
    relay: null,
    timer: undefined,
    attempt: 1,
    isPaused: false,
    isOver: false,
    checkpointAt: 0,
  }
  const { ending } = call
  const onEnding = () => endEarly(exchange, ending.reason as Ending)
  if (ending.aborted) {
    onEnding()
    return
  }
  ending.addEventListener('abort', onEnding)
  exchange.timer = setTimeout(onSilence, forwarding.options.timeoutMs, exchange)
  send(exchange)
}

function send(exchange: Exchange): void {
  const { forwarding, call } = exchange
  const { request, body, verified } = call
  exchange.upstream = forwarding.options.outbound.open(
    {
      url: forwarding.base + request.url,
      method: request.method ?? 'GET',
      headers: forwarding.injectHeaders(request.headers, verified),
      body: body?.bytes ?? null,
      guard: 'operator',
      // One timer of our own, which interim answers cannot reset.
      headersTimeoutMs: 0,
      bodyTimeoutMs: 0,
    },
    {
      onResponse: (status, headers) => onHead(exchange, status, headers),
      onData: chunk => onData(exchange, chunk),
      onEnd: () => onEnd(exchange),
      onFailure: failure => onFailure(exchange, failure),
    },
  )
}

function onHead(exchange: Exchange, status: number, headers: AnswerHeaders): void {
  const { response } = exchange.call
  const kind = readAnswerKind(status, headers)
  if (kind === null) {
    abort(exchange, new OutboundFailure('protocol', { reason: 'no_answer' }))
    return
  }
  exchange.relay = (kind === 'events' ? createEventRelay : createPlainRelay)(response, status, headers)
  clearTimeout(exchange.timer)
  exchange.timer = setTimeout(onSilence, exchange.forwarding.options.idleTimeoutMs, exchange)
  exchange.checkpointAt = performance.now() + checkpointMs
}

function onData(exchange: Exchange, chunk: Buffer): void {
  const { relay, call, timer } = exchange
  if (relay === null || exchange.isOver) return
  timer?.refresh()
  const hasRoom = relay.take(chunk)
  if (relay.isEndless()) {
    abort(exchange, new OutboundFailure('too_large'))
    return
  }
  if (call.promptEstimate !== null && performance.now() >= exchange.checkpointAt) {
    exchange.checkpointAt = performance.now() + checkpointMs
    call.checkpoint(relay.tokens(call.promptEstimate))
  }
  if (hasRoom || exchange.isPaused) return
  exchange.isPaused = true
  exchange.upstream?.pause()
  call.response.once('drain', () => {
    exchange.isPaused = false
    exchange.timer?.refresh()
    exchange.upstream?.resume()
  })
}

function onEnd(exchange: Exchange): void {
  const { relay, call } = exchange
  if (relay === null || exchange.isOver) return
  if (relay.isAnswer()) {
    // Before the last byte: whoever asks again at once meets the budget as it is.
    conclude(exchange, relay.tokens(call.promptEstimate ?? 0))
    relay.finish()
    exchange.done()
  } else onFailure(exchange, new OutboundFailure('protocol', { reason: 'no_answer' }))
}

function onFailure(exchange: Exchange, failure: OutboundFailure): void {
  if (exchange.isOver) return
  if (!failure.connected && exchange.attempt < (mostAttempts[failure.kind] ?? 1)) {
    exchange.attempt++
    send(exchange)
    return
  }
  const { call, relay, forwarding } = exchange
  const { log } = forwarding.options
  const requestId = call.verified.requestId
  log.warn('upstream failed', { request_id: requestId, reason: failure.kind, attempt: exchange.attempt })
  const refusal = new Refusal(failure.kind === 'timeout' ? 'provider_timeout' : 'provider_unavailable')
  // What did not reach the client costs nothing.
  conclude(exchange, relay?.hasBegun() ? relay.tokens(call.promptEstimate ?? 0) : 0)
  if (relay?.hasBegun()) relay.cut(refusal)
  else replyError(call.response, refusal, { surface: 'openai', log, requestId })
  exchange.done()
}

function endEarly(exchange: Exchange, ending: Ending): void {
  if (exchange.isOver) return
  const { call, relay, upstream } = exchange
  const prompt = call.promptEstimate ?? 0
  const hasBegun = relay?.hasBegun() ?? false
  // Whoever leaves before the answer has still had the prompt read.
  const unanswered = ending === 'client_gone' && upstream !== undefined ? prompt : 0
  conclude(exchange, hasBegun ? relay!.tokens(prompt) : unanswered)
  upstream?.abort()
  if (ending === 'client_gone') {
    call.response.destroy()
    exchange.done()
  } else if (hasBegun) {
    relay!.cut(new Refusal(ending))
    cutUnlessTaken(call.response)
    exchange.done()
  } else exchange.refuse(new Refusal(ending))
}

/** A reader that stands still would keep its ended call open for as long as it likes. */
function cutUnlessTaken(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), lastWordsMs)
  response.once('close', () => clearTimeout(timer))
}

/** The upstream is silent; or, while it waits for the client, the client takes nothing. */
function onSilence(exchange: Exchange): void {
  if (exchange.isPaused) endEarly(exchange, 'client_gone')
  else abort(exchange, new OutboundFailure('timeout', { reason: 'silence' }))
}

function abort(exchange: Exchange, failure: OutboundFailure): void {
  exchange.upstream?.abort(failure)
  // Where the client had ended already, nobody else says it.
  onFailure(exchange, failure)
}

function conclude(exchange: Exchange, tokens: number): void {
  exchange.isOver = true
  clearTimeout(exchange.timer)
  const { call } = exchange
  if (call.promptEstimate === null) return
  call.settle(Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : call.promptEstimate)
}
