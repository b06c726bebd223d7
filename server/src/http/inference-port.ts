// The door between the gateway and whoever answers: the inference role in this process, or a service at INFERENCE_URL.
// The gateway has verified and admitted the request before it comes here; the answerer writes the whole response.

import type { Verified } from '../domain/caller.ts'
import type { WeighedRequest } from '../domain/conversation/inference-request.ts'
import type { LiveConfig, ResolvedConfig } from '../domain/settings/live-config.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { PlaneRequest, PlaneResponse } from './exchange.ts'
import type { JsonBody } from './read-body.ts'

/** Between two of our processes alone: the tokens that a whole answer cost. */
export const usageHeader = 'x-usage-tokens'

export interface AdmittedCall {
  verified: Verified
  /** The route's pattern, e.g. `/v1/chat/completions`. */
  route: string
  /** Of the answer, for the client. */
  format: AnswerFormat
  request: PlaneRequest
  response: PlaneResponse
  /** Null for requests without one. */
  body: JsonBody | null
  asked: WeighedRequest | null
  /** The project's live document and what it means for this caller. */
  live: LiveConfig
  resolved: ResolvedConfig
  /**
   * The answer says what it cost where the client does not see it, a stream in a comment, a whole one in `usageHeader`: the
   * gateway is another process, and settles on the very number that the accounts have.
   */
  tellsUsage?: true
  /** Estimated tokens of the prompt, as reserved; null for requests that cost none. */
  promptEstimate: number | null
  /**
   * Aborted when nobody should go on: the client is gone, a kill switch or a suspension came into force, the process
   * stops. `reason` is an `Ending`.
   */
  ending: AbortSignal
  /** The same without a signal, which costs more than many a whole step; for one listener, called once at most. */
  onEnding?(listener: (reason: Ending) => void): void
  /** What the answer has cost so far, for the reservation of a long stream. */
  checkpoint(tokens: number): void
  /** What the answer cost in the end; the first call counts. Never called: nothing was spent. */
  settle(tokens: number): void
  /** The provider has heard of the call, for those who count no others. */
  noteReached?(): void
}

/** Why an admitted call has to end early. */
export type Ending = 'client_gone' | 'service_disabled' | 'server_shutting_down'

/** Tells of the call's ending, also where it came before; without a signal where the call can do without. */
export function listenForEnding(call: AdmittedCall, listener: (reason: Ending) => void): void {
  if (call.onEnding !== undefined) {
    call.onEnding(listener)
    return
  }
  const { ending } = call
  if (ending.aborted) listener(ending.reason as Ending)
  else ending.addEventListener('abort', () => listener(ending.reason as Ending), { once: true })
}

export interface InferencePort {
  /**
   * Throws what is wrong with a request before it is admitted, so that it is not charged. Does nothing where another process
   * answers: its client has been charged by then.
   */
  check(asked: WeighedRequest, verified: Verified): void
  /** Resolves when the response has ended; a throw before the first byte is rendered by the gateway. */
  answer(call: AdmittedCall): Promise<void>
}
