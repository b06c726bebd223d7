// A prompt as the text of a form's control, and back. The API checks what the JSON says.
import type { Prompt, PromptBody } from './queries.ts'

const example: PromptBody = {
  messages: [{ role: 'system', content: 'You teach {{topic}}.' }],
  variables: { topic: { type: 'string', max_length: 100 } },
}

export function toPromptText(prompt: Prompt | undefined): string {
  if (prompt === undefined) return JSON.stringify(example, null, 2)
  const { messages, variables, model, params } = prompt
  return JSON.stringify({ messages, variables, model, params }, null, 2)
}

export function fromPromptText(text: string): PromptBody {
  try {
    return JSON.parse(text) as PromptBody
  } catch {
    throw new Error('This is not JSON.')
  }
}

/** What a preview shows of a prompt. */
export interface ShownPrompt {
  messages: readonly { role: string; content: string }[]
  variables: Readonly<Record<string, ShownVariable>>
}

export interface ShownVariable {
  type: string
  values: readonly string[]
  isRequired: boolean
}

/** Null if there is nothing to show: the text may be half written. */
export function readShown(text: string): ShownPrompt | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read) || !Array.isArray(read['messages'])) return null
    const messages = read['messages'].filter(isObject).map(({ role, content }) => ({
      role: String(role),
      content: typeof content === 'string' ? content : '',
    }))
    return { messages, variables: isObject(read['variables']) ? shownVariables(read['variables']) : {} }
  } catch {
    return null
  }
}

export function shownVariables(variables: Record<string, unknown>): Record<string, ShownVariable> {
  const shown = Object.entries(variables).flatMap(([name, rule]): [string, ShownVariable][] => {
    if (!isObject(rule)) return []
    const values = Array.isArray(rule['values']) ? rule['values'].map(String) : []
    return [[name, { type: String(rule['type']), values, isRequired: rule['required'] !== false }]]
  })
  return Object.fromEntries(shown)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As the server reads them. */
const reference = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/

/** A part of a message: a text, or the variable that stands there. */
interface ContentPart {
  text: string
  variable: string | null
}

export function splitContent(content: string): ContentPart[] {
  return content.split(reference).map((text, at) => ({ text, variable: at % 2 === 1 ? text : null }))
}
