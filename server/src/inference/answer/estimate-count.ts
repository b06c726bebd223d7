// Answers a count of tokens for providers that do not count: with the local estimate, and a header that says so.

import { estimateHeader } from '../../call/inference-port.ts'
import type { Usage } from '../../domain/conversation/answer.ts'
import type { UpstreamAnswer } from '../attempt/attempt.ts'
import type { Turn } from '../turn.ts'
import { estimateWholePrompt } from '../usage/count-tokens.ts'

export function estimateCount({ call, messages, request }: Turn): UpstreamAnswer {
  const promptTokens = estimateWholePrompt({ ...request.prompt, messages })
  const usage: Usage = {
    promptTokens,
    completionTokens: 0,
    totalTokens: promptTokens,
    cachedTokens: null,
    reasoningTokens: null,
  }
  return {
    begin(consumer) {
      call.response.setHeader(estimateHeader, 'true')
      consumer.onEvents([{ deltas: [{ type: 'usage', usage }], raw: null }])
      consumer.onEnd(null)
    },
    abort: () => null,
    resume: () => undefined,
  }
}
