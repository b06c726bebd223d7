// Detects prompt injection in a text with the grammar and the model. `sentinel.ts` loads this file with the first
// text, since its words and rules take 3 MB of memory.
import type { WorkBudget } from '../work-budget.ts'
import { createJudge } from './judge-view.ts'
import { loadModel, type Model } from './model/load-model.ts'
import type { Cuts } from './model/model-weights.ts'
import { lowestMargin, scoreOfMargin } from './model/score.ts'
import type { Extent } from './model/windows.ts'
import type { PatternFamily } from './pattern-families.ts'
import { scanText } from './scan-text.ts'

/**
 * The detector reads a slice of a text, short or long, and raises in `scores` the score of each family that it finds.
 * Throws if the model cannot be loaded.
 */
export function createDetector(scores: Map<PatternFamily, number>, load: () => Model = loadModel) {
  const { reader, cuts } = load()
  const lowest = (own: Cuts | undefined) => (own === undefined ? undefined : own.none + lowestMargin)
  const judgeOf = (own: Readonly<Partial<Record<Extent, Cuts>>>) =>
    createJudge(
      reader,
      { whole: lowest(own.whole), window: lowest(own.window) },
      (extent, support, reached, family) => {
        const score = scoreOfMargin(reached - own[extent]![support])
        if (score > (scores.get(family) ?? 0)) scores.set(family, score)
      },
    )
  const judges = { short: judgeOf(cuts.short), long: judgeOf(cuts.long) }
  return (slice: string, isShort: boolean, budget: WorkBudget): void =>
    scanText(slice, budget, isShort ? judges.short : judges.long)
}
