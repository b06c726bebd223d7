// Arranges the messages that a provider gets: the project's system prompt, the client's own instructions, the
// remembered messages, the new ones.

import { type AssistantMessage, type Message, textOf } from '../../domain/conversation/prompt.ts'

export function arrangeMessages(recalled: readonly Message[], said: readonly Message[]): Message[] {
  if (recalled.length === 0) return [...said]
  // After the remembered messages, a provider would read the instructions as a part of the conversation.
  const spoken = said.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = spoken < 0 ? said.length : spoken
  return [...said.slice(0, leading), ...recalled, ...said.slice(leading)]
}

/**
 * Keeps tool calls only with their results, as every provider requires. Results may be missing: the window may cut
 * them off, a client may never send them, and a concurrent turn may come in between. `said` may hold the results of
 * the last calls.
 */
export function withAnsweredCalls(recalled: readonly Message[], said: readonly Message[]): Message[] {
  const all = [...recalled, ...said]
  const kept: Message[] = []
  let open: ReadonlySet<string> = new Set()
  for (const [index, message] of recalled.entries()) {
    if (message.role === 'tool') {
      if (open.has(message.toolCallId)) kept.push(message)
      continue
    }
    if (message.role !== 'assistant' || message.toolCalls.length === 0) {
      open = new Set()
      kept.push(message)
      continue
    }
    const whole = answered(message, all, index + 1)
    open = new Set(whole.toolCalls.map(({ id }) => id))
    if (saysSomething(whole)) kept.push(whole)
  }
  return kept
}

/** The message with those calls whose results follow it directly, from `start` on. */
function answered(message: AssistantMessage, all: readonly Message[], start: number): AssistantMessage {
  const ids = new Set<string>()
  for (let at = start; at < all.length; at++) {
    const next = all[at]
    if (next?.role !== 'tool') break
    ids.add(next.toolCallId)
  }
  const toolCalls = message.toolCalls.filter(({ id }) => ids.has(id))
  if (toolCalls.length === message.toolCalls.length) return message
  // Providers reject reasoning without all of its calls.
  return { ...message, toolCalls, reasoningDetails: [] }
}

function saysSomething({ content, toolCalls, refusal }: AssistantMessage): boolean {
  return toolCalls.length > 0 || textOf(content) !== '' || refusal !== undefined
}
