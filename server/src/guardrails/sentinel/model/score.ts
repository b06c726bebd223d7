// Places a value on the scale of Sentinel's scores: at each cut the score is that of a threshold.

import { blockCuts, flagCut } from '../../../domain/guardrails/sentinel-threshold.ts'

/** From these values on a text has at least the score of that name. */
export type ScoreCuts = Readonly<Record<'flagged' | keyof typeof blockCuts, number>>

export const cutNames = ['flagged', 'strict', 'balanced', 'lenient'] as const satisfies (keyof ScoreCuts)[]
const scores: ScoreCuts = { flagged: flagCut, ...blockCuts }

/** Of how far a score of the model is above or below a cut of its own. */
export const marginCuts: ScoreCuts = { flagged: -0.75, strict: -0.35, balanced: 0, lenient: 0.5 }

/** Linear between two cuts, exponential outside. */
export function scoreAt(value: number, cuts: ScoreCuts): number {
  if (value < cuts.flagged) return scores.flagged * Math.exp(value - cuts.flagged)
  if (value >= cuts.lenient) return 1 - (1 - scores.lenient) * Math.exp(cuts.lenient - value)
  const above = cutNames.findIndex(name => value < cuts[name])
  const [from, to] = [cutNames[above - 1]!, cutNames[above]!]
  return scores[from] + ((value - cuts[from]) / (cuts[to] - cuts[from])) * (scores[to] - scores[from])
}
