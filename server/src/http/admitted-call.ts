// One admitted request on its way through the code that answers it: what it carries, what it costs, and whether it has to end
// early. The gateway, the internal plane and the playground make the same calls and differ in what they pass to them.

import type { Slot } from '../collections/live-set.ts'
import type { Verified } from '../domain/caller.ts'
import type { WeighedRequest } from '../domain/conversation/inference-request.ts'
import type { LiveConfig, ResolvedConfig } from '../domain/settings/live-config.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { PlaneRequest, PlaneResponse } from './exchange.ts'
import type { JsonBody } from './read-body.ts'

/** Why a call has to end early. */
export type Ending = 'client_gone' | 'service_disabled' | 'server_shutting_down'

/** What a call carries. */
export interface CallSubject {
  readonly verified: Verified
  /** The route's pattern, e.g. `/v1/chat/completions`. */
  readonly route: string
  /** The wire format of the answer. */
  readonly format: AnswerFormat
  readonly request: PlaneRequest
  readonly response: PlaneResponse
  /** As it came, to be passed on; null for requests without one. */
  readonly body: JsonBody | null
  /** What the body asks for; null for requests without one. */
  readonly asked: WeighedRequest | null
  /** The project's live document and what it means for this caller. */
  readonly live: LiveConfig
  readonly resolved: ResolvedConfig
  /** Estimated tokens of the prompt, as reserved; null if nothing was. */
  readonly promptEstimate: number | null
  /**
   * The answer says what it cost where the client does not see it: a stream in a comment, a whole one in `usageHeader`. The
   * gateway is another process then, and settles on the number that the accounts have.
   */
  readonly tellsUsage: boolean
}

/** Where the cost of one call is charged. */
export interface CallAccount {
  /** What a call that goes on has cost so far. */
  checkpoint(tokens: number): void
  /** Called once. */
  settle(tokens: number): void
}

/** The calls that a kill switch or a suspension may end. */
export interface CallRegistry {
  /** May end the call at once. */
  add(call: AdmittedCall): Slot<AdmittedCall>
  remove(slot: Slot<AdmittedCall>): void
}

export interface CallContext {
  /** Null for a call that is charged elsewhere, or not at all. */
  account: CallAccount | null
  /** Null for a call whose kill switches another process watches. */
  registry: CallRegistry | null
  /** Called when a stop of the process runs out of patience. */
  onCutOff(callback: () => void): void
  now(): number
}

/** How often the account, which knows of the prompt from the start, hears what a long answer has cost. */
const checkpointMs = 5_000
/** What a client gets to take the last words of an ended call before its connection is cut. */
const graceMs = 1_200

export class AdmittedCall implements CallSubject {
  readonly verified: Verified
  readonly route: string
  readonly format: AnswerFormat
  readonly request: PlaneRequest
  readonly response: PlaneResponse
  readonly body: JsonBody | null
  readonly asked: WeighedRequest | null
  readonly live: LiveConfig
  readonly resolved: ResolvedConfig
  readonly promptEstimate: number | null
  readonly tellsUsage: boolean
  readonly #context: CallContext
  #ending: Ending | null = null
  #listener: ((reason: Ending) => void) | null = null
  #isWatched = false
  #slot: Slot<AdmittedCall> | null = null
  #isSettled: boolean
  /** When the next one is due; from the first piece of the answer on. */
  #checkpointAt = 0
  #hasReachedProvider = false

  constructor(subject: CallSubject, context: CallContext) {
    this.verified = subject.verified
    this.route = subject.route
    this.format = subject.format
    this.request = subject.request
    this.response = subject.response
    this.body = subject.body
    this.asked = subject.asked
    this.live = subject.live
    this.resolved = subject.resolved
    this.promptEstimate = subject.promptEstimate
    this.tellsUsage = subject.tellsUsage
    this.#context = context
    this.#isSettled = context.account === null
  }

  /** Null while the call may go on; known once it is watched. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** Begins to look for reasons to end the call. Before, it is nearly over as soon as it has begun, and is let go on. */
  watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    const { registry } = this.#context
    const { response } = this
    const gone = () => {
      if (!response.writableFinished) this.end('client_gone')
    }
    this.#context.onCutOff(() => this.end('server_shutting_down'))
    if (registry !== null) this.#slot = registry.add(this)
    if (response.destroyed) gone()
    else response.once('close', gone)
  }

  /** Watches the call for one listener, which takes the place of the one before; null: for none. Called once at most. */
  listen(listener: ((reason: Ending) => void) | null): void {
    this.#listener = listener
    this.watch()
    if (this.#ending !== null) this.#notify(this.#ending)
  }

  /** No-op for a call that is not watched. */
  end(reason: Ending): void {
    if (!this.#isWatched || this.#ending !== null) return
    this.#ending = reason
    // A client that reads nothing would keep the call open for as long as it likes.
    if (reason !== 'client_gone') setTimeout(cut, graceMs, this.response).unref()
    this.#notify(reason)
  }

  /** What the answer has cost so far, for the reservation of a long stream. `count` is called only when that is due. */
  checkpoint(count: () => number): void {
    if (this.#isSettled) return
    const now = this.#context.now()
    if (this.#checkpointAt === 0) this.#checkpointAt = now + checkpointMs
    if (now < this.#checkpointAt) return
    this.#checkpointAt = now + checkpointMs
    this.#context.account?.checkpoint(wholeTokens(count()))
  }

  /** What the answer cost in the end; the first call counts. */
  settle(tokens: number): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#context.account?.settle(wholeTokens(tokens))
  }

  /** The answer has ended, well or not: what was not settled was not spent. */
  finish(): void {
    this.settle(0)
    if (this.#slot !== null) this.#context.registry?.remove(this.#slot)
  }

  noteReached(): void {
    this.#hasReachedProvider = true
  }

  /** Something of the request has left for the provider, or may have. */
  get hasReachedProvider(): boolean {
    return this.#hasReachedProvider
  }

  #notify(reason: Ending): void {
    const listener = this.#listener
    this.#listener = null
    listener?.(reason)
  }
}

function cut(response: PlaneResponse): void {
  if (!response.writableFinished) response.destroy()
}

function wholeTokens(tokens: number): number {
  return Math.max(0, Math.ceil(tokens))
}
