// Makes a remembered conversation one that every provider takes: a call of a tool stands there with its results or not at
// all, whatever a window cut off, a client never answered, or a turn at the same time put in between. Knows no store.

import { type AssistantMessage, type Message, textOf } from '../../domain/conversation/prompt.ts'

/** `said` follows what was recalled, and may bring the results of its last calls. */
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

/** Its results stand right behind it, from `start` on. */
function answered(message: AssistantMessage, all: readonly Message[], start: number): AssistantMessage {
  const ids = new Set<string>()
  for (let at = start; at < all.length; at++) {
    const next = all[at]
    if (next?.role !== 'tool') break
    ids.add(next.toolCallId)
  }
  const toolCalls = message.toolCalls.filter(({ id }) => ids.has(id))
  if (toolCalls.length === message.toolCalls.length) return message
  // Thinking goes with its calls or not at all: a part of it would be refused.
  return { ...message, toolCalls, reasoningDetails: [] }
}

function saysSomething({ content, toolCalls, refusal }: AssistantMessage): boolean {
  return toolCalls.length > 0 || textOf(content) !== '' || refusal !== undefined
}
