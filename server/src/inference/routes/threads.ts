// The routes of an end user's threads: list, read, read the messages, delete. An end user sees only their own
// threads; a service of the project may name another user.

import type { Kysely } from 'kysely'
import type { AdmittedCall } from '../../call/admitted-call.ts'
import { isConversationId } from '../../domain/conversation/conversation-id.ts'
import {
  type Content,
  type Message,
  type Part,
  partsOfDocument,
  type ToolCall,
} from '../../domain/conversation/prompt.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { parseTexts, writeText } from '../../domain/json/write-in-turns.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { replyJson, replyJsonText } from '../../http/reply.ts'
import {
  deleteThread,
  findThread,
  listMessages,
  listThreads,
  type ThreadMessageRow,
  type ThreadOwner,
  type ThreadRow,
} from '../../storage/conversations/thread-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import { findUser, queryOf } from './read-query.ts'

type Sql = Kysely<Schema>

export async function answerThreadList(sql: Sql, call: AdmittedCall): Promise<void> {
  const owner = ownerOf(call)
  const list = ['threads', owner.projectId, owner.userId] as const
  const { limit, after, cursorAfter } = getPage(queryOf(call), { list, key: ['number', 'string'] })
  const rows = await listThreads(sql, owner, { limit: limit + 1, after })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last !== undefined ? cursorAfter([last.updated_at, last.id]) : null
  replyJson(call.response, 200, { data: page.map(showThread), next_cursor: next })
}

export async function answerThread(sql: Sql, call: AdmittedCall): Promise<void> {
  replyJson(call.response, 200, showThread(await getThread(sql, call)))
}

export async function answerThreadMessages(sql: Sql, call: AdmittedCall): Promise<void> {
  const owner = ownerOf(call)
  const list = ['messages', owner.projectId, owner.userId, threadIdOf(call)] as const
  const { limit, after, cursorAfter } = getPage(queryOf(call), { list, key: ['number'] })
  const thread = await getThread(sql, call)
  const page = { limit, after: after?.[0] ?? 0 }
  const { rows, hasMore } = await listMessages(sql, owner, thread.id, page)
  const last = rows.at(-1)
  const next = hasMore && last !== undefined ? cursorAfter([last.position]) : null
  const messages = (await parseTexts(rows.map(({ body }) => body))) as Message[]
  const shown = rows.map((row, at) => showMessage(row, messages[at] as Message))
  replyJsonText(call.response, 200, await writeText({ data: shown, next_cursor: next }))
}

export async function answerThreadDeletion(sql: Sql, call: AdmittedCall): Promise<void> {
  if (!(await deleteThread(sql, ownerOf(call), threadIdOf(call)))) throw new Refusal('thread_not_found')
  call.response.statusCode = 204
  call.response.end()
}

async function getThread(sql: Sql, call: AdmittedCall): Promise<ThreadRow> {
  const thread = await findThread(sql, ownerOf(call), threadIdOf(call))
  if (thread === undefined) throw new Refusal('thread_not_found')
  return thread
}

/** Some clients percent-encode the colon, others do not. */
function threadIdOf({ request }: AdmittedCall): string {
  const [, , , segment = ''] = (request.url ?? '').split(/[/?]/)
  const id = segment.replaceAll(/%3a/gi, ':')
  if (!isConversationId(id)) throw new Refusal('thread_not_found')
  return id
}

function ownerOf(call: AdmittedCall): ThreadOwner {
  return { projectId: call.verified.projectId, userId: findUser(call) ?? call.verified.userId }
}

function showThread(thread: ThreadRow) {
  return {
    id: thread.id,
    object: 'thread',
    title: thread.title,
    message_count: thread.message_count,
    created_at: new Date(thread.created_at).toISOString(),
    updated_at: new Date(thread.updated_at).toISOString(),
  }
}

function showMessage({ id, role, created_at }: ThreadMessageRow, message: Message) {
  const calls = message.role === 'assistant' ? message.toolCalls : []
  return omitAbsent({
    id,
    object: 'thread.message',
    role,
    content: showContent(message.content),
    refusal: message.role === 'assistant' ? message.refusal : undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(showCall),
    tool_call_id: message.role === 'tool' ? message.toolCallId : undefined,
    created_at: new Date(created_at).toISOString(),
  })
}

function showCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: text } }
}

/** In the format of requests. */
function showContent(content: Content | null) {
  return content === null || typeof content === 'string' ? content : content.flatMap(showPart)
}

function showPart(part: Part): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image':
      return [{ type: 'image_url', image_url: omitAbsent({ url: part.url, detail: part.detail }) }]
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.data, format: part.format } }]
    case 'file': {
      const file = omitAbsent({ file_data: part.data, file_id: part.fileId, filename: part.filename })
      return [{ type: 'file', file }]
    }
    case 'document':
      return partsOfDocument(part).flatMap(showPart)
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    case 'other':
      return [part.value]
  }
}
