// What one attempt at a provider is given and what comes of it: an answer that has begun, or a failure. Types only.

import type { AnswerEvent, Usage } from '../../domain/conversation/answer.ts'
import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import type { UpstreamTimeouts } from '../../domain/conversation/upstream-timeouts.ts'
import type { AdmittedCall } from '../../http/admitted-call.ts'
import type { Protocol, ReadOptions } from '../../providers/protocols/protocol.ts'
import type { LargeAnswers } from './large-answers.ts'

/** The limits of all attempts. */
export interface AttemptBounds extends UpstreamTimeouts {
  now: () => number
  largeAnswers: Pick<LargeAnswers, 'hold'>
}

/** The call that is answered; one for all its attempts. */
export interface AnswerOwner {
  tenantId: string
  call: Pick<AdmittedCall, 'ending' | 'listen' | 'noteReached'>
  /** The answer's text is kept while it passes. */
  keepsAnswer: boolean
}

export interface AttemptOptions {
  owner: AnswerOwner
  protocol: Protocol
  reading: ReadOptions
  isStream: boolean
  /** Called once. */
  resolve: (outcome: AttemptOutcome) => void
}

/** `status` is the provider's, null if none came; `hasConnected` is false if nothing can have been sent. */
export type AttemptOutcome =
  | { begun: UpstreamAnswer }
  | { error: ProviderError; status: number | null; hasConnected: boolean }

/** An answer whose first events have come. They wait until `begin`. */
export interface UpstreamAnswer {
  begin(consumer: AnswerConsumer): void
  resume(): void
  /** Closes the connection. The consumer is not called any more. Returns what the provider had counted by then. */
  abort(): Usage | null
}

/** Must not throw. `onEnd` comes last, and once. */
export interface AnswerConsumer {
  /** False: the provider's answer is paused until `resume`. */
  onEvents(events: readonly AnswerEvent[]): boolean
  /** Null if the answer is complete. */
  onEnd(error: ProviderError | null): void
}
