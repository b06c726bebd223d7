// The cache's part in one answer, as the steps that pass the answer on see it.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { Protocol } from '../../providers/protocols/protocol.ts'
import type { UpstreamAnswer } from '../attempt/attempt.ts'
import type { ChosenTarget } from '../target/choose-target.ts'

export interface CacheUse {
  /** Null if the provider must be asked. */
  readonly hit: UpstreamAnswer | null
  /** Takes the events as the provider sends them. */
  take(events: readonly AnswerEvent[]): void
  /** The answer is complete, and its client gets all of it: keeps it if it may be given again. Does not wait. */
  keep(answeredBy: AnsweredBy): void
}

interface AnsweredBy {
  target: ChosenTarget
  protocol: Protocol | null
}
