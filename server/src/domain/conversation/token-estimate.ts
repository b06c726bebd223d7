// The maximum number of tokens that a request may cost, which is reserved before the provider is called.

export interface TokenEstimate {
  /** Estimated tokens of the prompt. */
  prompt: number
  /** The maximum tokens of all answers together. */
  completion: number
  /** The number of answers; absent means one. */
  choices?: number
  /** The request sets no maximum, so `completion` is a guess; absent means false. */
  isUnlimited?: boolean
}

/**
 * The maximum for one answer: above the limits of all models, and small enough to add up. A larger count is
 * invalid.
 */
export const maxTokens = 1_000_000_000

/** About as fast as current models: an answer that its client abandons should not cost less than one that it reads. */
const assumedTokensPerSecond = 100

/** What a provider is assumed to have generated for a client that left after it had waited so long for an answer. */
export function assumeGenerated({ completion }: Pick<TokenEstimate, 'completion'>, waitedMs: number): number {
  return Math.min(completion, Math.ceil((waitedMs / 1000) * assumedTokensPerSecond))
}
