// Checks the params of a prompt, in the form of chat completions. Whether a schema is one that a provider takes is the
// provider's to say.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import { promptLimits, type TemplateParams } from './template.ts'

const formats = ['text', 'json_object', 'json_schema'] as const
const nameForm = /^[A-Za-z0-9_-]{1,64}$/
const nameWords = 'must have at most 64 of: A-Z, a-z, 0-9, _, -'

const checks: Record<keyof TemplateParams, (value: unknown, path: string) => string | null> = {
  temperature: (value, path) =>
    typeof value === 'number' && value >= 0 && value <= 2 ? null : `${path} must be a number 0-2`,
  max_tokens: (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= promptLimits.maxTokens
      ? null
      : `${path} must be an integer 1-${promptLimits.maxTokens}`,
  response_format: findFormatProblem,
  tools: findToolsProblem,
}
export const paramNames = Object.keys(checks) as readonly (keyof TemplateParams)[]

export function checkParams(value: unknown): Checked<TemplateParams> {
  if (!isJsonObject(value)) return refuse('params must be an object')
  const params: JsonObject = {}
  for (const [name, given] of Object.entries(value)) {
    const known = paramNames.find(one => one === name)
    if (known === undefined) return refuse(`params has an unknown field: ${name.slice(0, 100).toWellFormed()}`)
    if (given === null) continue
    const problem = checks[known](given, `params.${known}`)
    if (problem !== null) return refuse(problem)
    params[known] = given
  }
  return accept(params)
}

function findFormatProblem(value: unknown, path: string): string | null {
  if (!isJsonObject(value)) return `${path} must be an object`
  if (!formats.some(format => format === value['type'])) return `${path}.type must be one of: ${formats.join(', ')}`
  if (value['type'] !== 'json_schema') return findUnknown(value, path, ['type'])
  const { json_schema: described } = value
  if (!isJsonObject(described)) return `${path}.json_schema must be an object`
  return (
    findUnknown(value, path, ['type', 'json_schema']) ?? findPartProblem(described, `${path}.json_schema`, 'schema')
  )
}

function findToolsProblem(value: unknown, path: string): string | null {
  const { tools: max } = promptLimits
  if (!Array.isArray(value) || value.length === 0 || value.length > max)
    return `${path} must be an array of 1-${max} tools`
  for (const [index, tool] of value.entries()) {
    const at = `${path}.${index}`
    if (!isJsonObject(tool)) return `${at} must be an object`
    if (tool['type'] !== 'function') return `${at}.type must be function`
    const { function: described } = tool
    if (!isJsonObject(described)) return `${at}.function must be an object`
    const problem =
      findUnknown(tool, at, ['type', 'function']) ?? findPartProblem(described, `${at}.function`, 'parameters')
    if (problem !== null) return problem
  }
  return null
}

/** A function, or the schema of an answer: both have a name and a schema, which is called `schema`. */
function findPartProblem(value: JsonObject, path: string, schema: string): string | null {
  const { name, description, strict } = value
  if (typeof name !== 'string' || !nameForm.test(name)) return `${path}.name ${nameWords}`
  if ((description ?? null) !== null && typeof description !== 'string') return `${path}.description must be a string`
  if ((strict ?? null) !== null && typeof strict !== 'boolean') return `${path}.strict must be a boolean`
  const described = value[schema] ?? null
  if (described !== null && !isJsonObject(described)) return `${path}.${schema} must be an object`
  return findUnknown(value, path, ['name', 'description', 'strict', schema])
}

function findUnknown(value: JsonObject, path: string, known: readonly string[]): string | null {
  const unknown = Object.keys(value).find(field => !known.includes(field))
  return unknown === undefined ? null : `${path} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`
}
