// Reads one message of an Anthropic request into the prompt's own form: tool results become messages of their own. The
// order of an assistant's blocks is kept, because the provider checks it.

import { redactedThinking, signedThinking } from '../../domain/conversation/claude-reasoning.ts'
import type {
  AssistantMessage,
  BlockKind,
  Message,
  Part,
  ToolCall,
  ToolMessage,
} from '../../domain/conversation/prompt.ts'
import { JsonText } from '../../domain/json/json-text.ts'
import { type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import { findField, findOthers } from '../request-fields.ts'
import type { TurnFrame } from './estimate-request.ts'
import { findFlag, findText, getObject, getText, refuseField } from './fields.ts'
import { kindOf, readContent, readPart, readTexts } from './read-content.ts'

const messageFields = new Set(['role', 'content'])
const callFields = new Set(['type', 'id', 'name', 'input'])
const resultFields = new Set(['type', 'tool_use_id', 'content', 'is_error'])

export function readMessage(message: TurnFrame, path: string): Message[] {
  const extra = findOthers(message, messageFields)
  const { role, content } = message
  if (role === 'system') return [omitAbsent<Message>({ role, content: readTexts(content, `${path}.content`), extra })]
  if (role === 'assistant') return [readAssistant(content, extra, `${path}.content`)]
  if (typeof content === 'string') return [omitAbsent<Message>({ role, content, extra })]
  return readUser(content, extra, `${path}.content`)
}

/** Results and other blocks in their order: a message for each result, and one for the blocks between two results. */
function readUser(content: readonly unknown[], extra: JsonObject | undefined, path: string): Message[] {
  const messages: Message[] = []
  let parts: Part[] | null = null
  for (const [index, value] of content.entries()) {
    const [kind, block] = kindOf(value, `${path}.${index}`)
    if (kind === 'tool_result') {
      messages.push(readResult(block, `${path}.${index}`))
      parts = null
      continue
    }
    if (parts === null) {
      parts = []
      messages.push(omitAbsent<Message>({ role: 'user', content: parts, extra }))
    }
    parts.push(readPart(value, `${path}.${index}`))
  }
  return messages
}

function readResult(block: JsonObject, path: string): ToolMessage {
  const content = findField(block, 'content')
  return omitAbsent<ToolMessage>({
    role: 'tool',
    toolCallId: getText(block, 'tool_use_id', path),
    content: content === undefined ? '' : readContent(content, `${path}.content`),
    isError: findFlag(block, 'is_error', path),
    extra: findOthers(block, resultFields),
  })
}

function readAssistant(content: TurnFrame['content'], extra: JsonObject | undefined, path: string): AssistantMessage {
  const message: AssistantMessage = { role: 'assistant', content: null, toolCalls: [], reasoningDetails: [] }
  if (extra !== undefined) message.extra = extra
  if (typeof content === 'string') return { ...message, content }
  const parts: Part[] = []
  const order: BlockKind[] = []
  for (const [index, value] of content.entries()) {
    const kind = addBlock(value, `${path}.${index}`, { message, parts, index })
    if (kind !== null) order.push(kind)
  }
  if (parts.length > 0) message.content = parts
  if (!isUsual(order)) message.order = order
  return message
}

interface AssistantBlocks {
  message: AssistantMessage
  parts: Part[]
  index: number
}

/** Null for thinking without a signature: it is readable text, but no provider takes it back. */
function addBlock(value: unknown, path: string, { message, parts, index }: AssistantBlocks): BlockKind | null {
  const [kind, block] = kindOf(value, path)
  switch (kind) {
    case 'tool_use':
      message.toolCalls.push(readCall(block, path))
      return 'call'
    case 'thinking': {
      const text = getText(block, 'thinking', path)
      const signature = findText(block, 'signature', path) ?? ''
      if (signature !== '') {
        message.reasoningDetails.push(signedThinking({ text, signature }, index))
        return 'reasoning'
      }
      if (text !== '') message.reasoning = (message.reasoning ?? '') + text
      return null
    }
    case 'redacted_thinking':
      message.reasoningDetails.push(redactedThinking(getText(block, 'data', path), index))
      return 'reasoning'
    case 'tool_result':
      return refuseField(path, '`tool_result` blocks can only be in `user` messages')
    default:
      parts.push(readPart(value, path))
      return 'part'
  }
}

function readCall(block: JsonObject, path: string): ToolCall {
  return omitAbsent<ToolCall>({
    id: getText(block, 'id', path),
    name: getText(block, 'name', path),
    arguments: JsonText.of(getObject(findField(block, 'input'), `${path}.input`)).text,
    extra: findOthers(block, callFields),
  })
}

const usualOrder: readonly BlockKind[] = ['reasoning', 'part', 'call']

function isUsual(order: readonly BlockKind[]): boolean {
  return order.every((kind, index) => index === 0 || usualOrder.indexOf(order[index - 1]!) <= usualOrder.indexOf(kind))
}
