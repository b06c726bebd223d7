// Passes an answer that has begun to the client, piece by piece. Once it ends, its usage is recorded; a complete answer
// is added to the conversation.

import { AnswerEnding, type RelayedAnswer } from '../../call/answer-ending.ts'
import { usageHeader } from '../../call/inference-port.ts'
import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { type ProviderError, refusalOfBrokenAnswer } from '../../domain/conversation/provider-error.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { AnswerEnd } from '../../domain/metrics.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { AnswerConsumer, UpstreamAnswer } from '../attempt/attempt.ts'
import type { FailureLog } from '../attempt/log-failures.ts'
import { isResponseStored } from '../memory/stored-responses.ts'
import type { Turn } from '../turn.ts'
import { recordUsage, type UsageRecorder } from '../usage/record-usage.ts'
import { weightOf } from './cut-delta.ts'
import { EventPacing, maxPieceLength } from './pace-events.ts'
import { EventRewriting } from './rewrite-events.ts'

export interface PassDependencies {
  usageRecorder: UsageRecorder
  now: () => number
  /** How long a client may read nothing while data waits for it. */
  idleTimeoutMs: number
  logFailure: FailureLog
  log: Log
}

/** Resolves when the whole response is written; rejects if the answer fails before any of it was written. */
export function passAnswer(dependencies: PassDependencies, turn: Turn, begun: UpstreamAnswer): Promise<void> {
  return new Promise((done, refuse) => new PassingAnswer({ dependencies, turn, begun, done, refuse }).begin())
}

interface Passage {
  dependencies: PassDependencies
  turn: Turn
  begun: UpstreamAnswer
  done: () => void
  refuse: (error: unknown) => void
}

class PassingAnswer implements AnswerConsumer, RelayedAnswer {
  readonly #passage: Passage
  readonly #ending: AnswerEnding
  /** Null if the events are sent as they come. */
  readonly #rewriting: EventRewriting | null
  /** Null until an event is large. */
  #pacing: EventPacing | null = null
  /** Null until there is something to send: the answer may be blocked before. */
  #reply: Reply | null = null
  /** What the answer cost; known once it is ending. */
  #tokens = 0
  /** One function for all events of a stream. */
  readonly #countTokens: () => number

  constructor(passage: Passage) {
    const { dependencies, turn, done, refuse } = passage
    const { call, collected, rewriting } = turn
    this.#passage = passage
    const { idleTimeoutMs, log } = dependencies
    this.#ending = new AnswerEnding({ call, answer: this, done, refuse, idleTimeoutMs, log })
    // Named first: assigned directly, it would keep the whole call in memory until the next full collection.
    const countTokens = () => (call.promptEstimate ?? 0) + collected.tokens()
    this.#countTokens = countTokens
    this.#rewriting =
      rewriting &&
      new EventRewriting({
        ...rewriting,
        send: events => this.#send(events),
        resume: () => this.#resume(),
        fail: error => this.#fail(error),
      })
  }

  begin(): void {
    this.#ending.start(() => this.#passage.begun.begin(this))
  }

  onEvents(events: readonly AnswerEvent[]): boolean {
    if (!this.#ending.isPassing) return true
    this.#passage.turn.call.notes?.noteEvents(events)
    let length = 0
    for (const { deltas } of events)
      for (const delta of deltas) {
        if ('logprobs' in delta) length += weightOf(delta)
        else if ('text' in delta) length += delta.text.length
        else if (delta.type === 'tool_call') length += delta.arguments.length
      }
    if (length <= maxPieceLength && this.#pacing?.isBusy !== true) return this.#pass(events)
    this.#pacing ??= new EventPacing({
      pass: piece => !this.#ending.isPassing || this.#pass(piece),
      resume: () => this.#resume(),
    })
    return this.#pacing.take(events)
  }

  /** Counts what the provider sent, and passes it on. Returns false if the provider must pause. */
  #pass(events: readonly AnswerEvent[]): boolean {
    const { turn } = this.#passage
    const { call, collected, stages } = turn
    try {
      for (const { deltas } of events) for (const delta of deltas) collected.count(delta)
      for (const stage of stages) stage.take?.(events, turn)
      // Once the provider has counted, the settlement is about to come.
      if (collected.counted === null) call.checkpoint(this.#countTokens)
      return this.#rewriting === null ? this.#send(events) : this.#rewriting.take(events)
    } catch (error) {
      this.#fail(error)
      return true
    }
  }

  /** The provider goes on, unless events of it still wait. */
  #resume(): void {
    if (this.#pacing?.isBusy !== true) this.#passage.begun.resume()
  }

  /** Sends what the client gets. Returns false if the provider must pause. */
  #send(events: readonly AnswerEvent[]): boolean {
    if (!this.#ending.isPassing) return true
    const { kept } = this.#passage.turn.collected
    if (kept !== null) for (const { deltas } of events) for (const delta of deltas) kept.take(delta)
    if (this.#openReply().take(events)) return true
    this.#ending.waitForClient(() => this.#resume())
    return false
  }

  #openReply(): Reply {
    const { dependencies, turn } = this.#passage
    this.#reply ??= createReply(dependencies, turn)
    return this.#reply
  }

  onEnd(error: ProviderError | null): void {
    if (this.#pacing?.isBusy === true) this.#pacing.whenIdle(() => this.onEnd(error))
    else if (this.#rewriting === null) this.#end(error)
    else this.#rewriting.whenIdle(() => this.#end(error))
  }

  #end(error: ProviderError | null): void {
    if (error === null) {
      this.#ending.complete(() => this.#finish())
      return
    }
    const { dependencies, turn } = this.#passage
    dependencies.logFailure(turn.call.verified, turn.current.target, error)
    this.#ending.fail(error.class, refusalOfBrokenAnswer(error))
  }

  /** A scanner has ended the answer, or has failed; anything else is an internal error. */
  #fail(error: unknown): void {
    if (error instanceof Refusal) this.#ending.fail('guardrail', error)
    else this.#ending.abandon(error)
  }

  #finish(): Promise<void> | void {
    const { stages } = this.#passage.turn
    if (stages.some(({ keep }) => keep !== undefined)) return this.#keepAndFinish()
    return this.#openReply().finish(this.#tokens)
  }

  async #keepAndFinish(): Promise<void> {
    const { turn } = this.#passage
    const reply = this.#openReply()
    for (const stage of turn.stages) await stage.keep?.(turn, reply)
    await reply.finish(this.#tokens)
  }

  settle(end: AnswerEnd): Promise<void> | null {
    const { dependencies, turn, begun } = this.#passage
    this.#rewriting?.stop()
    // The provider has sent it, though nobody gets it.
    for (const { deltas } of this.#pacing?.stop() ?? []) for (const delta of deltas) turn.collected.count(delta)
    stopAnswer(turn, begun, end)
    const { tokens, kept } = recordUsage(dependencies, turn)
    this.#tokens = tokens
    return kept
  }

  endWithError(refusal: Refusal, end: AnswerEnd): boolean {
    const { call } = this.#passage.turn
    const reply = this.#reply
    if (reply?.endWithError === undefined) {
      // The gateway that called this process settles by it.
      if (call.reportsUsage) call.response.setHeader(usageHeader, this.#tokens)
      return false
    }
    // What was held back of an answer that a guardrail ended must not be sent.
    const left = end === 'guardrail' || end === 'internal' ? [] : this.#flushHeld()
    if (left.length > 0) reply.take([{ deltas: left, raw: null }])
    reply.endWithError(refusal, this.#tokens)
    return true
  }

  /** Nothing if a scanner would end the answer: it ends anyway. */
  #flushHeld(): Delta[] {
    const { rewriting } = this.#passage.turn
    try {
      const left = rewriting?.rewriter.flush() ?? []
      return rewriting?.changes ? left : []
    } catch (error) {
      if (error instanceof Refusal) return []
      throw error
    }
  }

  drop(): void {
    if (this.#reply === null) this.#passage.turn.call.response.destroy()
    else this.#reply.drop()
  }
}

/** Closes the connection to the provider, unless its answer has ended; the usage is what it had counted by then. */
export function stopAnswer({ watch, collected }: Turn, begun: UpstreamAnswer, end: AnswerEnd): void {
  watch.answerEnded(end)
  collected.noteBroken(begun.abort())
}

/** Proxies in front of Sallyport close a stream that is silent for longer. */
const maxSilentMs = 15_000

/** The writer of the answer in the client's wire format, as a stream or whole. */
function createReply({ now, idleTimeoutMs }: PassDependencies, { call, endpoint, request, current }: Turn): Reply {
  const { response: options, prompt } = request
  const { reportsUsage } = call
  const ofReply = {
    requestId: call.verified.requestId,
    createdSeconds: Math.floor(now() / 1000),
    model: current.target.modelId,
    reportsUsage,
    ...(options && { response: { ...options, isStored: isResponseStored(call.resolved.settings, options) } }),
  }
  if (!prompt.stream || endpoint.streamReply === undefined) return endpoint.wholeReply(call.response, ofReply)
  // A gateway in another process has the same idle timeout.
  const keepAliveMs = reportsUsage ? Math.min(maxSilentMs, idleTimeoutMs / 3) : maxSilentMs
  return endpoint.streamReply(call.response, { ...ofReply, includeUsage: prompt.includeUsage, keepAliveMs })
}
