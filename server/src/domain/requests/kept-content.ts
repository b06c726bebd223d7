// What the request log keeps of a request's text, where a project wants it: the messages as the provider got them, and
// the answer before masked values are restored. Images and files are kept by their type and size.

import type { AssistantMessage, Content, Message, Part } from '../conversation/prompt.ts'

export interface KeptContent {
  messages: KeptMessage[]
  /** Older messages that were too long to be kept with the others. */
  left_out: number
  /** Null if there was none, or none that is text. */
  answer: KeptMessage | null
}

interface KeptMessage {
  role: string
  content: KeptPart[]
  tool_calls?: { id: string; name: string; arguments: string }[]
  tool_call_id?: string
}

type KeptPart = { type: string; text: string } | { type: string; bytes: number }

/** In UTF-16 units, of all messages of a request. */
const maxLength = 4_000_000

/** The newest messages that fit. */
export function keepMessages(messages: readonly Message[]): Pick<KeptContent, 'messages' | 'left_out'> {
  const kept: KeptMessage[] = []
  let left = maxLength
  for (const message of messages.toReversed()) {
    const next = keepMessage(message)
    left -= lengthOf(next)
    if (left < 0) break
    kept.push(next)
  }
  return { messages: kept.reverse(), left_out: messages.length - kept.length }
}

export function keepAnswer(answer: AssistantMessage): KeptMessage | null {
  const kept = keepMessage(answer)
  if (answer.refusal !== undefined) kept.content.push({ type: 'refusal', text: answer.refusal })
  const isEmpty = kept.content.length === 0 && kept.tool_calls === undefined
  return isEmpty || lengthOf(kept) > maxLength ? null : kept
}

function keepMessage(message: Message): KeptMessage {
  const kept: KeptMessage = { role: message.role, content: keepParts(message.content) }
  if (message.role === 'tool') kept.tool_call_id = message.toolCallId
  if (message.role === 'assistant' && message.toolCalls.length > 0) {
    kept.tool_calls = message.toolCalls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }))
  }
  return kept
}

function keepParts(content: Content | null): KeptPart[] {
  if (content === null || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.flatMap(keepPart)
}

function keepPart(part: Part): KeptPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'refusal':
      return [{ type: 'refusal', text: part.text }]
    case 'document':
      return keepParts(part.content)
    case 'image':
      return [{ type: 'image', bytes: part.url.length }]
    case 'audio':
      return [{ type: 'audio', bytes: part.data.length }]
    case 'file':
      return [{ type: 'file', bytes: part.data?.length ?? 0 }]
    default:
      return [{ type: part.kind, bytes: 0 }]
  }
}

function lengthOf({ content, tool_calls: calls = [] }: KeptMessage): number {
  const ofParts = content.reduce((length, part) => length + ('text' in part ? part.text.length : 0), 0)
  return calls.reduce((length, call) => length + call.arguments.length, ofParts)
}
