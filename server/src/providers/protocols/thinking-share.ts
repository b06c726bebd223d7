// How much of the room for an answer may be thought where thoughts count against it: as much as is said, so that what a client
// allows is neither exceeded nor thought away.

/** Undefined where nothing bounds either. */
export function thinkingShare(budget: number | undefined, maxOutputTokens: number | undefined): number | undefined {
  if (maxOutputTokens === undefined) return budget
  return Math.min(budget ?? Number.POSITIVE_INFINITY, Math.max(1, Math.floor(maxOutputTokens / 2)))
}
