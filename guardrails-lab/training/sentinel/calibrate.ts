// Chooses the cuts: the lowest scores from which a text counts as an attack, for each degree of support by the grammar,
// such that harmless texts stay below given shares.

import { createJudge } from '../../../server/src/guardrails/sentinel/judge-view.ts'
import { createSecondReader } from '../../../server/src/guardrails/sentinel/model/model.ts'
import {
  type Cuts,
  type ModelWeights,
  type Support,
  supports,
} from '../../../server/src/guardrails/sentinel/model/model-weights.ts'
import { isShort } from '../../../server/src/guardrails/sentinel/model/short-texts.ts'
import { type Extent, extents } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import { scanText } from '../../../server/src/guardrails/sentinel/scan-text.ts'
import { sliceText } from '../../../server/src/guardrails/slices.ts'
import { createWorkBudget } from '../../../server/src/guardrails/work-budget.ts'

/** The highest score that some match with that support has; minus infinity without a match. */
export type Evidence = Readonly<Record<Extent, Record<Support, number>>>

export function createGauge(weights: Pick<ModelWeights, Extent>): (text: string) => Evidence {
  const reader = createSecondReader(weights)
  const lowest = { whole: Number.NEGATIVE_INFINITY, window: Number.NEGATIVE_INFINITY }
  const lowestOf = { short: lowest, long: { window: lowest.window } }
  return text => {
    const evidence: Evidence = { whole: noEvidence(), window: noEvidence() }
    const judge = createJudge(reader, lowestOf[isShort(text) ? 'short' : 'long'], (extent, support, score) => {
      evidence[extent][support] = Math.max(evidence[extent][support], score)
    })
    for (const { text: slice } of sliceText(text)) scanText(slice, createWorkBudget(Number.MAX_SAFE_INTEGER), judge)
    return evidence
  }
}

function noEvidence(): Record<Support, number> {
  const none = Number.NEGATIVE_INFINITY
  return { none, vague: none, usual: none, firm: none }
}

/** Whether a text of one size is a hit by its cuts. Extents without cuts hit nothing. */
export function isHit(evidence: Evidence, cuts: Readonly<Partial<Record<Extent, Cuts>>>): boolean {
  return extents.some(extent => isHitBy(extent, evidence, cuts[extent]))
}

function isHitBy(extent: Extent, evidence: Evidence, cuts: Cuts | undefined): boolean {
  return cuts !== undefined && supports.some(support => evidence[extent][support] >= cuts[support])
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
const candidates: Record<Extent, Record<Support, readonly number[]>> = {
  whole: {
    none: steps(0, 3, 0.05),
    vague: steps(0.25, 3, 0.25),
    usual: steps(0, 1.5, 0.25),
    firm: steps(-3, 1, 0.25),
  },
  window: {
    none: steps(0.8, 3.2, 0.1),
    vague: steps(0.5, 3, 0.25),
    usual: steps(-4, 2, 0.25),
    firm: steps(-6, 1, 0.25),
  },
}

function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

interface ChoiceTerms {
  /** The cuts of the other extent, which hit too. */
  given?: Readonly<Partial<Record<Extent, Cuts>>>
  /** The highest cut of firm words: an attack that states them counts in harmless surroundings too. */
  maxFirm?: number
}

/** The cuts of one extent with the greatest weight of attacks hit, among those within all limits. */
export function chooseCuts(
  extent: Extent,
  allAttacks: readonly Sample[],
  allLimits: readonly Limit[],
  { given = {}, maxFirm = Number.POSITIVE_INFINITY }: ChoiceTerms = {},
): Cuts {
  const range = candidates[extent]
  const isHitAlready = ({ evidence }: Sample) => isHit(evidence, given)
  const mayHit = (sample: Sample) =>
    !isHitAlready(sample) && supports.some(support => sample.evidence[extent][support] >= range[support][0]!)
  const attacks = allAttacks.filter(mayHit)
  const limits = allLimits.map(({ samples, maxHits }) => ({
    samples: samples.filter(mayHit),
    maxHits: maxHits - weightOf(samples.filter(isHitAlready)),
  }))
  let best: { cuts: Cuts; weight: number } | null = null
  for (const none of range.none) {
    for (const vague of range.vague) {
      if (vague > none) continue
      for (const usual of range.usual) {
        if (usual > vague) continue
        for (const firm of range.firm) {
          if (firm > usual || firm > maxFirm) continue
          const cuts = { none, vague, usual, firm }
          const weightHit = (samples: readonly Sample[]) =>
            weightOf(samples.filter(({ evidence }) => isHitBy(extent, evidence, cuts)))
          if (limits.some(({ samples, maxHits }) => weightHit(samples) > maxHits)) continue
          const weight = weightHit(attacks)
          if (best === null || weight > best.weight) best = { cuts, weight }
          // A higher cut hits less.
          break
        }
      }
    }
  }
  if (best === null) throw new Error(`no cuts of ${extent} are within the limits`)
  return best.cuts
}

function weightOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { weight }) => sum + weight, 0)
}
