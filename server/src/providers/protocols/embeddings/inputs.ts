// The inputs of a request for vectors, as a provider takes them.

import { findTokens } from '../../../domain/conversation/embedding-input.ts'
import { type Prompt, textOf } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'

export function inputsOf({ messages }: Prompt): (string | readonly number[])[] {
  return messages.map(message => findTokens(message) ?? textOf(message.content))
}

/** For a provider that cannot read tokens, and takes at most this many texts at once. */
export function textsOf(prompt: Prompt, maxTexts = Number.POSITIVE_INFINITY): string[] {
  if (prompt.messages.length > maxTexts) {
    throw refused(`input must have at most ${maxTexts} texts for this model's provider`)
  }
  return inputsOf(prompt).map(input => {
    if (typeof input === 'string') return input
    throw refused("input must be text: this model's provider takes no tokens")
  })
}

function refused(message: string): Refusal {
  return new Refusal('invalid_request', { message, param: 'input' })
}
