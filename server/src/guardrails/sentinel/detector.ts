// Detects prompt injection in a text with the grammar and the model. `sentinel.ts` loads this file with the first
// text, since its words and rules take 3 MB of memory.
import { flagCut } from '../../domain/guardrails/sentinel-threshold.ts'
import type { WorkBudget } from '../work-budget.ts'
import { createCollector, createJudge, TextFindings } from './judge-view.ts'
import { loadModel, type Model } from './model/load-model.ts'
import { marginCuts, scoreAt } from './model/score.ts'
import { scoreShort } from './model/sum.ts'
import type { PatternFamily } from './pattern-families.ts'
import { scanText } from './scan-text.ts'

/**
 * The detector reads a slice of a text, short or long, and raises in `scores` the score of each family that it finds.
 * Throws if the model cannot be loaded.
 */
export function createDetector(scores: Map<PatternFamily, number>, load: () => Model = loadModel) {
  const { readers, short, windowCuts } = load()
  const raise = (family: PatternFamily, score: number): void => {
    if (score > (scores.get(family) ?? 0)) scores.set(family, score)
  }
  const findings = new TextFindings()
  const collect = createCollector(readers, findings)
  const judgeWindows = createJudge(
    readers.words,
    { window: windowCuts.none + marginCuts.flagged },
    (_extent, support, reached, family) => raise(family, scoreAt(reached - windowCuts[support], marginCuts)),
  )
  return (slice: string, isShort: boolean, budget: WorkBudget): void => {
    if (!isShort) {
      scanText(slice, budget, judgeWindows)
      return
    }
    findings.clear()
    scanText(slice, budget, collect)
    const score = scoreShort(findings, short)
    if (score >= flagCut) for (const family of findings.families()) raise(family, score)
  }
}
