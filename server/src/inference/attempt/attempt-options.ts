// What an attempt at a provider is given: whose answer it is, how it is to be read, and what bounds it. Knows nothing of how it goes.

import type { UpstreamTimes } from '../../domain/conversation/upstream-times.ts'
import type { AdmittedCall } from '../../http/admitted-call.ts'
import type { Protocol, ReadOptions } from '../../providers/protocols/protocol.ts'
import type { LargeAnswers } from './large-answers.ts'
import type { Attempt } from './upstream-answer.ts'

/** Between two bytes that say nothing an attempt waits for ten times as long as between two that do. */
export interface AttemptBounds extends UpstreamTimes {
  now: () => number
  largeAnswers: Pick<LargeAnswers, 'hold'>
}

/** Whose answer it is: for counting what is held of it, and for its end. */
export interface AnswerOwner {
  tenantId: string
  /** One for all attempts. */
  call: Pick<AdmittedCall, 'ending' | 'listen' | 'noteReached'>
  /** Its text is kept while it passes. */
  keepsAnswer: boolean
}

export interface AttemptOptions {
  owner: AnswerOwner
  protocol: Protocol
  reading: ReadOptions
  isStream: boolean
  resolve: (attempt: Attempt) => void
}
