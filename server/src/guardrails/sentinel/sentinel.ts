// Looks for attempts to override the instructions of a conversation, and for the terms of a project's blocklist, in
// what its end user says. Knows no project and no request.

import type { Message } from '../../domain/conversation/prompt.ts'
import { sliceText } from '../slices.ts'
import { breathing, type WorkBudget } from '../work-budget.ts'
import { createBlocklist } from './blocklist.ts'
import { type PatternFamily, patternFamilies } from './pattern-families.ts'
import { scanText } from './scan-text.ts'
import { userTexts } from './user-texts.ts'

export interface SentinelVerdict {
  /** Without repetition, the most telling one first. */
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
  const terms = createBlocklist(blocklist)
  return {
    async scan(messages, budget) {
      const families = new Set<PatternFamily>()
      const foundTerms = new Set<number>()
      budget.spend(messages.length)
      for (const text of await breathing(userTexts(messages), budget.breathe)) {
        budget.spend(text.length)
        for (const looked of terms.findTerms(text, foundTerms)) {
          budget.spend(looked)
          await budget.breathe()
        }
        for (const { text: slice } of sliceText(text)) {
          scanText(slice, budget, families)
          await budget.breathe()
        }
      }
      return { families: patternFamilies.filter(family => families.has(family)), terms: foundTerms.size }
    },
  }
}
