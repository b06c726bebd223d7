// Prepares a prompt for a protocol of another wire format: unknown fields have no meaning there, and what cannot be
// left out without changing the question is refused.

import { withoutUnknownFields } from '../../domain/conversation/client-rules.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { WireFormat } from '../../domain/conversation/wire-format.ts'
import { Refusal } from '../../domain/errors.ts'

/** Fields that give a model more to work with. Without them, it would answer another question. */
const toolFields = ['mcp_servers', 'container']

/** Prompts of chat completions are returned as they are: their protocols know what each provider accepts of them. */
export function translatePrompt(prompt: Prompt, to: WireFormat): Prompt {
  if (prompt.format === to || prompt.format === 'chat-completions') return prompt
  const toolField = toolFields.find(name => isGiven(prompt.extra[name]))
  if (toolField !== undefined) {
    throw new Refusal('unsupported_tool', {
      message: `The model's provider does not take ${toolField}`,
      param: toolField,
    })
  }
  const [foreignTool] = prompt.otherTools
  if (foreignTool !== undefined) {
    const message = `The model's provider does not take tools of type ${String(foreignTool['type']).slice(0, 40)}`
    throw new Refusal('unsupported_tool', { message, param: 'tools' })
  }
  for (const { content } of prompt.messages) {
    if (content === null || typeof content === 'string') continue
    const unknown = content.find(part => part.type === 'other')
    if (unknown === undefined) continue
    const message = `The model's provider does not take content of type ${unknown.kind.slice(0, 40)}`
    throw new Refusal('invalid_request', { message, param: prompt.format === 'responses' ? 'input' : 'messages' })
  }
  return { ...withoutUnknownFields(prompt), extra: {}, source: null }
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : (value ?? null) !== null
}
