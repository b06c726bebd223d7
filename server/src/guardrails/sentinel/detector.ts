// Detects prompt injection in one text with the grammar and the model. `sentinel.ts` loads this file with the first
// text, since its words and rules take 3 MB of memory.
import type { WorkBudget } from '../work-budget.ts'
import { createJudge } from './judge-view.ts'
import { loadModel, type Model } from './model/load-model.ts'
import type { PatternFamily } from './pattern-families.ts'
import { scanText } from './scan-text.ts'

/** The detector adds what it finds to `families`. Throws if the model cannot be loaded. */
export function createDetector(families: Set<PatternFamily>, load: () => Model = loadModel) {
  const { reader, cuts } = load()
  const judge = createJudge(reader, cuts.none, families, (support, score, family) => {
    if (score >= cuts[support]) families.add(family)
  })
  return (text: string, budget: WorkBudget): void => scanText(text, budget, judge)
}
