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
