// Writes a project's prompt into a request for a chat completion.

import { absentIn, type PromptForm } from '../prompt-form.ts'
import { refuseField } from '../request-fields.ts'

export const promptForm: PromptForm = {
  path: 'prompt',
  list: 'messages',
  free: new Set(['prompt', 'stream', 'stream_options', 'user', 'safety_identifier']),
  steps: ['prompt'],
  refuse: refuseField,
  write(own, { messages, model, params }) {
    const { max_tokens, ...others } = params
    const limit = (own['max_completion_tokens'] ?? null) === null ? { max_tokens } : {}
    return {
      messages: messages.map(({ role, content }) => ({ role, content })),
      members: { prompt: undefined, ...absentIn(own, { model, ...others, ...limit }) },
    }
  },
}
