// Reads the cost of an answer in one of OpenAI's formats from the answer itself: the tokens of its `usage` member.

import type { UsageReader } from '../call/answer-format.ts'
import { isJsonObject } from '../domain/json-object.ts'
import { createStreamUsage, findUsageAtEnd, readTokenCount } from './stream-usage.ts'

export const openaiUsage: UsageReader = {
  ofAnswer: usageOf,
  ofTail: tail => tokensOf(findUsageAtEnd(tail)),
  ofStream: () => createStreamUsage(usageOf),
}

/** Null if the answer reports no usage. */
function usageOf(answer: unknown): number | null {
  if (!isJsonObject(answer)) return null
  // The last event of a stream of the Responses format has the whole answer.
  const { usage, response } = answer
  return tokensOf(usage ?? (isJsonObject(response) ? response['usage'] : undefined))
}

function tokensOf(usage: unknown): number | null {
  if (!isJsonObject(usage)) return null
  const total = readTokenCount(usage['total_tokens'])
  const prompt = readTokenCount(usage['prompt_tokens'] ?? usage['input_tokens'])
  const completion = readTokenCount(usage['completion_tokens'] ?? usage['output_tokens'])
  if (total === null && prompt === null && completion === null) return null
  return Math.max(total ?? 0, (prompt ?? 0) + (completion ?? 0))
}
