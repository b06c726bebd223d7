// The order in which a provider reads a conversation: the project's prompt, the client's own instructions, what is
// remembered, what is said now. Knows no store and no provider.

import type { Message } from '../domain/prompt.ts'

export function arrangeMessages(
  systemPrompt: string | null,
  recalled: readonly Message[],
  said: readonly Message[],
): Message[] {
  // An empty prompt is none.
  const project: Message[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : []
  if (recalled.length === 0) return [...project, ...said]
  // What governs a conversation stands before it; behind the past it would be read as a part of it.
  const spoken = said.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = spoken < 0 ? said.length : spoken
  return [...project, ...said.slice(0, leading), ...recalled, ...said.slice(leading)]
}
