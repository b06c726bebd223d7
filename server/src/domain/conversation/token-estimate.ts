// How many tokens a request may cost at most: what is reserved of the limits before its provider is called.

export interface TokenEstimate {
  /** Of the prompt, estimated. */
  prompt: number
  /** The maximum of the answer. */
  completion: number
}
