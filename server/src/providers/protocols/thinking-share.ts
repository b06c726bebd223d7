// Limits the tokens for thinking, for models whose thinking counts against the limit of the whole output. What reaches
// the provider must not exceed that limit: it is what was reserved for the call.

/** At most half of the limit, so that thinking does not use it up. Undefined if there is neither budget nor limit. */
export function thinkingShare(budget: number | undefined, maxOutputTokens: number | undefined): number | undefined {
  if (maxOutputTokens === undefined) return budget
  return Math.min(budget ?? Number.POSITIVE_INFINITY, Math.max(1, Math.floor(maxOutputTokens / 2)))
}

/** Below the limit and at least `minTokens`; null if the limit does not hold those. */
export function thinkingBelow(budget: number, maxOutputTokens: number | undefined, minTokens: number): number | null {
  const largest = (maxOutputTokens ?? Number.POSITIVE_INFINITY) - 1
  return largest < minTokens ? null : Math.max(minTokens, Math.min(budget, largest))
}
