// Checks a prompt as the management API gets it, and as a stored document has it.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import { isLongerThan, isStorable } from '../stored-text.ts'
import { checkParams } from './check-params.ts'
import { checkVariables } from './check-variables.ts'
import {
  type NamedTemplate,
  type PromptTemplate,
  promptLimits,
  promptNameForm,
  type TemplateMessage,
  templateRoles,
  variablesIn,
} from './template.ts'

export function checkPromptName(value: unknown): Checked<string> {
  return typeof value === 'string' && promptNameForm.test(value)
    ? accept(value)
    : refuse('name must begin with a letter or digit and have at most 64 of: A-Z, a-z, 0-9, ., _, -')
}

/** Returns the first error, whose message begins with the field's path. */
export function checkTemplate(value: JsonObject, isKnownModel: (modelId: string) => boolean): Checked<PromptTemplate> {
  const messages = checkMessages(ownValue(value, 'messages'))
  if (!messages.ok) return messages
  const variables = checkVariables(ownValue(value, 'variables') ?? {})
  if (!variables.ok) return variables
  const problem = findUndefined(messages.value, Object.keys(variables.value))
  if (problem !== null) return refuse(problem)
  const model = ownValue(value, 'model') ?? null
  if (model !== null && !(typeof model === 'string' && isKnownModel(model))) {
    return refuse('model must be a known model ID or null')
  }
  const params = checkParams(ownValue(value, 'params') ?? {})
  if (!params.ok) return params
  const template = { messages: messages.value, variables: variables.value, model, params: params.value }
  if (JSON.stringify(template).length <= promptLimits.templateCharacters) return accept(template)
  return refuse(
    `messages, variables and params must have at most ${promptLimits.templateCharacters} characters as JSON`,
  )
}

/** Null if it is invalid. A model needs only a valid syntax: it may have left the registry. */
export function parseNamedTemplate(value: unknown): NamedTemplate | null {
  if (!isJsonObject(value)) return null
  const name = checkPromptName(value['name'])
  const template = checkTemplate(value, isModelId)
  return name.ok && template.ok ? { name: name.value, ...template.value } : null
}

function checkMessages(value: unknown): Checked<TemplateMessage[]> {
  const { messages: max } = promptLimits
  if (!Array.isArray(value) || value.length === 0 || value.length > max) {
    return refuse(`messages must be an array of 1-${max} messages`)
  }
  const messages: TemplateMessage[] = []
  for (const [index, message] of value.entries()) {
    const outcome = checkMessage(message, `messages.${index}`)
    if (!outcome.ok) return outcome
    messages.push(outcome.value)
  }
  return accept(messages)
}

const messageFields = ['role', 'content']

function checkMessage(value: unknown, path: string): Checked<TemplateMessage> {
  if (!isJsonObject(value)) return refuse(`${path} must be an object`)
  const unknown = Object.keys(value).find(field => !messageFields.includes(field))
  if (unknown !== undefined) return refuse(`${path} has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  const { content } = value
  const role = templateRoles.find(known => known === value['role'])
  if (role === undefined) return refuse(`${path}.role must be one of: ${templateRoles.join(', ')}`)
  const { contentCharacters: max } = promptLimits
  if (typeof content !== 'string' || content === '' || isLongerThan(content, max) || !isStorable(content)) {
    return refuse(`${path}.content must be a text of 1-${max} characters`)
  }
  return accept({ role, content })
}

function findUndefined(messages: readonly TemplateMessage[], defined: readonly string[]): string | null {
  for (const [index, message] of messages.entries()) {
    const name = variablesIn(message).find(used => !defined.includes(used))
    if (name !== undefined) return `messages.${index}.content uses {{${name}}}, which variables must define`
  }
  return null
}
