// The providers that Sallyport calls, one row each: how its API is addressed and which wire format it uses.

import type { Provider } from '../domain/provider.ts'
import { anthropic } from './anthropic.ts'
import { cohere } from './cohere.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import { anthropic as anthropicMessages } from './protocols/anthropic/anthropic.ts'
import { chatCompletions } from './protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openrouterDialect } from './protocols/chat/dialects.ts'
import { cohere as cohereChat } from './protocols/cohere/cohere.ts'
import { gemini } from './protocols/gemini/gemini.ts'
import type { Protocol } from './protocols/protocol.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

interface RegisteredProvider {
  adapter: ProviderAdapter
  protocol: Protocol
}

export const providerRegistry: Record<Provider, RegisteredProvider> = {
  openai: { adapter: openai, protocol: chatCompletions(openaiDialect) },
  anthropic: { adapter: anthropic, protocol: anthropicMessages },
  google: { adapter: google, protocol: gemini },
  openrouter: { adapter: openrouter, protocol: chatCompletions(openrouterDialect) },
  mistral: { adapter: mistral, protocol: chatCompletions(mistralDialect) },
  cohere: { adapter: cohere, protocol: cohereChat },
}
