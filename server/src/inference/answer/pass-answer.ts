// Passes an answer that has begun to the client, piece by piece, until it is complete, breaks off, has to end early,
// is blocked by a guardrail, or Sallyport itself fails. Then its usage is recorded once; a complete answer is added
// to the conversation.

import type { Ending } from '../../call/admitted-call.ts'
import { usageHeader } from '../../call/inference-port.ts'
import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { type ProviderError, refusalOfBrokenAnswer } from '../../domain/conversation/provider-error.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { AnswerConsumer, UpstreamAnswer } from '../attempt/attempt.ts'
import type { FailureLog } from '../attempt/log-failures.ts'
import type { ReasoningCarrier } from '../memory/carry-reasoning.ts'
import type { Turn } from '../turn.ts'
import { estimateCostSoFar, recordUsage, type UsageRecorder } from '../usage/record-usage.ts'
import { ClientBackpressure } from './client-backpressure.ts'
import { createReply } from './create-reply.ts'
import { rememberTurn } from './remember-turn.ts'
import { EventRewriting } from './rewrite-events.ts'

interface PassDependencies {
  reasoning: ReasoningCarrier
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

type Phase =
  /** Events go to the client as they come. */
  | 'passing'
  /** How the answer ends is decided, and its usage recorded. Events that still come are discarded. */
  | 'ending'

/** Its public methods must not throw: their callers could not end the call. */
class PassingAnswer implements AnswerConsumer {
  readonly #passage: Passage
  readonly #backpressure: ClientBackpressure
  /** Null if the events are sent as they come. */
  readonly #rewriting: EventRewriting | null
  #reply: Reply | null = null
  /** False once the reply could not be created. */
  #mayReply = true
  #phase: Phase = 'passing'
  /** What the answer cost; known once it is ending. */
  #tokens = 0
  /** One function for all events of a stream. */
  readonly #countTokens: () => number

  constructor(passage: Passage) {
    const { dependencies, turn, begun } = passage
    const { call, collected, rewriter, rewriterChanges } = turn
    this.#passage = passage
    // Named first: assigned directly, it would keep the whole call in memory until the next full collection.
    const countTokens = () => (call.promptEstimate ?? 0) + collected.tokens()
    this.#countTokens = countTokens
    this.#backpressure = new ClientBackpressure(turn.call.response, dependencies.idleTimeoutMs)
    this.#rewriting =
      rewriter &&
      new EventRewriting({
        rewriter,
        changes: rewriterChanges,
        send: events => this.#send(events),
        resume: () => begun.resume(),
        fail: error => this.#fail(error),
      })
  }

  begin(): void {
    const { turn, begun } = this.#passage
    try {
      turn.call.listen(reason => this.#endEarly(reason))
      begun.begin(this)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onEvents(events: readonly AnswerEvent[]): boolean {
    if (this.#phase === 'ending') return true
    try {
      this.#count(events)
      return this.#rewriting === null ? this.#send(events) : this.#rewriting.take(events)
    } catch (error) {
      this.#fail(error)
      return true
    }
  }

  /** Counts what the provider sent. */
  #count(events: readonly AnswerEvent[]): void {
    const { turn } = this.#passage
    const { call, collected, budget, cacheUse } = turn
    cacheUse?.take(events)
    for (const { deltas } of events) for (const delta of deltas) collected.count(delta)
    // Once the provider has counted, the settlement is about to come.
    if (collected.counted !== null) return
    call.checkpoint(this.#countTokens)
    budget?.checkpoint(() => estimateCostSoFar(turn))
  }

  /** Sends what the client gets. Returns false if the provider must pause. */
  #send(events: readonly AnswerEvent[]): boolean {
    if (this.#phase === 'ending') return true
    const { begun, turn } = this.#passage
    for (const { deltas } of events) for (const delta of deltas) turn.collected.keep(delta)
    if (this.#openReply().take(events)) return true
    this.#backpressure.wait(() => begun.resume())
    return false
  }

  /** Only now: the answer may be blocked before anything of it is sent. */
  #openReply(): Reply {
    const { dependencies, turn } = this.#passage
    if (this.#reply !== null) return this.#reply
    this.#mayReply = false
    this.#reply = createReply(dependencies, turn)
    this.#mayReply = true
    return this.#reply
  }

  onEnd(error: ProviderError | null): void {
    if (this.#rewriting === null) this.#end(error)
    else this.#rewriting.whenIdle(() => this.#end(error))
  }

  #end(error: ProviderError | null): void {
    if (this.#phase === 'ending') return
    const { dependencies, turn } = this.#passage
    try {
      turn.watch.answerEnded(error?.class ?? 'complete')
      this.#conclude()
      if (error !== null) {
        dependencies.logFailure(turn.call.verified, turn.target, error)
        this.#endWithError(refusalOfBrokenAnswer(error))
        this.#leave()
      } else if (turn.keepsAnswer) void this.#rememberAndFinish()
      else this.#finish()
    } catch (error) {
      this.#abandon(error)
    }
  }

  async #rememberAndFinish(): Promise<void> {
    const { dependencies, turn } = this.#passage
    try {
      await rememberTurn(dependencies, turn, this.#openReply())
      this.#finish()
    } catch (error) {
      this.#abandon(error)
    }
  }

  #finish(): void {
    const { turn } = this.#passage
    turn.cacheUse?.keep(turn)
    // The store is written to at the end of this turn. Before that, an equal request right after this answer could be a
    // miss in another process.
    if (turn.cacheUse?.hit === null) setImmediate(() => this.#finishReply())
    else this.#finishReply()
  }

  #finishReply(): void {
    try {
      this.#openReply().finish(this.#tokens)
      this.#leave()
    } catch (error) {
      this.#abandon(error)
    }
  }

  #endEarly(reason: Ending): void {
    if (this.#phase === 'ending') return
    const { turn, begun } = this.#passage
    try {
      giveUp(turn, begun)
      this.#conclude()
      if (reason === 'client_gone') this.#openReply().drop()
      else this.#endWithError(refusalOfEnding(reason))
      this.#leave()
    } catch (error) {
      this.#abandon(error)
    }
  }

  /** A scanner has ended the answer, or has failed; anything else is an internal error. */
  #fail(error: unknown): void {
    if (error instanceof Refusal && this.#phase === 'passing') this.#block(error)
    else this.#abandon(error)
  }

  /** Ends the answer with a guardrail's error. What was held back is discarded, but the tokens were spent. */
  #block(refusal: Refusal): void {
    const { turn, begun, refuse } = this.#passage
    const { call, request, watch, collected } = turn
    try {
      watch.answerEnded('guardrail')
      collected.noteBroken(begun.abort())
      this.#conclude()
      if (request.prompt.stream && this.#reply !== null) {
        call.noteFailure(refusal.code)
        this.#reply.endWithError(refusal, this.#tokens)
        this.#leave()
        return
      }
      this.#backpressure.stop()
      // The gateway that called this process settles by it.
      if (call.reportsUsage) call.response.setHeader(usageHeader, this.#tokens)
      refuse(refusal)
    } catch (error) {
      this.#abandon(error)
    }
  }

  /** Ends the call after an internal error: neither the client nor the provider must be left waiting. */
  #abandon(error: unknown): void {
    const { dependencies, turn, begun, refuse } = this.#passage
    const { call, request } = turn
    if (this.#phase === 'passing') giveUp(turn, begun)
    const fields = { request_id: call.verified.requestId }
    try {
      this.#conclude()
    } catch (second) {
      dependencies.log.error('usage of an answer could not be recorded', { ...fields, error: second })
    }
    this.#backpressure.stop()
    if (!request.prompt.stream || !this.#mayReply) {
      refuse(error)
      return
    }
    dependencies.log.error('answer could not be passed on', { ...fields, error })
    const reply = this.#openReply()
    if (call.response.destroyed) reply.drop()
    else if (!call.response.writableEnded) reply.endWithError(new Refusal('internal'), this.#tokens)
    this.#leave()
  }

  /** Records the usage. No-op after the first time, even if that failed. */
  #conclude(): void {
    if (this.#phase === 'ending') return
    this.#phase = 'ending'
    const { dependencies, turn } = this.#passage
    turn.call.listen(null)
    this.#rewriting?.stop()
    this.#tokens = recordUsage(dependencies, turn)
  }

  #endWithError(refusal: Refusal): void {
    const reply = this.#openReply()
    const left = this.#flushHeld()
    if (left.length > 0) reply.take([{ deltas: left, raw: null }])
    this.#passage.turn.call.noteFailure(refusal.code)
    reply.endWithError(refusal, this.#tokens)
  }

  /** Nothing if a scanner would end the answer: it ends anyway. */
  #flushHeld(): Delta[] {
    const { rewriter, rewriterChanges } = this.#passage.turn
    try {
      const left = rewriter?.flush() ?? []
      return rewriterChanges ? left : []
    } catch (error) {
      if (error instanceof Refusal) return []
      throw error
    }
  }

  #leave(): void {
    this.#backpressure.stop()
    this.#passage.done()
  }
}

/** Closes the connection to the provider; the usage is what it had counted by then. */
export function giveUp({ watch, call, collected }: Turn, begun: UpstreamAnswer): void {
  // If the call has not ended, the cause is an internal error.
  watch.answerEnded(call.ending ?? 'internal')
  collected.noteBroken(begun.abort())
}

/** A client that has disconnected reads no response, so the code does not matter. */
export function refusalOfEnding(reason: Ending): Refusal {
  return new Refusal(reason === 'client_gone' ? 'bad_request' : reason)
}
