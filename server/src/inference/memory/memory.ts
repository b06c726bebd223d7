// Where conversations are kept: a session in the key-value store for a day after its last use, a thread in the database
// for as long as the project says. Both belong to one project and one end user.

import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Verified } from '../../domain/caller.ts'
import { isConversationId } from '../../domain/conversation/conversation-id.ts'
import type { Message } from '../../domain/conversation/prompt.ts'
import { textOf } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { type Conversations, StoreUnavailable } from '../../kv/store.ts'
import type { Schema } from '../../storage/schema.ts'
import { addTurn, listNewestMessages } from '../../storage/thread-rows.ts'
import { withAnsweredCalls } from './answered-calls.ts'
import type { Conversation, Memory } from './conversation.ts'

interface MemoryParts {
  sql: Kysely<Schema>
  kv: Conversations
  now: () => number
  randomId: () => string
}

/** Messages where they lie, as they are. */
interface KeptMessages {
  /** The newest of the window, oldest first. */
  read(): Promise<Message[]>
  add(turn: readonly Message[]): Promise<void>
}

const sessionSeconds = 24 * 60 * 60
/** The largest window there is, so that a window that grows later finds what it needs. */
const keptMessages = 500
const titleCharacters = 80

export function createMemory(parts: MemoryParts): Memory {
  return {
    open(verified, settings) {
      if (!settings.memory_enabled) return null
      const kept = findKept(parts, verified, settings)
      return kept === null ? null : asConversation(kept, settings.store_tool_calls)
    },
  }
}

/** Also where the project keeps no conversations. */
export function checkConversationIds({ threadId, sessionId }: Verified): void {
  checkId(threadId, 'X-Thread-Id')
  checkId(sessionId, 'X-Session-Id')
}

function checkId(id: string | null, header: string): void {
  if (id === null || isConversationId(id)) return
  throw new Refusal('invalid_request', {
    message: `${header} must be 1-128 characters of A-Z a-z 0-9 _ . : -`,
    param: header,
  })
}

/** A thread wins where both are named; the two are never one conversation. */
function findKept(parts: MemoryParts, verified: Verified, settings: Settings): KeptMessages | null {
  if (verified.threadId !== null) return openThread(parts, verified, verified.threadId, settings)
  if (verified.sessionId !== null) return openSession(parts, verified, verified.sessionId, settings)
  return null
}

function openSession({ kv }: MemoryParts, verified: Verified, id: string, settings: Settings): KeptMessages {
  const user = createHash('sha256').update(verified.userId).digest('base64url')
  const key = `${verified.projectId}:${user}:${id}`
  return {
    async read() {
      if (settings.memory_window === 0) return []
      try {
        const texts = await kv.recallTurns(key, settings.memory_window, sessionSeconds)
        return texts.map(text => JSON.parse(text) as Message)
      } catch (error) {
        // Answering as if nothing had been said before would be a wrong answer.
        if (error instanceof StoreUnavailable) throw new Refusal('store_unavailable', { cause: error })
        throw error
      }
    },
    async add(turn) {
      const texts = turn.map(message => JSON.stringify(message))
      await kv.appendTurn(key, texts, { keep: keptMessages, ttlSeconds: sessionSeconds })
    },
  }
}

function openThread(parts: MemoryParts, verified: Verified, threadId: string, settings: Settings): KeptMessages {
  const { sql, now, randomId } = parts
  const { projectId, userId } = verified
  return {
    async read() {
      // Also where the window is empty: what could not be stored afterwards must not be asked for.
      const rows = await listNewestMessages(sql, { projectId, userId }, threadId, settings.memory_window)
      return rows.map(row => JSON.parse(row.body) as Message)
    },
    async add(turn) {
      await addTurn(
        sql,
        { projectId, userId },
        {
          threadId,
          title: titleOf(turn),
          retentionDays: settings.retention_days,
          messages: turn.map(message => ({ id: randomId(), role: message.role, body: JSON.stringify(message) })),
          at: now(),
        },
      )
    },
  }
}

/** Where tool calls are not stored, neither is what belongs to them alone; the texts beside them are. */
function asConversation(kept: KeptMessages, storesTools: boolean): Conversation {
  return {
    recall: async said => withAnsweredCalls(await kept.read(), said),
    remember: turn => kept.add(storesTools ? remembered(turn) : remembered(turn).flatMap(withoutCalls)),
  }
}

/** The project's prompt comes first anyway, and instructions of a client are sent with every request. */
function remembered(turn: readonly Message[]): Message[] {
  return turn.filter(message => message.role !== 'system' && message.role !== 'developer')
}

function withoutCalls(message: Message): Message[] {
  if (message.role === 'tool') return []
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return [message]
  return textOf(message.content) === '' ? [] : [{ ...message, toolCalls: [], reasoningDetails: [] }]
}

function titleOf(turn: readonly Message[]): string {
  const first = turn.find(message => message.role === 'user')
  // A character has two units at most; a whole body of millions is not taken apart for eighty of them.
  const beginning = textOf(first?.content ?? null)
    .slice(0, 2 * titleCharacters)
    .toWellFormed()
  return [...beginning.replaceAll('\0', '')].slice(0, titleCharacters).join('')
}
