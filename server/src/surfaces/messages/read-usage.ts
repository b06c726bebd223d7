// Reads the cost of an answer from the answer itself: the tokens of its `usage` member, or of the events that have one.

import type { StreamUsage, UsageReader } from '../../call/answer-format.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import { createStreamUsage, findUsageAtEnd, readTokenCount } from '../stream-usage.ts'

export const usageReader: UsageReader = {
  ofAnswer: answer => tokensOf(isJsonObject(answer) ? answer['usage'] : undefined),
  ofTail: tail => tokensOf(findUsageAtEnd(tail)),
  ofStream: readStreamUsage,
}

const inputFields = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** What has not been reported yet has the value from `before`. */
function tokensOf(usage: unknown, before: JsonObject = {}): number | null {
  if (!isJsonObject(usage)) return null
  const output = readTokenCount(usage['output_tokens'])
  if (output === null) return null
  const inputs = inputFields.map(name => readTokenCount(usage[name]) ?? readTokenCount(before[name]) ?? 0)
  return inputs.reduce((sum, count) => sum + count, output)
}

/** The first event has the input so far, and the last one the output, which alone says what the answer has cost. */
function readStreamUsage(): StreamUsage {
  let begun: JsonObject = {}
  return createStreamUsage(json => {
    if (!isJsonObject(json)) return null
    const { type, message, usage } = json
    if (type === 'message_delta') return tokensOf(usage, begun)
    if (type === 'message_start' && isJsonObject(message) && isJsonObject(message['usage'])) begun = message['usage']
    // A comment between two of our own processes.
    return type === undefined && isJsonObject(usage) ? readTokenCount(usage['total_tokens']) : null
  })
}
