// Looks for attempts to override the instructions of a conversation, and for the terms of a project's blocklist, in
// what its end user says. Knows no project and no request.

import type { Message } from '../../domain/prompt.ts'
import type { WorkBudget } from '../work-budget.ts'

export const patternFamilies = [
  'ignore_previous',
  'unrestricted_persona',
  'fake_system',
  'bypass_safety',
  'override_system_prompt',
] as const
export type PatternFamily = (typeof patternFamilies)[number]

export interface SentinelVerdict {
  /** Without repetition, the strongest first. */
  families: PatternFamily[]
  /** How many different terms of the blocklist were found. */
  terms: number
}

export interface Sentinel {
  /** Reads the messages of role `user` alone, also joined where they stand together. */
  scan(messages: readonly Message[], budget: WorkBudget): Promise<SentinelVerdict>
}

/** To be made once for a revision of the settings: the blocklist is compiled here. */
export function createSentinel(blocklist: readonly string[]): Sentinel {
  return {
    async scan(messages, budget) {
      budget.spend(messages.length)
      return { families: [], terms: blocklist.length > 0 ? 0 : 0 }
    },
  }
}
