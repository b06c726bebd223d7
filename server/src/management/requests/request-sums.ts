// What requests add up to, as people see it.

import { z } from 'zod'
import type { RequestSums } from '../../storage/request-log/sums/added-requests.ts'

const percentiles = z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable()

export const sumsShape = {
  requests: z.int(),
  errors: z.int(),
  tokens: z.object({ prompt: z.int(), cached: z.int(), completion: z.int(), reasoning: z.int() }),
  cost_usd: z.number(),
  latency_ms: percentiles.meta({ description: 'Within 2 %; null without a request' }),
  first_token_ms: percentiles.meta({ description: 'Of streams, within 2 %; null without one' }),
}

export const completeFromSchema = z
  .string()
  .nullable()
  .meta({ format: 'date-time', description: 'Older requests were too many to be read; null if all were read' })

export function showSums(numbers: RequestSums) {
  const { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost_nanousd, ...shown } = numbers
  return {
    ...shown,
    tokens: {
      prompt: prompt_tokens,
      cached: cached_tokens,
      completion: completion_tokens,
      reasoning: reasoning_tokens,
    },
    cost_usd: cost_nanousd / 1e9,
  }
}
