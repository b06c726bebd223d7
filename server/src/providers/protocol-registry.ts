// Which wire format each provider speaks.

import type { Provider } from '../domain/provider.ts'
import { anthropic } from './protocols/anthropic/anthropic.ts'
import { chatCompletions } from './protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from './protocols/chat/dialects.ts'
import { cohere } from './protocols/cohere/cohere.ts'
import { gemini } from './protocols/gemini/gemini.ts'
import type { Protocol } from './protocols/protocol.ts'

export const protocols: Record<Provider, Protocol> = {
  openai: chatCompletions(openaiDialect),
  anthropic,
  google: gemini,
  openrouter: chatCompletions(openrouterDialect),
  mistral: chatCompletions(mistralDialect),
  cohere,
}
