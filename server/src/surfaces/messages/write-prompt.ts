// Writes a project's prompt into a request of the Messages format: instructions at its beginning are `system`, which
// precedes the request's own.

import { isJsonObject, type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import type { TemplateMessage, TemplateParams } from '../../domain/prompts/template.ts'
import { absentIn, type FilledPrompt, type PromptForm } from '../prompt-form.ts'
import { refuseField } from './fields.ts'

/** Every request of this format has a limit; this is the one where neither the prompt nor the project has one. */
const defaultMaxTokens = 4_096
const path = 'metadata.prompt'

export const promptForm: PromptForm = {
  path,
  list: 'messages',
  free: new Set(['metadata', 'stream']),
  steps: ['metadata', 'prompt'],
  refuse: refuseField,
  write(own, prompt) {
    const { messages, model, params } = prompt
    const first = messages.findIndex(message => !isInstruction(message))
    const leading = messages.slice(0, first === -1 ? messages.length : first)
    const members = { model, temperature: params.temperature, tools: params.tools?.map(writeTool) }
    return {
      messages: messages.slice(leading.length).map(writeMessage),
      members: {
        metadata: writeMetadata(own),
        ...writeSystem(leading, own),
        ...absentIn(own, { ...members, max_tokens: limitOf(prompt) }),
        ...writeFormat(own, params),
      },
    }
  },
}

function isInstruction({ role }: TemplateMessage): boolean {
  return role === 'system' || role === 'developer'
}

function writeMessage(message: TemplateMessage): JsonObject {
  return { role: isInstruction(message) ? 'system' : message.role, content: message.content }
}

/** Of what clients of this format say there, nothing else reaches a provider. */
function writeMetadata({ metadata }: JsonObject): JsonObject | undefined {
  const { prompt: _, ...others } = metadata as JsonObject
  return Object.keys(others).length === 0 ? undefined : others
}

function writeSystem(leading: readonly TemplateMessage[], own: JsonObject): JsonObject {
  const [only] = leading
  if (only === undefined) return {}
  const system = own['system'] ?? null
  if (leading.length === 1 && system === null) return { system: only.content }
  const blocks = leading.map(({ content }) => ({ type: 'text', text: content }))
  if (system === null) return { system: blocks }
  return { system: [...blocks, ...(Array.isArray(system) ? system : [{ type: 'text', text: system }])] }
}

function limitOf({ params, settings }: FilledPrompt): number {
  return params.max_tokens ?? settings.max_output_tokens ?? defaultMaxTokens
}

function writeTool(tool: JsonObject): JsonObject {
  const { name, description, parameters, strict } = tool['function'] as JsonObject
  const input_schema = parameters ?? { type: 'object', properties: {} }
  return omitAbsent<JsonObject>({
    name,
    description: description ?? undefined,
    input_schema,
    strict: strict ?? undefined,
  })
}

function writeFormat({ output_config: config }: JsonObject, { response_format: format }: TemplateParams): JsonObject {
  const own = isJsonObject(config) ? config : {}
  if (format === undefined || format['type'] === 'text' || (own['format'] ?? null) !== null) return {}
  const { json_schema: described } = format
  if (!isJsonObject(described)) refuseField(path, 'the prompt asks for json_object, which this format does not have')
  return { output_config: { ...own, format: { type: 'json_schema', schema: described['schema'] ?? {} } } }
}
