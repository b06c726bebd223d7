// Writes a project's prompt into a request for a response.

import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { TemplateParams } from '../../domain/prompts/template.ts'
import { absentIn, type PromptForm } from '../prompt-form.ts'
import { refuseField } from '../request-fields.ts'

export const promptForm: PromptForm = {
  path: 'prompt',
  list: 'input',
  free: new Set([
    'prompt',
    'stream',
    'stream_options',
    'store',
    'previous_response_id',
    'metadata',
    'user',
    'safety_identifier',
  ]),
  steps: ['prompt'],
  refuse: refuseField,
  write(own, { messages, model, params }) {
    const { temperature, max_tokens: max_output_tokens, tools } = params
    const members = { model, temperature, max_output_tokens, tools: tools?.map(writeTool) }
    return {
      messages: messages.map(({ role, content }) => ({ role, content })),
      members: { prompt: undefined, ...absentIn(own, members), ...writeFormat(own, params) },
    }
  },
}

function writeTool(tool: JsonObject): JsonObject {
  return { type: 'function', ...(tool['function'] as JsonObject) }
}

/** `text` also has members that are the request's own. */
function writeFormat({ text }: JsonObject, { response_format: format }: TemplateParams): JsonObject {
  const own = isJsonObject(text) ? text : {}
  if (format === undefined || (own['format'] ?? null) !== null) return {}
  const { type, json_schema: described } = format
  return { text: { ...own, format: { type, ...(isJsonObject(described) ? described : {}) } } }
}
