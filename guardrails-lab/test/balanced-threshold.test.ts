// The scale of the scores must not move what is blocked: `balanced` blocks a text exactly if one of the readers reaches
// its cut in the weights. Compared on the evaluation texts, for the same families.
import { expect, test } from 'vitest'
import { blockCuts } from '../../server/src/domain/guardrails/sentinel-threshold.ts'
import { createJudge } from '../../server/src/guardrails/sentinel/judge-view.ts'
import { loadModel } from '../../server/src/guardrails/sentinel/model/load-model.ts'
import type { Cuts } from '../../server/src/guardrails/sentinel/model/model-weights.ts'
import { isShort } from '../../server/src/guardrails/sentinel/model/short-texts.ts'
import type { Extent } from '../../server/src/guardrails/sentinel/model/windows.ts'
import { patternFamilies } from '../../server/src/guardrails/sentinel/pattern-families.ts'
import { scanText } from '../../server/src/guardrails/sentinel/scan-text.ts'
import { createSentinel } from '../../server/src/guardrails/sentinel/sentinel.ts'
import { textsOfRun } from '../../server/src/guardrails/sentinel/text-runs.ts'
import { sliceText } from '../../server/src/guardrails/slices.ts'
import { breathing, createWorkBudget } from '../../server/src/guardrails/work-budget.ts'
import { readPhrases } from '../../server/test/guardrails/sentinel/read-phrases.ts'
import { heldOutFolder, isAttackRecord, readLabelledRecords } from '../evaluation/labelled-records.ts'

const plenty = 100_000_000
const { reader, cuts } = loadModel()

/** The families for which a reader reaches its cut. No score is involved. */
async function familiesByCuts(text: string): Promise<string[]> {
  const found = new Set<string>()
  const judgeOf = (own: Readonly<Partial<Record<Extent, Cuts>>>) =>
    createJudge(reader, { whole: own.whole?.none, window: own.window?.none }, (extent, support, reached, family) => {
      if (reached >= own[extent]![support]) found.add(family)
    })
  const budget = createWorkBudget(plenty)
  for (const read of await breathing(textsOfRun({ parts: [text], otherTexts: [] }), budget.breathe)) {
    const judge = judgeOf(isShort(read) ? cuts.short : cuts.long)
    for (const { text: slice } of sliceText(read)) scanText(slice, budget, judge)
  }
  return patternFamilies.filter(family => found.has(family))
}

async function familiesBlocked(text: string): Promise<string[]> {
  const { families, score } = await sentinel.scan([{ parts: [text], otherTexts: [] }], createWorkBudget(plenty))
  return score >= blockCuts.balanced ? families : []
}

const sentinel = createSentinel([])

test('balanced blocks what reaches a cut of the readers, and nothing else', async () => {
  const records = readLabelledRecords([heldOutFolder]).filter(isAttackRecord)
  const texts = [...records, ...readPhrases()].map(({ text }) => text)
  const wrong: string[] = []
  let blocked = 0
  for (const text of texts) {
    const [byCuts, byScore] = [await familiesByCuts(text), await familiesBlocked(text)]
    if (byCuts.length > 0) blocked++
    if (byCuts.join() !== byScore.join()) wrong.push(text.slice(0, 80))
  }
  expect(wrong).toEqual([])
  expect(blocked).toBeGreaterThan(2000)
  expect(texts.length - blocked).toBeGreaterThan(2000)
}, 60_000)
