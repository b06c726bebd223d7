// Chooses the cuts: the lowest scores from which a text counts as an attack, for each degree of support by the grammar,
// such that harmless texts stay below given shares.

import { createJudge } from '../../src/guardrails/sentinel/judge-view.ts'
import { createSecondReader } from '../../src/guardrails/sentinel/model/model.ts'
import { type ModelWeights, type Support, supports } from '../../src/guardrails/sentinel/model/model-weights.ts'
import { scanText } from '../../src/guardrails/sentinel/scan-text.ts'
import { sliceText } from '../../src/guardrails/slices.ts'
import { createWorkBudget } from '../../src/guardrails/work-budget.ts'

export type Cuts = Record<Support, number>

/** The highest score that some match with that support has; minus infinity without a match. */
export type Evidence = Record<Support, number>

export function createGauge(weights: ModelWeights): (text: string) => Evidence {
  const reader = createSecondReader(weights)
  return text => {
    const evidence = Object.fromEntries(supports.map(support => [support, Number.NEGATIVE_INFINITY])) as Evidence
    const judge = createJudge(reader, Number.NEGATIVE_INFINITY, new Set(), (support, score) => {
      evidence[support] = Math.max(evidence[support], score)
    })
    for (const { text: slice } of sliceText(text)) scanText(slice, createWorkBudget(Number.MAX_SAFE_INTEGER), judge)
    return evidence
  }
}

export function isHit(evidence: Evidence, cuts: Cuts): boolean {
  return supports.some(support => evidence[support] >= cuts[support])
}

export interface Sample {
  evidence: Evidence
  weight: number
}

/** Harmless texts of one kind, and the greatest number of them, or of their weights, that may be hits. */
export interface Limit {
  samples: readonly Sample[]
  maxHits: number
}

/**
 * The model decides alone only if it is certain, supports vague words only if it finds them suspicious too, and vetoes
 * firm words only if it finds them harmless.
 */
const candidates: Record<Support, readonly number[]> = {
  none: range(0.8, 3, 0.1),
  vague: range(0.5, 3, 0.25),
  usual: range(-4, 1, 0.25),
  firm: range(-6, -2, 0.25),
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

/** The cuts with the greatest weight of attacks hit, among those within all limits. */
export function chooseCuts(allAttacks: readonly Sample[], allLimits: readonly Limit[]): Cuts {
  const attacks = allAttacks.filter(mayHit)
  const limits = allLimits.map(({ samples, maxHits }) => ({ samples: samples.filter(mayHit), maxHits }))
  let best: { cuts: Cuts; weight: number } | null = null
  for (const none of candidates.none) {
    for (const vague of candidates.vague) {
      if (vague > none) continue
      for (const usual of candidates.usual) {
        if (usual > vague) continue
        for (const firm of candidates.firm) {
          if (firm > usual) continue
          const cuts = { none, vague, usual, firm }
          if (limits.some(({ samples, maxHits }) => weightHit(samples, cuts) > maxHits)) continue
          const weight = weightHit(attacks, cuts)
          if (best === null || weight > best.weight) best = { cuts, weight }
          // A higher cut hits less.
          break
        }
      }
    }
  }
  if (best === null) throw new Error('no cuts are within the limits')
  return best.cuts
}

function mayHit({ evidence }: Sample): boolean {
  return supports.some(support => evidence[support] >= candidates[support][0]!)
}

function weightHit(samples: readonly Sample[], cuts: Cuts): number {
  let weight = 0
  for (const sample of samples) if (isHit(sample.evidence, cuts)) weight += sample.weight
  return weight
}
