// One admitted request: what it carries, where its cost is charged, and whether it must end early. The gateway, the
// internal plane and the playground create calls of this one class with different parts.

import type { Slot } from '../collections/live-set.ts'
import type { Verified } from '../domain/caller.ts'
import { rulesBesidePrompt } from '../domain/clients/own-part.ts'
import type { ClientRules } from '../domain/conversation/client-rules.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import type { Restriction } from '../domain/end-users/restrictions.ts'
import { Refusal } from '../domain/errors.ts'
import type { GivenText } from '../domain/prompts/fill-template.ts'
import type { SwitchScope } from '../domain/requests/request-record.ts'
import type { ResolvedConfig } from '../domain/resolved-config.ts'
import type { LiveConfig } from '../domain/settings/live-config.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import type { RequestBody } from '../http/read-body.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { RequestNotes } from './request-notes.ts'

/** Why a call has to end early. */
export type Ending = 'client_gone' | 'service_disabled' | Restriction | 'server_shutting_down'

/** A prompt of the project that a request named. */
export interface NamedPrompt {
  name: string
  /** The deployment that it is of; null for one of the draft. */
  version: number | null
  /** The client's own texts in it. */
  texts: readonly GivenText[]
  /** The request with the prompt written out. */
  body: RequestBody
}

/** What a call carries. */
export interface CallSubject {
  readonly verified: Verified
  /** The route's pattern, e.g. `/v1/chat/completions`. */
  readonly route: string
  /** The wire format of the answer. */
  readonly format: AnswerFormat
  readonly request: PlaneRequest
  readonly response: PlaneResponse
  /** The body as received, to be forwarded; null for requests without one. */
  readonly body: RequestBody | null
  /** What the body requests; null for requests without one. */
  readonly estimated: EstimatedRequest | null
  /** Null if the request names none. */
  readonly prompt: NamedPrompt | null
  /** The project's live document and what it means for this caller. */
  readonly live: LiveConfig
  readonly resolved: ResolvedConfig
  /** Estimated tokens of the prompt, as reserved; null if nothing was reserved. */
  readonly promptEstimate: number | null
  /**
   * Report the usage to the gateway, which is another process: a stream in a comment, a whole answer in `usageHeader`.
   * The gateway then settles on the number that was recorded.
   */
  readonly reportsUsage: boolean
  /** For the request log; absent if it is off. */
  readonly notes?: RequestNotes | undefined
}

export interface CallAccount {
  /** Reports what a call in progress has cost so far. */
  checkpoint(tokens: number): void
  /** Called once. */
  settle(tokens: number): void
}

/** The calls that a kill switch or a suspension can end. */
export interface CallRegistry {
  /** Ends the call at once if it must not go on. */
  add(call: AdmittedCall): Slot<AdmittedCall>
  remove(slot: Slot<AdmittedCall>): void
}

export interface CallContext {
  /** Null for a call that is charged elsewhere or not at all. */
  account: CallAccount | null
  /** Null for a call whose kill switches another process watches. */
  registry: CallRegistry | null
  /** The callback runs when the deadline of a shutdown has passed. */
  onCutOff(callback: () => void): void
  now(): number
}

/** How often a long answer's cost is reported to the account, which knows the prompt's cost from the start. */
const checkpointMs = 5_000
/** How long a client has to receive the last event of an ended call before its connection is cut. */
const graceMs = 1_200

type Phase =
  /** Nothing ends it early: it is nearly over, or has not begun. */
  | 'admitted'
  | 'watched'
  /** It has to end early. */
  | 'ending'
  | 'finished'

/** Gives a call the fields of its subject, which are listed in `CallSubject` alone. */
const WithSubject = class {
  constructor(subject: CallSubject) {
    Object.assign(this, subject)
  }
} as new (
  subject: CallSubject,
) => CallSubject

export class AdmittedCall extends WithSubject {
  readonly #context: CallContext
  /** Null when nothing is charged any more. */
  #account: CallAccount | null
  #phase: Phase = 'admitted'
  #ending: Ending | null = null
  #killSwitch: SwitchScope | null = null
  #listener: ((reason: Ending) => void) | null = null
  #slot: Slot<AdmittedCall> | null = null
  /** When the next checkpoint is due; set at the first chunk of the answer. */
  #checkpointAt = 0
  #hasReachedProvider = false
  #spentTokens = 0
  #failure: string | null = null
  #isLoggedElsewhere = false

  constructor(subject: CallSubject, context: CallContext) {
    super(subject)
    this.#context = context
    this.#account = context.account
  }

  /** What the request has to keep to. */
  get rules(): ClientRules {
    const { settings } = this.resolved
    return this.prompt === null ? settings : rulesBesidePrompt(settings)
  }

  /** Null while the call may go on; only known once the call is watched. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** The kill switch that ended it, if one did and it is known. */
  get killSwitch(): SwitchScope | null {
    return this.#killSwitch
  }

  /** Starts to watch for reasons to end the call. A call that is not watched is nearly over and may finish. */
  watch(): void {
    if (this.#phase !== 'admitted') return
    this.#phase = 'watched'
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

  /** Sets the only listener, or removes it with null. It is called at most once. */
  listen(listener: ((reason: Ending) => void) | null): void {
    this.#listener = listener
    if (this.#phase === 'admitted') this.watch()
    if (this.#ending !== null) this.#notify(this.#ending)
  }

  /** No-op for a call that is not watched, or has ended. */
  end(reason: Ending, killSwitch: SwitchScope | null = null): void {
    if (this.#phase !== 'watched') return
    this.#killSwitch = killSwitch
    this.#phase = 'ending'
    this.#ending = reason
    // A client that reads nothing would keep the call open indefinitely.
    if (reason !== 'client_gone') setTimeout(cut, graceMs, this.response).unref()
    this.#notify(reason)
  }

  /**
   * Reports the cost of the answer so far, for the reservation of a long stream. `count` is called only when a report
   * is due.
   */
  checkpoint(count: () => number): void {
    const account = this.#account
    if (account === null) return
    const now = this.#context.now()
    if (this.#checkpointAt === 0) this.#checkpointAt = now + checkpointMs
    if (now < this.#checkpointAt) return
    this.#checkpointAt = now + checkpointMs
    account.checkpoint(wholeTokens(count()))
  }

  /** Settles the final cost of the answer; only the first call counts. */
  settle(tokens: number): void {
    const account = this.#account
    if (account === null) return
    this.#account = null
    this.#spentTokens = wholeTokens(tokens)
    account.settle(this.#spentTokens)
  }

  /** Call this when the answer has ended, well or not. A call that was not settled has cost nothing. */
  finish(): void {
    this.settle(0)
    this.#phase = 'finished'
    if (this.#slot !== null) this.#context.registry?.remove(this.#slot)
  }

  /** What it was settled with. */
  get spentTokens(): number {
    return this.#spentTokens
  }

  /** The code of the error that ended an answer after its first byte, or that an inference service answered with. */
  get failure(): string | null {
    return this.#failure
  }

  noteFailure(code: string | null): void {
    this.#failure = code
  }

  /** An inference service of ours has answered: it writes the row of the request log. */
  noteLoggedElsewhere(): void {
    this.#isLoggedElsewhere = true
  }

  get isLoggedElsewhere(): boolean {
    return this.#isLoggedElsewhere
  }

  noteReached(): void {
    this.#hasReachedProvider = true
  }

  /** Whether any of the request may have been sent to the provider. */
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

/** A client that has disconnected reads no response, so the code does not matter. */
export function refusalOfEnding(reason: Ending): Refusal {
  return new Refusal(reason === 'client_gone' ? 'bad_request' : reason)
}
