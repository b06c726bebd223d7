// How many tokens a request may cost at most: what is reserved of the limits before its provider is called.

export interface TokenEstimate {
  /** Of the prompt, estimated. */
  prompt: number
  /** The maximum of the answer. */
  completion: number
  /** How many answers that is for; absent: one. */
  choices?: number
}

/** Of one answer. Above every model's means, and small enough to be added up; a larger count is an error of its sender. */
export const maxTokens = 1_000_000_000
