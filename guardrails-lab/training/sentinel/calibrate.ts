// Chooses the cuts of windows in long texts: the lowest scores from which a text counts as an attack, for each degree of
// support by the grammar, such that harmless texts stay below given shares.

import type { Findings } from '../../../server/src/guardrails/sentinel/model/sum.ts'
import { type Cuts, type Support, supports } from '../../../server/src/guardrails/sentinel/model/supports.ts'

/** The highest score that some match with that support has; minus infinity without a match. */
export type Evidence = Findings['evidence']['window']

/** How far the best score is above or below its cut. */
export function marginOf(evidence: Evidence, cuts: Cuts): number {
  return Math.max(...supports.map(support => evidence[support] - cuts[support]))
}

function isHit(evidence: Evidence, cuts: Cuts): boolean {
  return marginOf(evidence, cuts) >= 0
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
  none: steps(0.8, 3.2, 0.1),
  vague: steps(0.5, 3, 0.25),
  usual: steps(-4, 2, 0.25),
  firm: steps(-6, 1, 0.25),
}

function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

/**
 * The cuts with the greatest weight of attacks hit, among those within all limits. `maxFirm`: the highest cut of firm
 * words, because an attack that states them counts in harmless surroundings too.
 */
export function chooseCuts(
  allAttacks: readonly Sample[],
  allLimits: readonly Limit[],
  maxFirm = Number.POSITIVE_INFINITY,
): Cuts {
  const mayHit = ({ evidence }: Sample) => supports.some(support => evidence[support] >= candidates[support][0]!)
  const attacks = allAttacks.filter(mayHit)
  const limits = allLimits.map(({ samples, maxHits }) => ({ samples: samples.filter(mayHit), maxHits }))
  let best: { cuts: Cuts; weight: number } | null = null
  for (const none of candidates.none) {
    for (const vague of candidates.vague) {
      if (vague > none) continue
      for (const usual of candidates.usual) {
        if (usual > vague) continue
        for (const firm of candidates.firm) {
          if (firm > usual || firm > maxFirm) continue
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
  if (best === null) throw new Error('no cuts of windows are within the limits')
  return best.cuts
}

function weightHit(samples: readonly Sample[], cuts: Cuts): number {
  return samples.reduce((sum, { evidence, weight }) => (isHit(evidence, cuts) ? sum + weight : sum), 0)
}
