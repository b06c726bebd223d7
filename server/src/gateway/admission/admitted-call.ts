// One admitted request on its way through whoever answers it: what it carries, what it costs in the end, and the signal
// that ends it early, which is made only for those who listen to it.

import type { Slot } from '../../collections/live-set.ts'
import type { Verified } from '../../domain/caller.ts'
import type { WeighedRequest } from '../../domain/conversation/inference-request.ts'
import type { LiveConfig, ResolvedConfig } from '../../domain/settings/live-config.ts'
import type { AnswerFormat } from '../../http/answer-format.ts'
import type { PlaneRequest, PlaneResponse } from '../../http/exchange.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { AdmittedCall, Ending } from '../../http/inference-port.ts'
import type { JsonBody } from '../../http/read-body.ts'
import type { ProjectTally } from '../outage/project-tally.ts'
import type { GatewayRoute } from '../routes.ts'
import type { Admitted } from './admit.ts'
import type { Settlements } from './settle.ts'

/** The calls that somebody may have to end. */
export interface CallRegistry {
  add(call: GatewayCall): Slot<GatewayCall>
  remove(seat: Slot<GatewayCall>): void
  /** What came into force since the admission and is known already will not be told again. */
  endIfCovered(call: GatewayCall): void
}

interface CallParts {
  settlements: Settlements
  openCalls: CallRegistry
  now: () => number
}

interface Subject {
  request: PlaneRequest
  response: PlaneResponse
  incoming: Incoming
  route: GatewayRoute
  verified: Verified
  body: JsonBody | null
  asked: WeighedRequest | null
}

/** How often the reservation, which knows of the prompt from the start, hears what a long answer has cost. */
const checkpointMs = 5_000
/** What a call that must end gets to say so. */
const graceMs = 1_200

export class GatewayCall implements AdmittedCall {
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
  readonly #parts: CallParts
  readonly #incoming: Incoming
  readonly #ledger: Admitted['ledger']
  readonly #tally: ProjectTally
  readonly #reserved: number | null
  readonly #day: number
  #controller: AbortController | null = null
  #listener: ((reason: Ending) => void) | null = null
  #reason: Ending | null = null
  #seat: Slot<GatewayCall> | null = null
  #isSettled: boolean
  /** When the next one is due; from the first piece of the answer on. */
  #checkpointAt = 0

  constructor(parts: CallParts, subject: Subject, admitted: Admitted) {
    this.verified = subject.verified
    this.route = subject.route.pattern
    this.format = subject.route.surface
    this.request = subject.request
    this.response = subject.response
    this.body = subject.body
    this.asked = subject.asked
    this.live = admitted.config.live
    this.resolved = admitted.resolved
    this.promptEstimate = subject.asked === null ? null : subject.asked.estimate.prompt
    this.#parts = parts
    this.#incoming = subject.incoming
    this.#ledger = admitted.ledger
    this.#tally = admitted.tally
    this.#reserved = admitted.reserved
    this.#day = admitted.tally.day
    // What reserved nothing has nothing to settle.
    this.#isSettled = subject.asked === null
  }

  get ending(): AbortSignal {
    const known = this.#controller
    if (known !== null) return known.signal
    const controller = new AbortController()
    this.#controller = controller
    if (this.#reason !== null) controller.abort(this.#reason)
    else this.#watch()
    return controller.signal
  }

  onEnding(listener: (reason: Ending) => void): void {
    this.#listener = listener
    this.#watch()
  }

  /** Does nothing where nobody listens: an answer that is as good as there goes out. */
  end(reason: Ending): void {
    if (this.#seat === null || this.#reason !== null) return
    this.#tell(reason)
    // A reader that stands still would keep the call open for as long as it likes.
    if (reason === 'service_disabled') setTimeout(cut, graceMs, this.response).unref()
  }

  checkpoint(tokens: number): void {
    if (this.#isSettled) return
    const now = this.#parts.now()
    if (this.#checkpointAt === 0) this.#checkpointAt = now + checkpointMs
    if (now < this.#checkpointAt) return
    this.#checkpointAt = now + checkpointMs
    const { projectId, requestId } = this.verified
    this.#parts.settlements.checkpoint(this.#ledger, projectId, requestId, wholeTokens(tokens))
  }

  settle(tokens: number): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { projectId, requestId } = this.verified
    const spent = wholeTokens(tokens)
    this.#parts.settlements.settle(this.#ledger, projectId, requestId, spent)
    this.#noteSpent(spent)
  }

  /** The answer has ended, well or not: what was not settled was not spent. */
  finish(): void {
    this.settle(0)
    if (this.#seat !== null) this.#parts.openCalls.remove(this.#seat)
  }

  /** Should the store go or come back empty now, the budget goes on from what this call cost, not from what it reserved. */
  #noteSpent(tokens: number): void {
    if (this.#reserved !== null) this.#tally.charge(this.#day, tokens - this.#reserved)
  }

  #watch(): void {
    if (this.#seat !== null) return
    const { response } = this
    const gone = () => {
      if (!response.writableFinished) this.#tell('client_gone')
    }
    this.#incoming.onCutOff(() => this.#tell('server_shutting_down'))
    this.#seat = this.#parts.openCalls.add(this)
    // What covers the call already could not end it before it had its seat.
    this.#parts.openCalls.endIfCovered(this)
    if (response.destroyed) gone()
    else response.once('close', gone)
  }

  #tell(reason: Ending): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#listener?.(reason)
    this.#controller?.abort(reason)
  }
}

function cut(response: PlaneResponse): void {
  if (!response.writableFinished) response.destroy()
}

function wholeTokens(tokens: number): number {
  return Math.max(0, Math.ceil(tokens))
}
