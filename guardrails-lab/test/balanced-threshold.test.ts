// The scale of the scores must not move what is blocked: `balanced` blocks a short text exactly if the sum of all readers
// or a match of the grammar reaches its cut in the weights, and a long one if a window does.
import { expect, test } from 'vitest'
import { blockCuts } from '../../server/src/domain/guardrails/sentinel-threshold.ts'
import { loadModel } from '../../server/src/guardrails/sentinel/model/load-model.ts'
import { isShort } from '../../server/src/guardrails/sentinel/model/short-texts.ts'
import { addUp, isEmpty, matchMargin } from '../../server/src/guardrails/sentinel/model/sum.ts'
import { createSentinel } from '../../server/src/guardrails/sentinel/sentinel.ts'
import { textsOfRun } from '../../server/src/guardrails/sentinel/text-runs.ts'
import { breathing, createWorkBudget } from '../../server/src/guardrails/work-budget.ts'
import { readPhrases } from '../../server/test/guardrails/sentinel/read-phrases.ts'
import { heldOutFolder, isAttackRecord, readLabelledRecords } from '../evaluation/labelled-records.ts'
import { marginOf } from '../training/sentinel/calibrate.ts'
import { createGauge } from '../training/sentinel/gauge.ts'

const plenty = 100_000_000
const { readers, short, windowCuts } = loadModel()
const gauge = createGauge(readers)

/** Whether a text is blocked by the numbers of the weights. No score is involved. */
async function isBlockedByCuts(text: string): Promise<boolean> {
  const budget = createWorkBudget(plenty)
  const read = await breathing(textsOfRun({ parts: [text], otherTexts: [] }), budget.breathe)
  return read.some(part => {
    if (!isShort(part)) return marginOf(gauge(part).evidence.window, windowCuts) >= 0
    const findings = gauge(part)
    return (
      !isEmpty(findings) &&
      (addUp(short.sum, findings) >= short.sum.cuts.balanced || matchMargin(findings, short.firmCut) >= 0)
    )
  })
}

async function isBlocked(text: string): Promise<boolean> {
  const { families, score } = await sentinel.scan([{ parts: [text], otherTexts: [] }], createWorkBudget(plenty))
  return score >= blockCuts.balanced && families.length > 0
}

const sentinel = createSentinel([])

test('balanced blocks what reaches a cut of the weights, and nothing else', async () => {
  const records = readLabelledRecords([heldOutFolder]).filter(isAttackRecord)
  const texts = [...records, ...readPhrases()].map(({ text }) => text)
  const wrong: string[] = []
  let blocked = 0
  for (const text of texts) {
    const byCuts = await isBlockedByCuts(text)
    if (byCuts) blocked++
    if (byCuts !== (await isBlocked(text))) wrong.push(text.slice(0, 80))
  }
  expect(wrong).toEqual([])
  expect(blocked).toBeGreaterThan(2000)
  expect(texts.length - blocked).toBeGreaterThan(2000)
}, 300_000)
