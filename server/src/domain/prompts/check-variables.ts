// Checks the variables of a prompt and fills in what is absent: a stored variable says all about itself.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import { isLongerThan, isStorable } from '../stored-text.ts'
import { type PromptTemplate, promptLimits, type VariableRule, variableNameForm, variableTypes } from './template.ts'

/** The fields of each type besides `type` and `required`. */
const fieldsOf = { string: ['max_length'], number: [], enum: ['values'] } as const

export function checkVariables(value: unknown): Checked<PromptTemplate['variables']> {
  if (!isJsonObject(value)) return refuse('variables must be an object')
  const { variables: max } = promptLimits
  const entries = Object.entries(value)
  if (entries.length > max) return refuse(`variables must have at most ${max} names`)
  const variables: PromptTemplate['variables'] = {}
  for (const [name, given] of entries) {
    if (!variableNameForm.test(name) || name === '__proto__') {
      return refuse('variables must have names that begin with a letter or _ and have at most 64 of: A-Z, a-z, 0-9, _')
    }
    const outcome = checkVariable(given, `variables.${name}`)
    if (!outcome.ok) return outcome
    variables[name] = outcome.value
  }
  return accept(variables)
}

function checkVariable(value: unknown, path: string): Checked<VariableRule> {
  if (!isJsonObject(value)) return refuse(`${path} must be an object`)
  const type = variableTypes.find(known => known === value['type'])
  if (type === undefined) return refuse(`${path}.type must be one of: ${variableTypes.join(', ')}`)
  const known: readonly string[] = ['type', 'required', ...fieldsOf[type]]
  const unknown = Object.keys(value).find(field => !known.includes(field))
  if (unknown !== undefined) {
    return refuse(`${path} has a field that type ${type} does not have: ${unknown.slice(0, 100).toWellFormed()}`)
  }
  const { required = true } = value
  if (typeof required !== 'boolean') return refuse(`${path}.required must be a boolean`)
  if (type === 'number') return accept({ type, required })
  return type === 'string' ? checkText(value, path, required) : checkEnum(value, path, required)
}

function checkText(value: JsonObject, path: string, required: boolean): Checked<VariableRule> {
  const { textCharacters: max, defaultTextCharacters } = promptLimits
  const { max_length = defaultTextCharacters } = value
  const isValid = typeof max_length === 'number' && Number.isInteger(max_length) && max_length >= 1 && max_length <= max
  return isValid
    ? accept({ type: 'string', max_length, required })
    : refuse(`${path}.max_length must be an integer 1-${max}`)
}

function checkEnum({ values }: JsonObject, path: string, required: boolean): Checked<VariableRule> {
  const { enumValues, enumCharacters } = promptLimits
  const isText = (one: unknown) => typeof one === 'string' && !isLongerThan(one, enumCharacters) && isStorable(one)
  const isList = Array.isArray(values) && values.length >= 1 && values.length <= enumValues && values.every(isText)
  return isList
    ? accept({ type: 'enum', values: [...new Set(values as string[])], required })
    : refuse(`${path}.values must be an array of 1-${enumValues} texts of at most ${enumCharacters} characters`)
}
