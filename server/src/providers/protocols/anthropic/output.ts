// Chooses how a model is made to answer in JSON: bound to the schema, by a tool whose arguments are the answer, or by
// an instruction.

import type { Prompt } from '../../../domain/conversation/prompt.ts'
import type { JsonObject } from '../../../domain/json-object.ts'
import { jsonInstruction } from '../json-instruction.ts'
import type { AnthropicTraits } from './models.ts'
import { bindingSchema } from './schema.ts'
import { demandsCall, type JsonTool } from './tools.ts'

export interface OutputPlan {
  format: JsonObject | null
  tool: JsonTool | null
  hint: string | null
}

export function planOutput(prompt: Prompt, { structuredOutput, forcedTools }: AnthropicTraits): OutputPlan {
  const { responseFormat } = prompt
  const none: OutputPlan = { format: null, tool: null, hint: null }
  // A call is forced, so there is no text to format.
  if (responseFormat === undefined || responseFormat.type === 'text' || demandsCall(prompt)) return none
  if (responseFormat.type === 'json') return { ...none, hint: jsonInstruction(responseFormat) }
  const { schema, description } = responseFormat
  if (schema.isEmpty) return { ...none, hint: jsonInstruction({ type: 'json' }) }
  const bound = structuredOutput ? bindingSchema(schema.value) : null
  if (bound !== null) return { ...none, format: { type: 'json_schema', schema: bound } }
  if (forcedTools && schema.value['type'] === 'object') {
    const purpose = 'Gives the final answer, once no other tool is needed.'
    return {
      ...none,
      tool: { name: freeName(prompt), description: [description ?? [], purpose].flat().join('\n'), schema },
    }
  }
  return { ...none, hint: jsonInstruction(responseFormat) }
}

function freeName({ tools }: Prompt): string {
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json_output'
  for (let count = 2; taken.has(name); count++) name = `json_output_${count}`
  return name
}
