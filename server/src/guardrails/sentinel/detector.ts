// Detects prompt injection in a text with the grammar and the model. `sentinel.ts` loads this file with the first
// text, since its words and rules take 3 MB of memory.
import type { WorkBudget } from '../work-budget.ts'
import { createJudge } from './judge-view.ts'
import { loadModel, type Model } from './model/load-model.ts'
import type { Cuts } from './model/model-weights.ts'
import type { Extent } from './model/windows.ts'
import type { PatternFamily } from './pattern-families.ts'
import { scanText } from './scan-text.ts'

/**
 * The detector reads a slice of a text, short or long, and adds what it finds to `families`. Throws if the model cannot
 * be loaded.
 */
export function createDetector(families: Set<PatternFamily>, load: () => Model = loadModel) {
  const { reader, cuts } = load()
  const judgeOf = (own: Readonly<Partial<Record<Extent, Cuts>>>) =>
    createJudge(
      reader,
      { whole: own.whole?.none, window: own.window?.none },
      families,
      (extent, support, score, family) => {
        if (score >= own[extent]![support]) families.add(family)
      },
    )
  const judges = { short: judgeOf(cuts.short), long: judgeOf(cuts.long) }
  return (slice: string, isShort: boolean, budget: WorkBudget): void =>
    scanText(slice, budget, isShort ? judges.short : judges.long)
}
