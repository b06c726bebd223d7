// Passes an answer that has begun to the client, piece by piece, until it is complete, breaks off, has to end early, or
// Sallyport itself fails. Then its usage is recorded once; a complete answer is added to the conversation.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import { type ProviderError, refusalOfBrokenAnswer } from '../../domain/conversation/provider-error.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Ending } from '../../http/admitted-call.ts'
import { kindOfError, sparseLogOf } from '../../log/sparse-log.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { AnswerConsumer, UpstreamAnswer } from '../attempt/attempt.ts'
import type { FailureLog } from '../attempt/log-failures.ts'
import type { ReasoningCarrier } from '../memory/carry-reasoning.ts'
import type { ModelRegistry } from '../target/model-registry.ts'
import type { Turn } from '../turn.ts'
import { recordUsage, type UsageRecorder } from '../usage/record-usage.ts'
import { ClientBackpressure } from './client-backpressure.ts'

interface PassDependencies {
  reasoning: ReasoningCarrier
  registry: ModelRegistry
  usageRecorder: UsageRecorder
  now: () => number
  /** How long a client may read nothing while data waits for it. */
  idleTimeoutMs: number
  logFailure: FailureLog
  log: Log
}

/** Proxies in front of Sallyport close a stream that is silent for longer. */
const maxSilentMs = 15_000

/** Resolves when the whole response is written; rejects after an internal error before any of it was written. */
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
  #reply: Reply | null = null
  #phase: Phase = 'passing'
  /** What the answer cost; known once it is ending. */
  #tokens = 0
  /** One function for all events of a stream. */
  readonly #countTokens: () => number

  constructor(passage: Passage) {
    const { dependencies, turn } = passage
    const { call, collected } = turn
    this.#passage = passage
    this.#countTokens = () => (call.promptEstimate ?? 0) + collected.tokens()
    this.#backpressure = new ClientBackpressure(turn.call.response, dependencies.idleTimeoutMs)
  }

  begin(): void {
    const { dependencies, turn, begun } = this.#passage
    try {
      this.#reply = createReply(dependencies, turn)
      turn.call.listen(reason => this.#endEarly(reason))
      begun.begin(this)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onEvents(events: readonly AnswerEvent[]): boolean {
    if (this.#phase === 'ending') return true
    const { begun } = this.#passage
    try {
      if (this.#reply?.take(this.#countAndRestore(events))) return true
      this.#backpressure.wait(() => begun.resume())
      return false
    } catch (error) {
      this.#abandon(error)
      return true
    }
  }

  /** Counts what the provider sent and returns what the client gets. */
  #countAndRestore(events: readonly AnswerEvent[]): readonly AnswerEvent[] {
    const { call, collected, restorer } = this.#passage.turn
    for (const { deltas } of events) for (const delta of deltas) collected.count(delta)
    // Once the provider has counted, the settlement is about to come.
    if (collected.counted === null) call.checkpoint(this.#countTokens)
    // The provider's own bytes may hold mask tokens.
    const restored =
      restorer === null ? events : events.map(({ deltas }) => ({ deltas: restorer.restore(deltas), raw: null }))
    for (const { deltas } of restored) for (const delta of deltas) collected.keep(delta)
    return restored
  }

  onEnd(error: ProviderError | null): void {
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
      await remember(dependencies, turn)
      this.#finish()
    } catch (error) {
      this.#abandon(error)
    }
  }

  #finish(): void {
    this.#reply?.finish(this.#tokens)
    this.#leave()
  }

  #endEarly(reason: Ending): void {
    if (this.#phase === 'ending') return
    const { turn, begun } = this.#passage
    try {
      giveUp(turn, begun)
      this.#conclude()
      if (reason === 'client_gone') this.#reply?.drop()
      else this.#endWithError(refusalOfEnding(reason))
      this.#leave()
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
    if (!request.prompt.stream || this.#reply === null) {
      refuse(error)
      return
    }
    dependencies.log.error('answer could not be passed on', { ...fields, error })
    if (call.response.destroyed) this.#reply.drop()
    else if (!call.response.writableEnded) this.#reply.endWithError(new Refusal('internal'), this.#tokens)
    this.#leave()
  }

  /** Records the usage. No-op after the first time, even if that failed. */
  #conclude(): void {
    if (this.#phase === 'ending') return
    this.#phase = 'ending'
    const { dependencies, turn } = this.#passage
    turn.call.listen(null)
    this.#tokens = recordUsage(dependencies, turn)
  }

  #endWithError(refusal: Refusal): void {
    const left = this.#passage.turn.restorer?.flush() ?? []
    if (left.length > 0) this.#reply?.take([{ deltas: left, raw: null }])
    this.#passage.turn.call.noteFailure(refusal.code)
    this.#reply?.endWithError(refusal, this.#tokens)
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

function createReply({ now, idleTimeoutMs }: PassDependencies, { call, surface, request, target }: Turn): Reply {
  const { stream, includeUsage } = request.prompt
  const { reportsUsage } = call
  const options = {
    requestId: call.verified.requestId,
    createdSeconds: Math.floor(now() / 1000),
    model: target.modelId,
    reportsUsage,
  }
  if (!stream) return surface.wholeReply(call.response, options)
  // A gateway in another process has the same idle timeout.
  const keepAliveMs = reportsUsage ? Math.min(maxSilentMs, idleTimeoutMs / 3) : maxSilentMs
  return surface.streamReply(call.response, { ...options, includeUsage, keepAliveMs })
}

async function remember({ reasoning, log }: PassDependencies, turn: Turn): Promise<void> {
  const { call, request, target, conversation, messagesToRemember, collected } = turn
  if (request.prompt.tools.length > 0) await reasoning.keep(call.verified, target.provider, collected.message())
  try {
    await conversation?.remember([...messagesToRemember, collected.message()])
  } catch (error) {
    // The client still gets its answer; the operator must know that it is not remembered.
    const fields = { request_id: call.verified.requestId, error }
    sparseLogOf(log).error('turn could not be stored', kindOfError(error), fields)
  }
}

/** A client that has disconnected reads no response, so the code does not matter. */
export function refusalOfEnding(reason: Ending): Refusal {
  return new Refusal(reason === 'client_gone' ? 'bad_request' : reason)
}
