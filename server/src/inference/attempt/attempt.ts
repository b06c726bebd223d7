// The types of one attempt at a provider: its options, its outcome, and the answer it may have begun.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import type { AnswerEvent, Usage } from '../../domain/conversation/answer.ts'
import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import type { UpstreamTimeouts } from '../../domain/conversation/upstream-timeouts.ts'
import type { KnownSecrets } from '../../providers/known-secrets.ts'
import type { Protocol, ReadOptions } from '../../providers/protocols/protocol.ts'
import type { LargeAnswers } from './large-answers.ts'

/** The limits of all attempts. */
export interface AttemptBounds extends UpstreamTimeouts {
  now: () => number
  largeAnswers: Pick<LargeAnswers, 'hold'>
}

/** The call that the answer belongs to; the same object for all its attempts. */
export interface AnswerOwner {
  tenantId: string
  call: Pick<AdmittedCall, 'response' | 'ending' | 'listen' | 'noteReached' | 'notes'>
  /** Nothing that the provider says may show them. */
  secrets: Pick<KnownSecrets, 'redact' | 'redactError'>
  /** Whether the answer's text is kept in memory while it is sent to the client. */
  keepsAnswer: boolean
}

/** The limits of one attempt. */
export interface AttemptLimits {
  /** For the response's head. */
  timeoutMs: number
  /** For the first token of a stream; null without such a limit. */
  firstTokenTimeoutMs: number | null
  /** The answer begins with its content, not with the events that name it: until then another target may answer. */
  waitsForContent: boolean
}

export interface AttemptOptions extends AttemptLimits {
  owner: AnswerOwner
  protocol: Protocol
  reading: ReadOptions
  isStream: boolean
  /** Called once. */
  resolve: (outcome: AttemptOutcome) => void
}

/** `status` is the provider's, null without a response; `hasConnected` is false if nothing can have been sent. */
export type AttemptOutcome =
  | { begun: UpstreamAnswer }
  | { error: ProviderError; status: number | null; hasConnected: boolean }

/** An answer whose first events have arrived. They are held back until `begin`. */
export interface UpstreamAnswer {
  begin(consumer: AnswerConsumer): void
  resume(): void
  /**
   * Closes the connection; the consumer is not called again. Returns the usage that the provider had reported, if any.
   */
  abort(): Usage | null
}

/** Must not throw. `onEnd` is called once, as the last call. */
export interface AnswerConsumer {
  /** False: the provider's answer is paused until `resume`. */
  onEvents(events: readonly AnswerEvent[]): boolean
  /** Null if the answer is complete. */
  onEnd(error: ProviderError | null): void
}
