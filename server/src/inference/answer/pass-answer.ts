// Passes an answer that has begun to the client as it comes, until it is complete, breaks, has to end early, or a step of ours
// fails; then it is accounted once, and remembered where it was complete. Knows no provider and no wire format.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import { type ProviderFault, refusalOfBreak } from '../../domain/conversation/provider-fault.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Ending } from '../../http/admitted-call.ts'
import { kindOfFault, sparseLogOf } from '../../log/sparse-log.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { AnswerConsumer, UpstreamAnswer } from '../attempt/attempt.ts'
import type { FailureLog } from '../attempt/log-failures.ts'
import type { ReasoningCarrier } from '../memory/carry-reasoning.ts'
import type { ModelRegistry } from '../target/model-registry.ts'
import type { Turn } from '../turn.ts'
import { recordUsage } from '../usage/record-usage.ts'
import type { Accounts } from '../usage/usage-record.ts'
import { ClientBackpressure } from './client-backpressure.ts'

interface PassParts {
  reasoning: ReasoningCarrier
  registry: ModelRegistry
  accounts: Accounts
  now: () => number
  /** How long a client may take nothing of what waits for it. */
  idleTimeoutMs: number
  tellFailure: FailureLog
  log: Log
}

/** Proxies between here and the client close what says nothing for longer. */
const maxSilentMs = 15_000

/**
 * Resolves when the response has ended, or everything that belongs to it is on its way; rejects where a fault of our own came
 * before a word of the answer was on its way.
 */
export function passAnswer(parts: PassParts, turn: Turn, begun: UpstreamAnswer): Promise<void> {
  return new Promise((done, refuse) => new PassingAnswer({ parts, turn, begun, done, refuse }).begin())
}

interface Passage {
  parts: PassParts
  turn: Turn
  begun: UpstreamAnswer
  done: () => void
  refuse: (error: unknown) => void
}

/** Whatever it is called for, it throws nothing: nobody above could end the call any more. */
class PassingAnswer implements AnswerConsumer {
  readonly #passage: Passage
  readonly #room: ClientBackpressure
  #reply: Reply | null = null
  /** How it ends is decided; what still comes is for nobody. */
  #isOver = false
  #isAccounted = false
  #tokens = 0
  /** Made once: a stream is asked for its cost at each of its events. */
  readonly #countTokens: () => number

  constructor(passage: Passage) {
    const { parts, turn } = passage
    const { call, collected } = turn
    this.#passage = passage
    this.#countTokens = () => (call.promptEstimate ?? 0) + collected.tokens()
    this.#room = new ClientBackpressure(turn.call.response, parts.idleTimeoutMs)
  }

  begin(): void {
    const { parts, turn, begun } = this.#passage
    try {
      this.#reply = createReply(parts, turn)
      turn.call.listen(reason => this.#endEarly(reason))
      begun.begin(this)
    } catch (error) {
      this.#abandon(error)
    }
  }

  onEvents(events: readonly AnswerEvent[]): boolean {
    if (this.#isOver) return true
    const { begun } = this.#passage
    try {
      if (this.#reply?.take(this.#countAndRestore(events))) return true
      this.#room.wait(() => begun.resume())
      return false
    } catch (error) {
      this.#abandon(error)
      return true
    }
  }

  /** What the client gets of what the provider sent. */
  #countAndRestore(events: readonly AnswerEvent[]): readonly AnswerEvent[] {
    const { call, collected, restorer } = this.#passage.turn
    for (const { deltas } of events) for (const delta of deltas) collected.count(delta)
    // Once the provider has counted, the call is as good as settled.
    if (collected.counted === null) call.checkpoint(this.#countTokens)
    // The provider's own bytes hold tokens, or may.
    const restored =
      restorer === null ? events : events.map(({ deltas }) => ({ deltas: restorer.restore(deltas), raw: null }))
    for (const { deltas } of restored) for (const delta of deltas) collected.keep(delta)
    return restored
  }

  onEnd(fault: ProviderFault | null): void {
    if (this.#isOver) return
    const { parts, turn } = this.#passage
    try {
      turn.watch.answerEnded(fault?.class ?? 'complete')
      this.#conclude()
      if (fault !== null) {
        parts.tellFailure(turn.call.verified, turn.target, fault)
        this.#cut(refusalOfBreak(fault))
        this.#leave()
      } else if (turn.keepsAnswer) void this.#rememberAndFinish()
      else this.#finish()
    } catch (error) {
      this.#abandon(error)
    }
  }

  async #rememberAndFinish(): Promise<void> {
    const { parts, turn } = this.#passage
    try {
      await remember(parts, turn)
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
    if (this.#isOver) return
    const { turn, begun } = this.#passage
    try {
      giveUp(turn, begun)
      this.#conclude()
      if (reason === 'client_gone') this.#reply?.drop()
      else this.#cut(refusalOfEnding(reason))
      this.#leave()
    } catch (error) {
      this.#abandon(error)
    }
  }

  /** A fault of our own: said once, and neither the client nor the provider is left waiting. */
  #abandon(error: unknown): void {
    const { parts, turn, begun, refuse } = this.#passage
    const { call, request } = turn
    if (!this.#isOver) giveUp(turn, begun)
    const fields = { request_id: call.verified.requestId }
    try {
      this.#conclude()
    } catch (second) {
      parts.log.error('answer could not be accounted', { ...fields, error: second })
    }
    this.#room.stop()
    if (!request.prompt.stream || this.#reply === null) {
      refuse(error)
      return
    }
    parts.log.error('answer could not be passed on', { ...fields, error })
    if (call.response.destroyed) this.#reply.drop()
    else if (!call.response.writableEnded) this.#reply.cut(new Refusal('internal'), this.#tokens)
    this.#leave()
  }

  /** Accounts the answer, at the first call. */
  #conclude(): void {
    const { parts, turn } = this.#passage
    this.#isOver = true
    turn.call.listen(null)
    if (this.#isAccounted) return
    this.#isAccounted = true
    this.#tokens = recordUsage(parts, turn)
  }

  #cut(refusal: Refusal): void {
    const left = this.#passage.turn.restorer?.flush() ?? []
    if (left.length > 0) this.#reply?.take([{ deltas: left, raw: null }])
    this.#reply?.cut(refusal, this.#tokens)
  }

  #leave(): void {
    this.#room.stop()
    this.#passage.done()
  }
}

/** Nobody wants the rest of it. */
export function giveUp({ watch, call, collected }: Turn, begun: UpstreamAnswer): void {
  // Where nothing ends the call, a step of ours has failed.
  watch.answerEnded(call.ending ?? 'internal')
  collected.noteBroken(begun.abort())
}

function createReply({ now, idleTimeoutMs }: PassParts, { call, surface, request, target }: Turn): Reply {
  const { stream, includeUsage } = request.prompt
  const { tellsUsage } = call
  const options = {
    requestId: call.verified.requestId,
    createdSeconds: Math.floor(now() / 1000),
    model: target.modelId,
    tellsUsage,
  }
  if (!stream) return surface.wholeReply(call.response, options)
  // A gateway in another process ends what is silent for long, as we end a provider.
  const keepAliveMs = tellsUsage ? Math.min(maxSilentMs, idleTimeoutMs / 3) : maxSilentMs
  return surface.streamReply(call.response, { ...options, includeUsage, keepAliveMs })
}

async function remember({ reasoning, log }: PassParts, turn: Turn): Promise<void> {
  const { call, request, target, conversation, messagesToRemember, collected } = turn
  if (request.prompt.tools.length > 0) await reasoning.keep(call.verified, target.provider, collected.message())
  try {
    await conversation?.remember([...messagesToRemember, collected.message()])
  } catch (error) {
    // The answer stands; that it is not remembered is the operator's to know.
    const fields = { request_id: call.verified.requestId, error }
    sparseLogOf(log).error('turn could not be stored', kindOfFault(error), fields)
  }
}

/** A client that is gone reads no refusal. */
export function refusalOfEnding(reason: Ending): Refusal {
  return new Refusal(reason === 'client_gone' ? 'bad_request' : reason)
}
