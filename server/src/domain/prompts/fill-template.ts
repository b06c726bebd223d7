// Puts the values of a request into the messages of a prompt. A value is text and nothing else: references in it stay
// as they are.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts'
import { isLongerThan } from '../stored-text.ts'
import { type PromptTemplate, promptLimits, splitContent, type TemplateMessage, type VariableRule } from './template.ts'

/** A text that the client gave as a variable. */
export interface GivenText {
  name: string
  text: string
}

export interface FilledTemplate {
  messages: TemplateMessage[]
  /** Texts that are the client's own; numbers and values of a list cannot say anything. */
  texts: GivenText[]
}

/** `path` is where the request has the values; messages of errors begin with it. */
export function fillTemplate(template: PromptTemplate, given: unknown, path: string): Checked<FilledTemplate> {
  const values = given ?? {}
  if (!isJsonObject(values)) return refuse(`${path} must be an object`)
  const rules = template.variables
  const unknown = Object.keys(values).find(name => !Object.hasOwn(rules, name))
  if (unknown !== undefined) return refuse(`${path} has an unknown variable: ${unknown.slice(0, 64).toWellFormed()}`)
  const filling = new Map<string, string>()
  const texts: GivenText[] = []
  for (const [name, rule] of Object.entries(rules)) {
    const outcome = readValue(values, name, rule, `${path}.${name}`)
    if (!outcome.ok) return outcome
    filling.set(name, outcome.value)
    if (rule.type === 'string' && outcome.value !== '') texts.push({ name, text: outcome.value })
  }
  return fill(template.messages, filling, texts, path)
}

function fill(
  messages: readonly TemplateMessage[],
  filling: ReadonlyMap<string, string>,
  texts: GivenText[],
  path: string,
): Checked<FilledTemplate> {
  const pieces = messages.map(({ content }) =>
    splitContent(content).map((piece, at) => (at % 2 === 0 ? piece : (filling.get(piece) ?? ''))),
  )
  // Counted before the texts are joined: the values may stand in them thousands of times.
  const length = pieces.flat().reduce((sum, piece) => sum + piece.length, 0)
  const { filledCharacters: max } = promptLimits
  if (length > max) return refuse(`${path} must not make the prompt longer than ${max} characters`)
  return accept({ messages: messages.map(({ role }, at) => ({ role, content: pieces[at]?.join('') ?? '' })), texts })
}

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const maxDigits = 64

function readValue(values: JsonObject, name: string, rule: VariableRule, path: string): Checked<string> {
  const value = readText(ownValue(values, name) ?? null)
  if (value === null) return rule.required ? refuse(`${path} is required`) : accept('')
  switch (rule.type) {
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value)) return accept(String(value))
      return typeof value === 'string' && value.length <= maxDigits && numberForm.test(value)
        ? accept(value)
        : refuse(`${path} must be a number`)
    case 'enum':
      return typeof value === 'string' && rule.values.includes(value)
        ? accept(value)
        : refuse(`${path} must be one of: ${rule.values.join(', ').slice(0, 500).toWellFormed()}`)
    case 'string':
      return typeof value === 'string' && !isLongerThan(value, rule.max_length)
        ? accept(value)
        : refuse(`${path} must be a string of at most ${rule.max_length} characters`)
  }
}

/** OpenAI's clients may give a text as a part of an input. */
function readText(value: unknown): unknown {
  return isJsonObject(value) && value['type'] === 'input_text' ? value['text'] : value
}
