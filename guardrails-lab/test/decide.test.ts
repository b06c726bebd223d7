// What the training chooses: the sum of all readers, its cuts, and the cuts of windows.
import { expect, test } from 'vitest'
import { marginCuts } from '../../server/src/guardrails/sentinel/model/score.ts'
import { addUp, type Findings } from '../../server/src/guardrails/sentinel/model/sum.ts'
import type { Cuts } from '../../server/src/guardrails/sentinel/model/supports.ts'
import { chooseCuts, marginOf } from '../training/sentinel/calibrate.ts'
import { chooseSumCuts, fitSum, type Shares } from '../training/sentinel/fit-sum.ts'
import { countLeftOut, showLeftOut } from '../training/sentinel/left-out.ts'

const none = Number.NEGATIVE_INFINITY

function findingsOf(phrases: number, firm = none): Findings {
  return {
    evidence: {
      whole: { none, vague: none, usual: none, firm: none },
      window: { none: 0, vague: none, usual: none, firm },
    },
    phrases,
    net: 0,
    tokens: 12,
    outside: null,
  }
}

test('the sum counts each reader by what it is worth', () => {
  const texts = Array.from({ length: 200 }, (_, at) => {
    const isAttack = at % 2 === 0
    return { findings: findingsOf(isAttack ? 1 : -1, at % 4 < 2 ? 1 : none), isAttack, weight: 1 }
  })
  const sum = fitSum(texts)
  expect(fitSum(texts)).toEqual(sum)
  expect(addUp(sum, findingsOf(1))).toBeGreaterThan(1)
  expect(addUp(sum, findingsOf(-1))).toBeLessThan(-1)
  expect(Math.abs(addUp(sum, findingsOf(0, 1)) - addUp(sum, findingsOf(0)))).toBeLessThan(0.1)
})

const names = ['flagged', 'strict', 'balanced', 'lenient'] as const
const maxShares: Shares = { flagged: 0.1, strict: 0.05, balanced: 0.02, lenient: 0 }

test('the cuts of the sum are as low as all limits allow, and in order', () => {
  const texts = Array.from({ length: 100 }, (_, at) => ({ sum: at / 10, matchMargin: none }))
  const cuts = chooseSumCuts([{ texts, maxShares }])
  const hits = (cut: number) => texts.filter(({ sum }) => sum >= cut).length
  expect(names.map(name => hits(cuts[name]))).toEqual([10, 5, 2, 0])
  const stricter = chooseSumCuts([
    { texts, maxShares },
    { texts: [{ sum: 20, matchMargin: none }], maxShares: { flagged: 0, strict: 1, balanced: 1, lenient: 1 } },
  ])
  expect(stricter.flagged).toBeGreaterThan(20)
  const ordered = names.map(name => stricter[name])
  expect(ordered).toEqual(ordered.toSorted((a, b) => a - b))
  expect(new Set(ordered)).toHaveLength(4)
})

test('matches that reach a cut of their own count against the limits of the sum', () => {
  const texts = Array.from({ length: 100 }, (_, at) => ({
    sum: at / 10,
    matchMargin: at === 0 ? marginCuts.strict : none,
  }))
  const cuts = chooseSumCuts([{ texts, maxShares }])
  const hits = (cut: number) => texts.filter(({ sum }) => sum >= cut).length
  expect(names.map(name => hits(cuts[name]))).toEqual([9, 4, 2, 0])
  const matched = [{ sum: 0, matchMargin: marginCuts.lenient }]
  expect(() => chooseSumCuts([{ texts: matched, maxShares }])).toThrow('limits')
})

const harmless = { none: -9, vague: -9, usual: -9, firm: -9 }
const evidenceOf = (window: Partial<Cuts>): Cuts => ({ ...harmless, ...window })
const sample = (window: Partial<Cuts>) => ({ evidence: evidenceOf(window), weight: 1 })

test('the cuts of windows hit as many attacks as the limits allow', () => {
  const samples = [sample({ none: 1.4 }), sample({ none: 2.4 }), sample({ firm: -2 })]
  const limit = (maxHits: number) => [{ samples: [sample({ none: 1.95 }), sample({ none: 0.5 })], maxHits }]
  const hits = (cuts: Cuts) => samples.filter(({ evidence }) => marginOf(evidence, cuts) >= 0).length
  expect(hits(chooseCuts(samples, limit(0)))).toBe(2)
  expect(hits(chooseCuts(samples, limit(1)))).toBe(3)
})

test('a highest cut of firm words holds, and no limit can raise it', () => {
  const chosen = (maxHits: number, maxFirm?: number) =>
    chooseCuts([sample({ firm: 0.6 })], [{ samples: [sample({ firm: 0 })], maxHits }], maxFirm)
  expect(chosen(0).firm).toBeGreaterThan(0)
  expect(() => chosen(0, -1)).toThrow('limits')
  expect(chosen(1, -1).firm).toBeLessThanOrEqual(-1)
})

test('texts of authors are counted for a range of cuts, others not at all', () => {
  const text = (author: string | null, kind: 'attack' | 'benign', margin: number, isShort = true) => ({
    record: { author, kind },
    isShort,
    margin,
  })
  const texts = [
    text('x', 'attack', 0.2),
    text('x', 'attack', 0.4),
    text('y', 'benign', -0.2),
    text(null, 'attack', 1),
    text('z', 'attack', -1, false),
  ]
  expect(countLeftOut(texts)).toEqual({ attacks: 3, attacksHit: 2, harmless: 1, harmlessHit: 0 })
  expect(countLeftOut(texts, -0.25).harmlessHit).toBe(1)
  expect(countLeftOut(texts, 0.5).attacksHit).toBe(0)
  expect(showLeftOut(texts)).toContain('long texts       attacks 0.000 (0 of 1)  harmless - (0 of 0)')
  expect(showLeftOut(texts)).toContain('author y         attacks - (0 of 0)  harmless 0.000 (0 of 1)')
})
