// Writes tools, and which of them may or must be called, in Anthropic's format.

import type { Prompt, Tool } from '../../../domain/conversation/prompt.ts'
import { JsonText } from '../../../domain/json/json-text.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import type { AnthropicTraits } from './models.ts'
import { argumentsSchema, bindingSchema, schemaCosts } from './schema.ts'

/** A tool that stands in for structured output. */
export interface JsonTool {
  name: string
  description: string
  schema: JsonText
}

interface ToolFields {
  tools?: JsonObject[]
  tool_choice?: JsonObject
}

export function renderTools(prompt: Prompt, traits: AnthropicTraits, jsonTool: JsonTool | null): ToolFields {
  const isOwn = prompt.format === 'messages'
  const tools = writeTools(prompt.tools, traits, isOwn)
  if (isOwn) tools.push(...prompt.otherTools)
  if (jsonTool !== null) {
    const { name, description, schema } = jsonTool
    tools.push({ name, description, input_schema: argumentsSchema(schema) })
  }
  if (tools.length > 0) return omitAbsent({ tools, tool_choice: renderChoice(prompt, traits, jsonTool) })
  // The provider rejects calls in the history if no tool is declared.
  const called = new Set(
    prompt.messages.flatMap(message => (message.role === 'assistant' ? message.toolCalls : [])).map(({ name }) => name),
  )
  if (called.size === 0) return {}
  const declared = [...called].map(name => ({ name, input_schema: argumentsSchema(undefined) }))
  return { tools: declared, tool_choice: { type: 'none' } }
}

/** Whether the client forces a call of one of its tools. */
export function demandsCall({ tools, otherTools, toolChoice }: Prompt): boolean {
  return tools.length + otherTools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object')
}

/** An instruction to call a tool, for models that cannot be forced to. */
export function callHint({ toolChoice }: Prompt): string {
  return typeof toolChoice === 'object' ? `Answer by calling the tool ${toolChoice.name}.` : 'Answer by calling a tool.'
}

function renderChoice(
  { tools, toolChoice, parallelToolCalls }: Prompt,
  { forcedTools }: AnthropicTraits,
  jsonTool: JsonTool | null,
): JsonObject | undefined {
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}
  if (jsonTool !== null) {
    const isOnlyOne = tools.length === 0 || toolChoice === 'none'
    return isOnlyOne ? { type: 'tool', name: jsonTool.name } : { type: 'any', ...single }
  }
  if (toolChoice === 'none') return { type: 'none' }
  if (forcedTools && toolChoice === 'required') return { type: 'any', ...single }
  if (forcedTools && typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single }
  return toolChoice === undefined && parallelToolCalls !== false ? undefined : { type: 'auto', ...single }
}

/** Above these the provider does not compile the schemas of tools. */
const maxStrictTools = { tools: 20, optional: 24, unions: 16 }

function writeTools(tools: readonly Tool[], { structuredOutput }: AnthropicTraits, isOwn: boolean): JsonObject[] {
  const bound = tools.map(({ strict, parameters }) =>
    strict === true && structuredOutput ? bindingSchema(JsonText.of(argumentsSchema(parameters)).value) : null,
  )
  const strict = bound.filter(schema => schema !== null)
  const costs = strict.map(schemaCosts)
  const sum = (name: 'optional' | 'unions') => costs.reduce((total, cost) => total + cost[name], 0)
  const isSmall =
    strict.length <= maxStrictTools.tools &&
    sum('optional') <= maxStrictTools.optional &&
    sum('unions') <= maxStrictTools.unions
  return tools.map(({ name, description, parameters, extra }, index) => {
    const schema = isSmall ? bound[index] : null
    const written = { name, description, input_schema: schema ?? argumentsSchema(parameters), ...(isOwn ? extra : {}) }
    return omitAbsent<JsonObject>(schema ? { ...written, strict: true } : written)
  })
}
