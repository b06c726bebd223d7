// Reads the tools of a request and the choice among them. Tools that are not functions are kept as they are.

import type { Tool, ToolChoice } from '../../domain/conversation/prompt.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../domain/json-object.ts'
import {
  findField,
  findFlag,
  findList,
  findOthers,
  findSchema,
  findText,
  getObject,
  getText,
  refuseField,
} from '../request-fields.ts'

interface ReadTools {
  tools: Tool[]
  otherTools: JsonObject[]
  toolChoice?: ToolChoice
  /** A choice that only OpenAI knows, unchanged. */
  foreignChoice?: JsonObject
}

const knownToolFields = new Set(['type', 'name', 'description', 'parameters', 'strict'])
const choices = ['auto', 'none', 'required'] as const

export function readTools(body: JsonObject): ReadTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [index, value] of (findList(body, 'tools', 'tools') ?? []).entries()) {
    const path = `tools[${index}]`
    const tool = getObject(value, path)
    if (getText(tool, 'type', `${path}.type`) === 'function') tools.push(readFunction(tool, path))
    else otherTools.push(tool)
  }
  return chooseTools(findField(body, 'tool_choice'), { tools, otherTools })
}

function readFunction(tool: JsonObject, path: string): Tool {
  return omitAbsent<Tool>({
    name: getText(tool, 'name', `${path}.name`),
    description: findText(tool, 'description', `${path}.description`),
    parameters: findSchema(tool, 'parameters', `${path}.parameters`),
    strict: findFlag(tool, 'strict', `${path}.strict`),
    extra: findOthers(tool, knownToolFields),
  })
}

function chooseTools(choice: unknown, read: ReadTools): ReadTools {
  if (choice === undefined) return read
  const word = choices.find(one => one === choice)
  if (word !== undefined) return { ...read, toolChoice: word }
  const wanted = getObject(choice, 'tool_choice')
  const type = getText(wanted, 'type', 'tool_choice.type')
  if (type === 'function') return { ...read, toolChoice: { name: getText(wanted, 'name', 'tool_choice.name') } }
  return type === 'allowed_tools' ? allowTools(wanted, read) : { ...read, foreignChoice: wanted }
}

/** A list of allowed functions is the same as a request with only these. */
function allowTools(wanted: JsonObject, read: ReadTools): ReadTools {
  const mode = findText(wanted, 'mode', 'tool_choice.mode') ?? 'auto'
  if (mode !== 'auto' && mode !== 'required') refuseField('tool_choice.mode', 'must be one of: auto, required')
  const allowed = findList(wanted, 'tools', 'tool_choice.tools') ?? refuseField('tool_choice.tools', 'is required')
  const isFunction = (tool: unknown): tool is JsonObject => isJsonObject(tool) && tool['type'] === 'function'
  if (!allowed.every(isFunction)) return { ...read, foreignChoice: wanted }
  const names = new Set(allowed.map(({ name }) => name))
  return { tools: read.tools.filter(({ name }) => names.has(name)), otherTools: [], toolChoice: mode }
}
