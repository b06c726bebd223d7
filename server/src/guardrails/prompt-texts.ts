// Collects everything in a prompt that goes to a provider, as texts: messages, arguments of calls, and the rest. A
// field is text unless it is known to contain none, so that unknown fields are scanned too.

import { readableFile, readableText } from '../domain/conversation/data-url.ts'
import {
  type AssistantMessage,
  type Content,
  type DocumentPart,
  type Message,
  type Part,
  type Prompt,
  partsOf,
  type ReasoningDetail,
  type ToolCall,
} from '../domain/conversation/prompt.ts'
import { editText, type Replacement } from './text-edits.ts'
import { type Gathered, itemsPerYield, linesOf } from './value-lines.ts'

export interface PromptTexts {
  /** May be replaced in part. */
  editable: string[]
  /** Arguments of calls: JSON whose values may be replaced; if they are not JSON, treated like messages. */
  callArguments: string[]
  /** Names, ids, URLs, definitions and unknown fields, joined into few texts: never replaced. */
  readOnly: string[]
}

/** Calls `use` for each item, and yields so that others can run. */
export function* forEachYielding<Item>(items: readonly Item[], use: (item: Item) => void): Generator<void> {
  for (let at = 0; at < items.length; at++) {
    use(items[at]!)
    if ((at + 1) % itemsPerYield === 0) yield
  }
}

/** Yields so that others can run. */
export function* textsOf(prompt: Prompt): Generator<void, PromptTexts> {
  const texts: PromptTexts = { editable: [], callArguments: [], readOnly: [] }
  for (const message of prompt.messages) {
    const readOnly: Gathered = []
    yield* addMessage(message, texts, readOnly)
    yield* addReadOnly(readOnly, texts)
  }
  for (const tools of [prompt.tools, prompt.otherTools]) {
    for (const tool of tools) yield* addReadOnly([tool], texts)
  }
  const { toolChoice, responseFormat, stop, extra } = prompt
  const others: Gathered = [...stop, extra]
  if (typeof toolChoice === 'object') others.push(toolChoice.name)
  if (responseFormat?.type === 'json_schema') others.push(responseFormat)
  yield* addReadOnly(others, texts)
  return texts
}

function* addMessage(message: Message, texts: PromptTexts, readOnly: Gathered): Generator<void> {
  const { content, name, extra } = message
  if (typeof content === 'string') addText(content, texts.editable)
  else if (content !== null) yield* forEachYielding(content, part => addPart(part, texts.editable, readOnly))
  addNames({ name, extra }, readOnly)
  if (message.role === 'tool') readOnly.push(message.toolCallId)
  if (message.role === 'assistant') yield* addAssistant(message, texts, readOnly)
}

function* addAssistant(message: AssistantMessage, texts: PromptTexts, readOnly: Gathered): Generator<void> {
  const { toolCalls, refusal, reasoning, reasoningDetails } = message
  yield* forEachYielding(toolCalls, call => {
    readOnly.push(call.id, call.name)
    if (call.extra !== undefined) readOnly.push(call.extra)
    if (call.arguments !== '') texts.callArguments.push(call.arguments)
  })
  if (refusal) texts.editable.push(refusal)
  if (reasoning) texts.editable.push(reasoning)
  const isSigned = findSigned(reasoningDetails)
  yield* forEachYielding(reasoningDetails, detail => addDetail(detail, isSigned(detail), texts, readOnly))
}

/** The provider rejects a signed block if a character of it has changed. */
function findSigned(details: readonly ReasoningDetail[]): (detail: ReasoningDetail) => boolean {
  const hasMark = ({ signature, data }: ReasoningDetail) => Boolean(signature) || Boolean(data)
  // Clients that collect streams return the pieces of one block separately.
  const signed = new Set(details.filter(hasMark).map(({ index }) => index))
  return detail => hasMark(detail) || (detail.index !== undefined && signed.has(detail.index))
}

function addDetail(detail: ReasoningDetail, isReadOnly: boolean, texts: PromptTexts, readOnly: Gathered): void {
  const { text, summary, data: _data, signature: _signature, type: _type, ...others } = detail
  const editable = [text, summary].filter(part => typeof part === 'string' && part !== '') as string[]
  if (isReadOnly) readOnly.push(...editable)
  else texts.editable.push(...editable)
  readOnly.push(others)
}

export function addText(text: string, editable: string[]): void {
  if (text !== '') editable.push(text)
}

/** Adds the texts of a message of any role that are not its content. */
export function addNames({ name, extra }: Pick<Message, 'name' | 'extra'>, readOnly: Gathered): void {
  if (name !== undefined) readOnly.push(name)
  if (extra !== undefined) readOnly.push(extra)
}

export function addPart(part: Part, editable: string[], readOnly: Gathered): void {
  if ('extra' in part && part.extra !== undefined) readOnly.push(part.extra)
  switch (part.type) {
    case 'text':
    case 'refusal':
      addText(part.text, editable)
      break
    case 'image':
      readOnly.push(readableText(part.url))
      if (part.detail !== undefined) readOnly.push(part.detail)
      break
    case 'file':
      if (part.data !== undefined) readOnly.push(readableFile(part.data))
      for (const name of [part.fileId, part.filename]) if (name !== undefined) readOnly.push(name)
      break
    case 'audio':
      // The data is audio in base64, so only the format is text.
      readOnly.push(part.format)
      break
    case 'document':
      for (const name of [part.title, part.searchSource]) if (name !== undefined) readOnly.push(name)
      addText(part.context ?? '', editable)
      for (const inner of partsOf(part.content)) addPart(inner, editable, readOnly)
      break
    case 'other':
      readOnly.push(part.value)
  }
}

function* addReadOnly(gathered: Gathered, { readOnly }: PromptTexts): Generator<void> {
  const lines = yield* linesOf(gathered)
  if (lines.length > 0) readOnly.push(lines.join('\n'))
  yield
}

function edited(text: string, replacement: Replacement): string {
  return editText(text, replacement.text(text))
}

/** The same messages with their replaceable texts replaced; a message without any stays the same object. */
export function replaceTexts(messages: readonly Message[], replacement: Replacement): Message[] {
  return messages.map(message => replaceMessage(message, replacement))
}

function replaceMessage(message: Message, replacement: Replacement): Message {
  if (message.role === 'assistant') return replaceAssistant(message, replacement)
  const content = replaceContent(message.content, replacement)
  return content === message.content ? message : { ...message, content }
}

function replaceAssistant(message: AssistantMessage, replacement: Replacement): AssistantMessage {
  const { content, toolCalls, refusal, reasoning, reasoningDetails } = message
  const isSigned = findSigned(reasoningDetails)
  return {
    ...message,
    content: content === null ? null : replaceContent(content, replacement),
    toolCalls: toolCalls.map(call => replaceArguments(call, replacement)),
    ...(refusal === undefined ? {} : { refusal: edited(refusal, replacement) }),
    ...(reasoning === undefined ? {} : { reasoning: edited(reasoning, replacement) }),
    reasoningDetails: reasoningDetails.map(detail => (isSigned(detail) ? detail : replaceDetail(detail, replacement))),
  }
}

function replaceArguments(call: ToolCall, replacement: Replacement): ToolCall {
  const text = editText(call.arguments, replacement.call(call.arguments))
  return text === call.arguments ? call : { ...call, arguments: text }
}

function replaceDetail(detail: ReasoningDetail, replacement: Replacement): ReasoningDetail {
  const { text, summary } = detail
  return {
    ...detail,
    ...(typeof text === 'string' ? { text: edited(text, replacement) } : {}),
    ...(typeof summary === 'string' ? { summary: edited(summary, replacement) } : {}),
  }
}

function replaceContent(content: Content, replacement: Replacement): Content {
  if (typeof content === 'string') return edited(content, replacement)
  let isChanged = false
  const parts = content.map(part => {
    const replaced = replacePart(part, replacement)
    isChanged ||= replaced !== part
    return replaced
  })
  return isChanged ? parts : content
}

function replacePart(part: Part, replacement: Replacement): Part {
  if (part.type === 'document') return replaceDocument(part, replacement)
  if (part.type !== 'text' && part.type !== 'refusal') return part
  const text = edited(part.text, replacement)
  return text === part.text ? part : { ...part, text }
}

function replaceDocument(part: DocumentPart, replacement: Replacement): DocumentPart {
  const content = replaceContent(part.content, replacement)
  const context = part.context === undefined ? undefined : edited(part.context, replacement)
  if (content === part.content && context === part.context) return part
  return { ...part, content, ...(context === undefined ? {} : { context }) }
}
