// Divides a conversation at the model's turns, and finds each call its result among what comes before the next turn. For
// wire formats that refuse calls without results, results without calls, and either out of place.

import type {
  AssistantMessage,
  InstructionMessage,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../../domain/conversation/prompt.ts'

export type NonModelMessage = UserMessage | ToolMessage | InstructionMessage

/** What comes between two turns of the model, and the second of them. */
export interface Exchange {
  /** One for each call of the turn before; null where its result is nowhere. */
  results: { call: ToolCall; message: ToolMessage | null }[]
  /** All else, in its order; a result among it has no call. */
  others: NonModelMessage[]
  /** Null behind the last. */
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
  // Calls may share an id: their results come in the order of these.
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

/** The instructions that stand before all else, and what follows them. */
export function splitInstructions(messages: readonly Message[]): { leading: InstructionMessage[]; rest: Message[] } {
  const firstOther = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = firstOther === -1 ? messages.length : firstOther
  const leading = messages
    .slice(0, count)
    .filter((message): message is InstructionMessage => message.role === 'system' || message.role === 'developer')
  return { leading, rest: messages.slice(count) }
}
