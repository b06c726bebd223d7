// A conversation that a request belongs to, as the other steps see it: what is remembered of it, and how a finished
// turn is added. Where it is kept, and whether at all, is memory's business.

import type { Verified } from '../../domain/caller.ts'
import type { Message } from '../../domain/conversation/prompt.ts'
import type { Settings } from '../../domain/settings/settings.ts'

export interface Conversation {
  /** The newest messages of the window, oldest first, such that `said` may follow them. */
  recall(said: readonly Message[]): Promise<Message[]>
  /** Adds one finished turn: what the request brought, and the answer. */
  remember(turn: readonly Message[]): Promise<void>
}

export interface Memory {
  /** Null where the request names no conversation, or nothing is to be remembered. */
  open(verified: Verified, settings: Settings): Conversation | null
}
