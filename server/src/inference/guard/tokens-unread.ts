// Inputs that a client has split into the model's tokens: no guardrail can read them.

import { hasTokens } from '../../domain/conversation/embedding-input.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import { guardrailNames } from '../../domain/guardrails/guardrails.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { modeOf } from './guard-rules.ts'

/** True if there is nothing to read. Throws if a guardrail that is enforced would have to read it. */
export function cannotBeRead(prompt: Prompt, settings: Settings): boolean {
  if (!hasTokens(prompt)) return false
  if (guardrailNames.every(name => modeOf(name, settings) !== 'enforce')) return true
  throw new Refusal('invalid_request', {
    message: "input must be text: this project's guardrails cannot read tokens",
    param: 'input',
  })
}
