// Azure OpenAI's form of chat completions: below a deployment, with content filters of its own.

import type { Protocol } from '../protocol.ts'
import { chatCompletions } from './chat-completions.ts'
import { azureDialect } from './dialects.ts'

const chat = chatCompletions(azureDialect)

export const azureChat: Protocol = {
  ...chat,
  render(prompt, target) {
    const request = chat.render(prompt, target)
    return { ...request, path: ['deployments', target.model, ...request.path] }
  },
  readError(answer) {
    const error = chat.readError(answer)
    // The name of the field in Azure's older completions.
    return error.param === 'prompt' ? { ...error, param: 'messages' } : error
  },
}
