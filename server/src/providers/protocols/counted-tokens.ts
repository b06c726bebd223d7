// What a provider's count of a prompt's tokens is as an answer.

import type { Delta } from '../../domain/conversation/answer.ts'

export function deltasOfCount(tokens: number): Delta[] {
  const usage = {
    promptTokens: tokens,
    completionTokens: 0,
    totalTokens: tokens,
    cachedTokens: null,
    reasoningTokens: null,
  }
  return [
    { type: 'finish', choice: 0, reason: 'stop', native: null },
    { type: 'usage', usage },
  ]
}
