// Asks in words for an answer in JSON, where a model or a wire format does not take the request for it. Better an answer
// of the right form most times than none.

import type { ResponseFormat } from '../../domain/conversation/prompt.ts'

/** Null where no JSON is asked for. */
export function jsonInstruction(format: ResponseFormat | undefined): string | null {
  if (format === undefined || format.type === 'text') return null
  const wish = 'Answer with one JSON object alone, without a code fence.'
  return format.type === 'json' ? wish : `${wish} It must follow this JSON Schema: ${JSON.stringify(format.schema)}`
}
