// Where a value is on the scale of Sentinel's scores.
import { expect, test } from 'vitest'
import { blockCuts, flagCut } from '../../../../src/domain/guardrails/sentinel-threshold.ts'
import { scoreAt } from '../../../../src/guardrails/sentinel/model/score.ts'

const cuts = { flagged: -1, strict: 0.5, balanced: 1, lenient: 3 }

test('each cut has the score of its threshold', () => {
  expect(scoreAt(cuts.flagged, cuts)).toBe(flagCut)
  for (const name of ['strict', 'balanced', 'lenient'] as const) {
    expect(scoreAt(cuts[name], cuts)).toBe(blockCuts[name])
    expect(scoreAt(cuts[name] - 1e-9, cuts)).toBeLessThan(blockCuts[name])
  }
})

test('a higher value has a higher score, between 0 and 1', () => {
  const values = [Number.NEGATIVE_INFINITY, -5, -1.1, -0.9, 0.4, 0.6, 0.9, 1.1, 2, 2.9, 3.1, 9, 30]
  const scores = values.map(value => scoreAt(value, cuts))
  expect(scores).toEqual(scores.toSorted((a, b) => a - b))
  expect(new Set(scores)).toHaveLength(scores.length)
  expect(scores[0]).toBe(0)
  expect(scores.at(-1)).toBeLessThanOrEqual(1)
})
