// A request body read by both stages of a surface.
import type { InferenceRequest } from '../../../src/domain/conversation/inference-request.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { chatCompletionsEndpoint } from '../../../src/surfaces/chat-completions/chat-completions.ts'

export function readCompletionRequest(body: unknown): InferenceRequest {
  return chatCompletionsEndpoint.estimate(body).read(defaultSettings('https://dashboard.example.com'))
}
