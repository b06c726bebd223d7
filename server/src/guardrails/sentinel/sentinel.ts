// Detects prompt injection, and the terms of a project's blocklist, in the texts of a request.

import { blockCuts, flagCut } from '../../domain/guardrails/sentinel-threshold.ts'
import { sliceText } from '../slices.ts'
import { breathing, type WorkBudget } from '../work-budget.ts'
import { createBlocklist } from './blocklist.ts'
import type { Model } from './model/load-model.ts'
import { isShort } from './model/short-texts.ts'
import { type PatternFamily, patternFamilies } from './pattern-families.ts'
import { type RunTexts, textsOfRun } from './text-runs.ts'

export interface SentinelVerdict {
  /** Without duplicates, the most specific one first. */
  families: PatternFamily[]
  /** The highest of all slices, from 0 to 1. */
  score: number
  /** How many different terms of the blocklist were found. */
  terms: number
}

export interface Sentinel {
  scan(runs: readonly RunTexts[], budget: WorkBudget): Promise<SentinelVerdict>
}

let loaded: typeof import('./detector.ts') | null = null

async function loadDetector(): Promise<typeof import('./detector.ts')> {
  loaded = await import('./detector.ts')
  return loaded
}

/**
 * Compiles the blocklist; call it once for each revision of the settings. The detector is loaded with the first text,
 * and with it the model, which `load` replaces. If they cannot be loaded, each scan fails: the grammar alone must not
 * decide.
 */
export function createSentinel(blocklist: readonly string[], load?: () => Model): Sentinel {
  const terms = createBlocklist(blocklist)
  return {
    async scan(runs, budget) {
      const scores = new Map<PatternFamily, number>()
      const { createDetector } = loaded ?? (await loadDetector())
      const detect = createDetector(scores, load)
      const foundTerms = new Set<number>()
      for (const run of runs) {
        budget.spend(1 + run.parts.length + run.otherTexts.length)
        for (const text of await breathing(textsOfRun(run), budget.breathe)) {
          budget.spend(text.length)
          for (const looked of terms.findTerms(text, foundTerms)) {
            budget.spend(looked)
            await budget.breathe()
          }
          const short = isShort(text)
          for (const { text: slice } of sliceText(text)) {
            detect(slice, short, budget)
            await budget.breathe()
          }
        }
      }
      return { ...verdictOf(scores), terms: foundTerms.size }
    },
  }
}

/** Families that are only suspicious are named if none is certain enough for the default threshold. */
function verdictOf(scores: ReadonlyMap<PatternFamily, number>): Pick<SentinelVerdict, 'families' | 'score'> {
  const score = Math.max(0, ...scores.values())
  const least = score >= blockCuts.balanced ? blockCuts.balanced : flagCut
  return { families: patternFamilies.filter(family => (scores.get(family) ?? 0) >= least), score }
}
