// What a body on Cohere's wire says, for comparing a rendered prompt with a recorded request.

import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { canonicaliseChat } from '../chat/canonical.ts'
import type { Canonical } from '../fixtures.ts'

/** Close enough to chat-completions to be read as that. */
export function canonicaliseCohere({ body }: { body: JsonObject }): Canonical {
  const { tool_choice: choice, response_format: format } = body
  return {
    ...canonicaliseChat({ body }),
    tool_choice: typeof choice === 'string' ? choice.toLowerCase() : null,
    schema: (format as { type?: string } | undefined)?.type === 'json_object',
  }
}
