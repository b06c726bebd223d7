// Stores conversations: a session in the key-value store for a day after its last use, a thread in the database for
// as long as the project's settings say. Each belongs to one project and one end user.

import type { Kysely } from 'kysely'
import type { Verified } from '../../domain/caller.ts'
import { withoutForeignContent } from '../../domain/conversation/client-rules.ts'
import { isConversationId } from '../../domain/conversation/conversation-id.ts'
import { conversationOwner } from '../../domain/conversation/conversation-owner.ts'
import type { Message } from '../../domain/conversation/prompt.ts'
import { textOf } from '../../domain/conversation/prompt.ts'
import type { WireFormat } from '../../domain/conversation/wire-format.ts'
import { Refusal } from '../../domain/errors.ts'
import { parseTexts, writeText } from '../../domain/json/write-in-turns.ts'
import type { Log } from '../../domain/log.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { type Conversations, StoreUnavailable } from '../../kv/store.ts'
import { addTurn, listNewestMessages } from '../../storage/conversations/thread-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Stage, Turn, TurnRequest } from '../turn.ts'
import { arrangeMessages, withAnsweredCalls } from './arrange-messages.ts'
import { keepOrLog } from './keep-or-log.ts'

export interface Memory {
  /** The project keeps conversations. Null if the request names none. */
  open(given: Pick<TurnRequest, 'call' | 'surface'>): Stage | null
}

interface MemoryDependencies {
  sql: Kysely<Schema>
  kv: Conversations
  now: () => number
  randomId: () => string
  log: Log
}

/** Where the messages of one conversation are stored. */
interface KeptMessages {
  /** The newest of the window, oldest first. */
  read(): Promise<Message[]>
  add(turn: readonly Message[]): Promise<void>
}

const sessionSeconds = 24 * 60 * 60
/** The largest possible window: a project may enlarge its window later. */
const keptMessages = 500
const titleCharacters = 80

export function createMemory(dependencies: MemoryDependencies): Memory {
  return {
    open({ call, surface }) {
      const { settings } = call.resolved
      const kept = findKept(dependencies, call.verified, settings)
      if (kept === null) return null
      return new ConversationStage(inFormat(kept, surface.wireFormat), settings.store_tool_calls, dependencies.log)
    },
  }
}

/** Checked even if the project keeps no conversations. */
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

/** A thread takes precedence over a session; the two are never one conversation. */
function findKept(dependencies: MemoryDependencies, verified: Verified, settings: Settings): KeptMessages | null {
  if (verified.threadId !== null) return openThread(dependencies, verified, verified.threadId, settings)
  if (verified.sessionId !== null) return openSession(dependencies, verified, verified.sessionId, settings)
  return null
}

function openSession({ kv }: MemoryDependencies, verified: Verified, id: string, settings: Settings): KeptMessages {
  const key = `${conversationOwner(verified)}:${id}`
  return {
    async read() {
      if (settings.memory_window === 0) return []
      try {
        const texts = await kv.recallTurns(key, settings.memory_window, sessionSeconds)
        return (await parseTexts(texts)) as Message[]
      } catch (error) {
        // An answer without the earlier messages would be wrong.
        if (error instanceof StoreUnavailable) throw new Refusal('store_unavailable', { cause: error })
        throw error
      }
    },
    async add(turn) {
      const texts = await Promise.all(turn.map(writeText))
      await kv.appendTurn(key, texts, { keep: keptMessages, ttlSeconds: sessionSeconds })
    },
  }
}

function openThread(
  dependencies: MemoryDependencies,
  verified: Verified,
  threadId: string,
  settings: Settings,
): KeptMessages {
  const { sql, now, randomId } = dependencies
  const { projectId, userId } = verified
  return {
    async read() {
      // Even with an empty window: if the database is down, the turn could not be stored afterwards.
      const rows = await listNewestMessages(sql, { projectId, userId }, threadId, settings.memory_window)
      return (await parseTexts(rows.map(({ body }) => body))) as Message[]
    },
    async add(turn) {
      const write = async (message: Message) => ({ id: randomId(), role: message.role, body: await writeText(message) })
      const messages = await Promise.all(turn.map(write))
      await addTurn(
        sql,
        { projectId, userId },
        {
          threadId,
          title: titleOf(turn),
          retentionDays: settings.retention_days,
          messages,
          at: now(),
        },
      )
    },
  }
}

/** The unknown fields of a message are of the format of its request, which other formats must not repeat. */
function inFormat({ read, add }: KeptMessages, format: WireFormat): KeptMessages {
  return {
    read: async () => (await read()).map((message: KeptMessage) => readAs(message, format)),
    add: turn => add(format === usualFormat ? turn : turn.map((message): KeptMessage => ({ ...message, format }))),
  }
}

type KeptMessage = Message & { format?: WireFormat }
/** The format of messages that name none. */
const usualFormat: WireFormat = 'chat-completions'

function readAs({ format: kept = usualFormat, ...message }: KeptMessage, format: WireFormat): Message {
  return kept === format ? message : withoutForeignContent(message)
}

class ConversationStage implements Stage {
  readonly keepsAnswer = true
  readonly #kept: KeptMessages
  /** Without tool calls, their results and reasoning are not stored either; the texts beside them are. */
  readonly #storesTools: boolean
  readonly #log: Log

  constructor(kept: KeptMessages, storesTools: boolean, log: Log) {
    this.#kept = kept
    this.#storesTools = storesTools
    this.#log = log
  }

  /** Adds the newest messages of the window. */
  async prepare(turn: Turn): Promise<void> {
    const recalled = withAnsweredCalls(await this.#kept.read(), turn.messages)
    turn.messages = arrangeMessages(recalled, turn.messages)
  }

  async keep({ call, storedMessages, collected }: Turn): Promise<void> {
    const all = remembered([...storedMessages, collected.message()])
    await keepOrLog(this.#log, call, () => this.#kept.add(this.#storesTools ? all : all.flatMap(withoutCalls)))
  }
}

/** Without instructions: the project's prompt and those of the client come with every request. */
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
  // Cut before it is split into characters, of at most two units each: a body may have millions.
  const beginning = textOf(first?.content ?? null)
    .slice(0, 2 * titleCharacters)
    .toWellFormed()
  return [...beginning.replaceAll('\0', '')].slice(0, titleCharacters).join('')
}
