// Places how far the model's score is above or below its cut on the scale of Sentinel's scores: at the cut itself the
// default threshold begins to block.

import { blockCuts, flagCut } from '../../../domain/guardrails/sentinel-threshold.ts'

/** In units of the model's score; for each the score that it has. */
const points = [
  { margin: -0.75, score: flagCut },
  { margin: -0.35, score: blockCuts.strict },
  { margin: 0, score: blockCuts.balanced },
  { margin: 0.5, score: blockCuts.lenient },
] as const

/** Below it a text is not worth an event. */
export const lowestMargin = points[0].margin

/** Linear between two points, exponential outside. */
export function scoreOfMargin(margin: number): number {
  const [first, last] = [points[0], points[3]]
  if (margin < first.margin) return first.score * Math.exp(margin - first.margin)
  if (margin >= last.margin) return 1 - (1 - last.score) * Math.exp(last.margin - margin)
  const above = points.findIndex(point => margin < point.margin)
  const [from, to] = [points[above - 1]!, points[above]!]
  return from.score + ((margin - from.margin) / (to.margin - from.margin)) * (to.score - from.score)
}
