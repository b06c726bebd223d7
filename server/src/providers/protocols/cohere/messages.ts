// Writes the messages of a prompt in Cohere's format: one system message first, no text beside calls, and results right
// after their calls.

import {
  type AssistantMessage,
  type Content,
  type DocumentPart,
  type Message,
  type Part,
  partsOf,
  partsOfDocument,
  textOf,
} from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { type Exchange, exchangesOf, type NonModelMessage, splitInstructions } from '../tool-exchanges.ts'

/** `instruction` is added to the client's own. */
export function renderMessages(messages: readonly Message[], instruction: string | null): JsonObject[] {
  const { leading, rest } = splitInstructions(messages)
  const instructions = leading.map(({ content }) => textOf(content, '\n')).filter(text => text.trim() !== '')
  const written = exchangesOf(rest).flatMap(({ results, others, turn }) => [
    ...results.map(writeResult),
    ...results.flatMap(({ message }) => writeUser(mediaOf(message?.content ?? null))),
    ...others.flatMap(writeReply),
    ...(turn === null ? [] : writeAssistant(turn)),
  ])
  // If the prompt has only instructions, the last one becomes the user's message.
  if (written.length === 0) written.push({ role: 'user', content: instructions.pop() ?? '' })
  if (instruction !== null) instructions.push(instruction)
  const system = instructions.length === 0 ? [] : [{ role: 'system', content: instructions.join('\n\n') }]
  return [...system, ...written]
}

function writeAssistant({ content, refusal, reasoning, toolCalls }: AssistantMessage): JsonObject[] {
  const text = partsOf(content)
    .flatMap(part => (part.type === 'text' || part.type === 'refusal' ? [part.text] : []))
    .join('')
  const said = text || refusal || ''
  if (toolCalls.length === 0) return said === '' ? [] : [{ role: 'assistant', content: said }]
  const calls = toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args.trim() === '' ? '{}' : args },
  }))
  return [omitAbsent({ role: 'assistant', tool_calls: calls, tool_plan: said || reasoning || undefined })]
}

function writeResult({ call, message }: Exchange['results'][number]): JsonObject {
  const content = message === null ? 'No result.' : textOf(message.content, '\n')
  return { role: 'tool', tool_call_id: call.id, content }
}

function writeReply(reply: NonModelMessage): JsonObject[] {
  switch (reply.role) {
    case 'user':
      return writeUser(reply.content)
    case 'tool':
      // A result whose call is no longer in the conversation.
      return writeUser([{ type: 'text', text: 'The result of a tool:\n' }, ...partsOf(reply.content)])
    default:
      // Stays in place as a user message: moved to the front, a late instruction would apply to earlier messages.
      return writeUser(reply.content)
  }
}

function writeUser(content: Content): JsonObject[] {
  const parts = withoutDocuments(content).filter(part => part.type !== 'text' || part.text !== '')
  if (parts.length === 0) return []
  return [{ role: 'user', content: typeof content === 'string' ? content : parts.map(writePart) }]
}

function withoutDocuments(content: Content | null): PlainPart[] {
  return partsOf(content).flatMap(part => (part.type === 'document' ? withoutDocuments(partsOfDocument(part)) : [part]))
}

type PlainPart = Exclude<Part, DocumentPart>

function writePart(part: PlainPart): JsonObject {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text }
    case 'image':
      return { type: 'image_url', image_url: omitAbsent({ url: part.url, detail: part.detail }) }
    case 'file':
    case 'audio':
      return refusePart(part.type)
    case 'other':
      return refusePart(part.kind.slice(0, 40))
  }
}

function mediaOf(content: Content | null): Part[] {
  return withoutDocuments(content).filter(({ type }) => type !== 'text')
}

function refusePart(kind: string): never {
  throw new Refusal('invalid_request', {
    message: `The model's provider does not take content of type ${kind}`,
    param: 'messages',
  })
}
