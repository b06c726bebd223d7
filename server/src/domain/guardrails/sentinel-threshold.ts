// The scale of Sentinel's scores, and which scores each threshold blocks.

import type { SentinelThreshold } from '../settings/settings.ts'

/** From it on an event is written, with every threshold. */
export const flagCut = 0.5
export const blockCuts: Readonly<Record<SentinelThreshold, number>> = { strict: 0.7, balanced: 0.8, lenient: 0.9 }

/** What a threshold does to a request with that score, in `enforce`. */
export const thresholdOutcomes = ['pass', 'flag', 'block'] as const
export type ThresholdOutcome = (typeof thresholdOutcomes)[number]

export function outcomeOf(score: number, threshold: SentinelThreshold): ThresholdOutcome {
  if (score >= blockCuts[threshold]) return 'block'
  return score >= flagCut ? 'flag' : 'pass'
}

/** With three decimals, never rounded up: a score that is shown as a cut has reached it. */
export function writeScore(score: number): string {
  return (Math.floor(score * 1000) / 1000).toFixed(3)
}
