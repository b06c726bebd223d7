// How much text there is for a guardrail, and how much of it an enforced one takes. Knows no guardrail's work.

import { Refusal } from '../domain/errors.ts'
import { type Message, textOf } from '../domain/prompt.ts'
import type { PromptTexts } from '../guardrails/prompt-texts.ts'
import type { GuardRules } from './guard-rules.ts'

/** Of text that an enforced guardrail takes. */
export const mostBytes = 2 * 1024 * 1024

export function refuseTooLarge(rules: GuardRules, texts: PromptTexts, messages: readonly Message[]): void {
  if (rules.pii?.mode === 'enforce' && isTooLarge(allOf(texts))) throw new Refusal('guarded_text_too_large')
  if (rules.sentinel?.mode === 'enforce' && isTooLarge(usersOf(messages))) throw new Refusal('guarded_text_too_large')
}

/** In characters. */
export function sizeOf(texts: PromptTexts): number {
  return lengthOf(allOf(texts))
}

export function sizeOfUsers(messages: readonly Message[]): number {
  return lengthOf(usersOf(messages))
}

function isTooLarge(texts: readonly string[]): boolean {
  // No character has more than three bytes for each of its units.
  if (lengthOf(texts) * 3 <= mostBytes) return false
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) > mostBytes
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((length, text) => length + text.length, 0)
}

function allOf({ said, calls, fixed }: PromptTexts): string[] {
  return [...said, ...calls, ...fixed]
}

function usersOf(messages: readonly Message[]): string[] {
  return messages.flatMap(message => (message.role === 'user' ? [textOf(message.content)] : []))
}
