// A part of the store's contract: answers that are given again to an equal request. The store does not interpret them.

export interface CachedAnswers {
  /**
   * Keeps an answer for `ttlSeconds`, in place of an earlier one under its key. Beyond the maximum of the store, the
   * answers that were kept first are dropped. An answer that alone exceeds the maximum is not kept.
   */
  keepAnswer(key: string, answer: string, ttlSeconds: number): Promise<void>
  findAnswer(key: string): Promise<string | null>
  /** Deletes every answer whose key begins with `start`. */
  forgetAnswers(start: string): Promise<void>
}

/** The maximum of all answers of a store together, keys included. */
export const defaultAnswerBytes = 64 * 1_048_576
/** What an entry costs besides its texts. */
export const answerEntryBytes = 512
