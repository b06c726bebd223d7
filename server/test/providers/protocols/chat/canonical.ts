// What a body on the chat-completions wire says, for comparing a rendered prompt with a recorded request.

import type { JsonObject } from '../../../../src/domain/json-object.ts'
import type { Canonical, CanonicalTurn } from '../fixtures.ts'

interface ChatMessage {
  role: string
  content?: string | { type: string; text?: string }[] | null
  tool_calls?: { function: { name: string; arguments: string } }[] | null
}

interface ChatTool {
  function: { name: string; parameters?: { properties?: JsonObject } }
}

export function canonicaliseChat({ body }: { body: JsonObject }): Canonical {
  const messages = body['messages'] as ChatMessage[]
  const tools = (body['tools'] ?? []) as ChatTool[]
  const format = body['response_format'] as { type?: string } | undefined
  return {
    system: messages.filter(isInstruction).map(textOfMessage).join('\n\n'),
    turns: turnsOf(messages.filter(message => !isInstruction(message))),
    tools: tools.map(({ function: { name, parameters } }) => [name, Object.keys(parameters?.properties ?? {}).sort()]),
    tool_choice: choiceOf(body['tool_choice']),
    stream: body['stream'] === true,
    schema: format?.type === 'json_schema',
  }
}

function turnsOf(messages: ChatMessage[]): CanonicalTurn[] {
  const turns: CanonicalTurn[] = []
  for (const message of messages) {
    const role = message.role === 'tool' ? 'user' : message.role
    let turn = turns.at(-1)
    if (turn?.role !== role) {
      turn = { role, text: '', calls: [], results: [], images: 0, other: [] }
      turns.push(turn)
    }
    const text = textOfMessage(message)
    if (message.role === 'tool') turn.results.push(text)
    else turn.text += text
    for (const { function: called } of message.tool_calls ?? []) {
      turn.calls.push([called.name, JSON.parse(called.arguments || '{}')])
    }
    const parts = Array.isArray(message.content) ? message.content : []
    turn.images += parts.filter(({ type }) => type === 'image_url').length
    turn.other.push(...parts.flatMap(({ type }) => (type === 'text' || type === 'image_url' ? [] : [type])))
  }
  return turns
}

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

function textOfMessage({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map(({ text = '' }) => text).join('')
}

function choiceOf(choice: unknown): string | null {
  if (choice === 'any' || choice === 'required') return 'required'
  if (choice === 'none') return 'none'
  const named = (choice as { function?: { name?: string } } | undefined)?.function?.name
  return named === undefined ? null : `named:${named}`
}
