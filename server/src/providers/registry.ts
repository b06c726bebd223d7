// All providers that the product speaks to. A new one is one file and one line here.

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
