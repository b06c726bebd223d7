// Writes the messages of a prompt in the chat-completions format: leaves out what a dialect does not accept, and adds
// what a strict one requires.

import {
  type AssistantMessage,
  type Content,
  type Message,
  type Part,
  partsOf,
  partsOfDocument,
  type ToolCall,
} from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { nineCharacterId } from '../nine-character-id.ts'
import type { ChatDialect } from './dialects.ts'

export function renderMessages(messages: readonly Message[], dialect: ChatDialect, offersTools: boolean): JsonObject[] {
  const written = messages.map(message => renderMessage(message, dialect))
  return dialect.isStrict ? inStrictOrder(written, offersTools) : written
}

function renderMessage(message: Message, dialect: ChatDialect): JsonObject {
  const { name, extra } = message
  const unknown = dialect.takesUnknownFields ? { ...extra, name } : {}
  switch (message.role) {
    case 'assistant':
      return renderAssistant(message, unknown, dialect)
    case 'tool': {
      const id = dialect.isStrict ? nineCharacterId(message.toolCallId) : message.toolCallId
      return omitAbsent({
        ...unknown,
        role: 'tool',
        tool_call_id: id,
        content: renderContent(message.content, dialect),
      })
    }
    case 'developer':
    case 'system': {
      const role = dialect.takesDeveloperRole ? message.role : 'system'
      return omitAbsent({ ...unknown, role, content: renderContent(message.content, dialect) })
    }
    case 'user':
      return omitAbsent({ ...unknown, role: 'user', content: renderContent(message.content, dialect) })
  }
}

function renderAssistant(message: AssistantMessage, unknown: JsonObject, dialect: ChatDialect): JsonObject {
  const { toolCalls, refusal, reasoning, reasoningDetails } = message
  const hasDetails = reasoningDetails.length > 0
  return omitAbsent({
    ...unknown,
    role: 'assistant',
    content: renderSaid(message, dialect),
    refusal: dialect.takesUnknownFields ? refusal : undefined,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls.map(call => renderToolCall(call, dialect)),
    reasoning: dialect.takesReasoningDetails && !hasDetails ? reasoning || undefined : undefined,
    reasoning_details: dialect.takesReasoningDetails && hasDetails ? reasoningDetails : undefined,
  })
}

function renderSaid(message: AssistantMessage, dialect: ChatDialect): string | JsonObject[] | null {
  const { content, refusal } = message
  // If the dialect has no refusal field, the refusal becomes the text.
  if (dialect.isStrict && refusal !== undefined && partsOf(content).length === 0) return refusal
  return content === null ? emptyContent(message, dialect) : renderContent(content, dialect)
}

/** Null if the message has other content; a message without any gets an empty text. */
function emptyContent({ toolCalls, refusal, extra }: AssistantMessage, { isStrict }: ChatDialect): string | null {
  const isSaidOtherwise = toolCalls.length > 0 || refusal !== undefined || extra?.['audio'] !== undefined
  return isSaidOtherwise && !isStrict ? null : ''
}

function renderToolCall(call: ToolCall, dialect: ChatDialect): JsonObject {
  return {
    ...(dialect.takesUnknownFields ? call.extra : {}),
    id: dialect.isStrict ? nineCharacterId(call.id) : call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments },
  }
}

function renderContent(content: Content, dialect: ChatDialect): string | JsonObject[] {
  return typeof content === 'string' ? content : content.flatMap(part => renderParts(part, dialect))
}

function renderParts(part: Part, dialect: ChatDialect): JsonObject[] {
  if (part.type === 'document') return partsOfDocument(part).flatMap(inner => renderParts(inner, dialect))
  return [renderPart(part, dialect)]
}

function renderPart(part: Exclude<Part, { type: 'document' }>, dialect: ChatDialect): JsonObject {
  const extra = dialect.takesUnknownFields && 'extra' in part ? part.extra : {}
  switch (part.type) {
    case 'text':
      return { ...extra, type: 'text', text: part.text }
    case 'image':
      return { ...extra, type: 'image_url', image_url: omitAbsent({ url: part.url, detail: part.detail }) }
    case 'audio':
      return { ...extra, type: 'input_audio', input_audio: { data: part.data, format: part.format } }
    case 'file':
      return { ...extra, ...renderFile(part, dialect) }
    case 'refusal':
      return dialect.isStrict ? { type: 'text', text: part.text } : { type: 'refusal', refusal: part.text }
    case 'other':
      if (dialect.takesUnknownFields) return part.value
      throw new Refusal('invalid_request', {
        message: `The model's provider does not take content of type ${part.kind.slice(0, 40)}`,
        param: 'messages',
      })
  }
}

function renderFile(
  { data, fileId, filename }: Extract<Part, { type: 'file' }>,
  { isStrict }: ChatDialect,
): JsonObject {
  if (!isStrict) return { type: 'file', file: omitAbsent({ file_data: data, file_id: fileId, filename }) }
  if (data === undefined) return { type: 'file', file_id: fileId }
  return omitAbsent({ type: 'document_url', document_url: data, document_name: filename })
}

/** The roles that each role must not follow. */
const refusedAfter: Record<string, readonly string[]> = {
  tool: ['user', 'system'],
  assistant: ['system'],
}

function inStrictOrder(messages: readonly JsonObject[], offersTools: boolean): JsonObject[] {
  const ordered: JsonObject[] = []
  let before = ''
  for (const message of messages) {
    const role = String(message['role'])
    const isRefused = refusedAfter[before]?.includes(role)
    // Providers accept this order in a conversation without tools; in one with tools, only some models do.
    if (isRefused && before === 'tool' && offersTools) ordered.push({ role: 'assistant', content: 'OK.' })
    // A late instruction is accepted only as a user message; moved to the front, it would apply to earlier messages.
    const accepted = isRefused && role === 'system' ? { ...message, role: 'user' } : message
    ordered.push(accepted)
    before = String(accepted['role'])
  }
  const last = ordered.at(-1)
  // The model does not answer a final system message either.
  if (last?.['role'] === 'system') ordered[ordered.length - 1] = { ...last, role: 'user' }
  // The model continues the given text.
  if (last?.['role'] === 'assistant' && last['tool_calls'] === undefined) last['prefix'] = true
  return ordered
}
