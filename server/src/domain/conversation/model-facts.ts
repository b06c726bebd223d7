// What a protocol needs to know about the model for which it renders a prompt: flags of the registry, never the
// model's name. Null means unknown: the protocol then does what most models accept.

import { isJsonObject, type JsonObject, ownValue, parseJson } from '../json-object.ts'

export interface ModelFacts {
  reasoning: boolean | null
  /** False if the model rejects sampling parameters. */
  temperature: boolean | null
  structuredOutput: boolean | null
  tools: boolean | null
  vision: boolean | null
  maxOutputTokens: number | null
  contextWindow: number | null
}

/** The columns of a registry row that are read here. */
interface ModelRow {
  /** JSON text. */
  capabilities: string
  context_window: number | null
  max_output_tokens: number | null
  supports_tool_use: number | null
  supports_vision: number | null
}

export function readModelFacts(row: ModelRow): ModelFacts {
  const parsed = parseJson(row.capabilities)
  const capabilities = isJsonObject(parsed) ? parsed : {}
  return {
    reasoning: readFlag(capabilities, 'reasoning'),
    temperature: readFlag(capabilities, 'temperature'),
    structuredOutput: readFlag(capabilities, 'structuredOutput'),
    tools: row.supports_tool_use === null ? null : row.supports_tool_use === 1,
    vision: row.supports_vision === null ? null : row.supports_vision === 1,
    maxOutputTokens: row.max_output_tokens,
    contextWindow: row.context_window,
  }
}

/** For a model that is not in the registry. */
export const unknownModelFacts: ModelFacts = {
  reasoning: null,
  temperature: null,
  structuredOutput: null,
  tools: null,
  vision: null,
  maxOutputTokens: null,
  contextWindow: null,
}

function readFlag(capabilities: JsonObject, name: string): boolean | null {
  const value = ownValue(capabilities, name)
  return typeof value === 'boolean' ? value : null
}
