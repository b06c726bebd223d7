// Splits a conversation at the model's turns, and finds the result of each call before the next turn. For wire formats
// that reject calls without results, results without calls, and either out of place.

import type {
  AssistantMessage,
  InstructionMessage,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../../domain/conversation/prompt.ts'

export type NonModelMessage = UserMessage | ToolMessage | InstructionMessage

/** The messages between two turns of the model, and the second turn. */
export interface Exchange {
  /** One for each call of the turn before; null if its result is missing. */
  results: { call: ToolCall; message: ToolMessage | null }[]
  /** All other messages in order, including results without a call. */
  others: NonModelMessage[]
  /** Null after the last turn. */
  turn: AssistantMessage | null
}

export function exchangesOf(messages: readonly Message[]): Exchange[] {
  const exchanges: Exchange[] = []
  let calls: readonly ToolCall[] = []
  let replies: NonModelMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      exchanges.push({ ...findResults(replies, calls), turn: message })
      calls = message.toolCalls
      replies = []
    } else replies.push(message)
  }
  exchanges.push({ ...findResults(replies, calls), turn: null })
  return exchanges
}

function findResults(replies: readonly NonModelMessage[], calls: readonly ToolCall[]): Omit<Exchange, 'turn'> {
  const results: Exchange['results'] = calls.map(call => ({ call, message: null }))
  // Calls may share an id: results are assigned in the order of the calls.
  const open = new Map<string, Iterator<Exchange['results'][number]>>()
  for (const [id, ofId] of Map.groupBy(results, ({ call }) => call.id)) open.set(id, ofId.values())
  const others: NonModelMessage[] = []
  for (const reply of replies) {
    const next = reply.role === 'tool' ? open.get(reply.toolCallId)?.next() : undefined
    if (reply.role === 'tool' && next && !next.done) next.value.message = reply
    else others.push(reply)
  }
  return { results, others }
}

/** Splits off the instructions at the beginning. */
export function splitInstructions(messages: readonly Message[]): { leading: InstructionMessage[]; rest: Message[] } {
  const firstOther = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = firstOther === -1 ? messages.length : firstOther
  const leading = messages
    .slice(0, count)
    .filter((message): message is InstructionMessage => message.role === 'system' || message.role === 'developer')
  return { leading, rest: messages.slice(count) }
}
