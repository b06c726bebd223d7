// Ephemeral conversations in this process. Beyond the maximum size the least recently used conversation is dropped.
// Twin of scripts/append-turn.lua and recall-turns.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import { type Conversations, conversationBytes } from '../store.ts'

/** All conversations together. */
const maxBytes = 64 * 1_048_576
/** What an entry costs besides its text. */
const entryBytes = 256

interface Conversation {
  messages: string[]
  bytes: number
  endsAt: number
}

export function createProcessConversations(clock: () => number, max = maxBytes) {
  // In the order of their last use: an entry that is used goes to the end.
  const conversations = new Map<string, Conversation>()
  let total = 0
  const remove = (key: string): void => {
    const conversation = conversations.get(key)
    if (!conversation) return
    conversations.delete(key)
    total -= conversation.bytes
  }
  const write = (key: string, messages: string[], endsAt: number): void => {
    remove(key)
    if (messages.length === 0) return
    const bytes = messages.reduce((sum, message) => sum + 2 * message.length, entryBytes + 2 * key.length)
    conversations.set(key, { messages, bytes, endsAt })
    total += bytes
    for (const oldest of conversations.keys()) {
      if (total <= max) return
      remove(oldest)
    }
  }
  const findLive = (key: string, now: number): Conversation | null => {
    const conversation = conversations.get(key)
    return conversation && conversation.endsAt > now ? conversation : null
  }
  const intentions: Conversations = {
    appendTurn: async (key, messages, { keep, ttlSeconds }) => {
      assertCounts(keep, ttlSeconds)
      const now = clock()
      const all = [...(findLive(key, now)?.messages ?? []), ...messages]
      write(key, newestThatFit(all, keep), now + ttlSeconds * 1000)
    },
    recallTurns: async (key, last, ttlSeconds) => {
      assertCounts(last, ttlSeconds)
      const now = clock()
      const conversation = findLive(key, now)
      if (!conversation) return []
      write(key, conversation.messages, now + ttlSeconds * 1000)
      return last === 0 ? [] : conversation.messages.slice(-last)
    },
    forgetConversations: async start => {
      for (const key of [...conversations.keys()]) if (key.startsWith(start)) remove(key)
    },
  }
  return {
    intentions,
    sweep: (now: number): void => {
      for (const [key, { endsAt }] of conversations) if (endsAt <= now) remove(key)
    },
    count: (): number => conversations.size,
  }
}

function newestThatFit(messages: string[], keep: number): string[] {
  let bytes = 0
  let fitting = 0
  for (const message of messages.toReversed()) {
    bytes += Buffer.byteLength(message)
    if (fitting === keep || bytes > conversationBytes) break
    fitting += 1
  }
  return messages.slice(messages.length - fitting)
}
