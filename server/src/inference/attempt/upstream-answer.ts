// What an attempt at a provider came to, as those see it who pass the answer on. Knows nothing of how it is read.

import type { AnswerEvent, Usage } from '../../domain/conversation/answer.ts'
import type { ProviderFault } from '../../domain/conversation/provider-fault.ts'

/** Who takes the answer, and throws nothing; `onEnd` comes last and once. Nothing is told before `begin` has been called. */
export interface AnswerConsumer {
  /** False asks the provider to wait until `resume`. */
  onEvents(events: readonly AnswerEvent[]): boolean
  /** Null where the answer is complete. */
  onEnd(fault: ProviderFault | null): void
}

/** An answer whose first events have come. */
export interface UpstreamAnswer {
  begin(taker: AnswerConsumer): void
  resume(): void
  /**
   * Nobody wants the rest: the connection is closed, and the taker hears nothing more. Returns what the provider had
   * counted by then.
   */
  abort(): Usage | null
}

/** `status` is the provider's, null where none came; `hasConnected` is false while nothing can have left. */
export type Attempt = { begun: UpstreamAnswer } | { fault: ProviderFault; status: number | null; hasConnected: boolean }
