// Limits the tokens for thinking, for models whose thinking counts against the answer's limit: to at most half of it,
// so that thinking does not use it up.

/** Undefined if there is no limit. */
export function thinkingShare(budget: number | undefined, maxOutputTokens: number | undefined): number | undefined {
  if (maxOutputTokens === undefined) return budget
  return Math.min(budget ?? Number.POSITIVE_INFINITY, Math.max(1, Math.floor(maxOutputTokens / 2)))
}
