// The order in which a provider reads a conversation: the project's prompt, the client's own instructions, what is
// remembered, what is said now. Knows no store and no provider.

import type { Message } from '../../domain/conversation/prompt.ts'

export function arrangeMessages(recalled: readonly Message[], said: readonly Message[]): Message[] {
  if (recalled.length === 0) return [...said]
  // What governs a conversation stands before it; behind the past it would be read as a part of it.
  const spoken = said.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = spoken < 0 ? said.length : spoken
  return [...said.slice(0, leading), ...recalled, ...said.slice(leading)]
}

/** The project's own prompt comes before everything; an empty one is none. */
export function underProjectPrompt(systemPrompt: string | null, messages: Message[]): Message[] {
  return systemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages
}
