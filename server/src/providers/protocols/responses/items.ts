// Writes the messages of a prompt as the input items of the Responses API. Ids of earlier items are left out: they name
// what the provider has stored, and it stores nothing.

import {
  type AssistantMessage,
  type Content,
  type DocumentPart,
  type Message,
  type Part,
  partsOf,
  partsOfDocument,
  type ToolCall,
} from '../../../domain/conversation/prompt.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { itemsOfDetails } from './reasoning-items.ts'

export function renderItems(messages: readonly Message[]): JsonObject[] {
  return messages.flatMap(renderMessage)
}

function renderMessage(message: Message): JsonObject[] {
  const extra = withoutId(message.extra)
  switch (message.role) {
    case 'assistant':
      return renderAssistant(message, extra)
    case 'tool': {
      const { toolCallId, content } = message
      const output = typeof content === 'string' ? content : content.flatMap(renderParts)
      return [{ ...extra, type: 'function_call_output', call_id: toolCallId, output }]
    }
    case 'system':
    case 'developer':
    case 'user':
      return renderAround(message.content, content => ({
        ...extra,
        type: 'message',
        role: message.role,
        content: typeof content === 'string' ? content : content.flatMap(renderParts),
      }))
  }
}

function renderAssistant(message: AssistantMessage, extra: JsonObject): JsonObject[] {
  const { content, refusal, reasoningDetails, toolCalls } = message
  const said = [...partsOf(content), ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }])]
  return [
    ...itemsOfDetails(reasoningDetails),
    ...renderAround(said, parts => ({
      ...extra,
      type: 'message',
      role: 'assistant',
      content: partsOf(parts).flatMap(renderSaid),
    })),
    ...toolCalls.map(renderCall),
  ]
}

/** Writes each run of content parts as a message, and between them the parts that are items of their own. */
function renderAround(content: Content, renderRun: (content: Content) => JsonObject): JsonObject[] {
  if (typeof content === 'string') return [renderRun(content)]
  const items: JsonObject[] = []
  let run: Part[] = []
  const endRun = () => {
    if (run.length > 0) items.push(renderRun(run))
    run = []
  }
  for (const part of content) {
    if (part.type !== 'other' || isContentPart(part.kind)) run.push(part)
    else {
      endRun()
      items.push(part.value)
    }
  }
  endRun()
  return items
}

/** Parts of content are named by their direction; all other types are those of items. */
function isContentPart(kind: string): boolean {
  return /^(?:input|output)_/.test(kind)
}

function renderParts(part: Part): JsonObject[] {
  return part.type === 'document' ? partsOfDocument(part).flatMap(renderParts) : [renderPart(part)]
}

function renderPart(part: Exclude<Part, DocumentPart>): JsonObject {
  const extra = 'extra' in part ? part.extra : {}
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { ...extra, type: 'input_text', text: part.text }
    case 'image':
      return omitAbsent<JsonObject>({ ...extra, type: 'input_image', image_url: part.url, detail: part.detail })
    case 'file':
      return { ...extra, ...renderFile(part) }
    case 'audio':
      return { ...extra, type: 'input_audio', input_audio: { data: part.data, format: part.format } }
    case 'other':
      return part.value
  }
}

function renderFile({ data, fileId, filename }: Extract<Part, { type: 'file' }>): JsonObject {
  const isUrl = data !== undefined && !/^data:/i.test(data)
  return omitAbsent<JsonObject>({
    type: 'input_file',
    file_data: isUrl ? undefined : data,
    file_url: isUrl ? data : undefined,
    file_id: fileId,
    filename: isUrl ? undefined : filename,
  })
}

/** What a model may have said: the format has no images or files of an assistant. */
function renderSaid(part: Part): JsonObject[] {
  const extra = 'extra' in part ? part.extra : {}
  switch (part.type) {
    case 'text':
      return [{ ...extra, type: 'output_text', text: part.text }]
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    case 'other':
      return [part.value]
    default:
      return []
  }
}

function renderCall({ id, name, arguments: text, extra }: ToolCall): JsonObject {
  return {
    ...withoutId(extra),
    type: 'function_call',
    call_id: id,
    name,
    arguments: text === '' ? '{}' : text,
  }
}

function withoutId(extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return {}
  const { id: _, ...others } = extra
  return others
}
