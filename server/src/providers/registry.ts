// All providers that the product speaks to. What a new one takes besides its line here: docs/providers.md.

import type { Provider } from '../domain/provider.ts'
import { anthropic } from './anthropic.ts'
import { cohere } from './cohere.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { ProviderAdapter } from './provider-adapter.ts'

export const providerAdapters: Record<Provider, ProviderAdapter> = {
  openai,
  anthropic,
  google,
  openrouter,
  mistral,
  cohere,
}
