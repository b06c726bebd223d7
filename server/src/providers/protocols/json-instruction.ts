// An instruction to answer in JSON, for models and wire formats without a JSON mode: an answer that usually has the
// right form is better than none.

import type { ResponseFormat } from '../../domain/conversation/prompt.ts'

/** Null if no JSON is requested. */
export function jsonInstruction(format: ResponseFormat | undefined): string | null {
  if (format === undefined || format.type === 'text') return null
  const wish = 'Answer with one JSON object alone, without a code fence.'
  return format.type === 'json' ? wish : `${wish} It must follow this JSON Schema: ${format.schema.text}`
}
