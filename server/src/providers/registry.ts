// The providers that Sallyport calls, one row each: how its API is addressed and which wire formats it
// uses.

import type { OperationName } from '../domain/conversation/operations.ts'
import type { WireFormat } from '../domain/conversation/wire-format.ts'
import { type Cloud, type Provider, type ProviderSlug, providerKindOf } from '../domain/provider.ts'
import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import { cohere } from './cohere.ts'
import { custom } from './custom.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import { anthropicCount, anthropic as anthropicMessages } from './protocols/anthropic/anthropic.ts'
import { bedrock as converse } from './protocols/bedrock/bedrock.ts'
import { azureChat } from './protocols/chat/azure.ts'
import { chatCompletions } from './protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect, openaiLikeDialect, openrouterDialect } from './protocols/chat/dialects.ts'
import { cohere as cohereChat } from './protocols/cohere/cohere.ts'
import { cohereEmbeddings } from './protocols/embeddings/cohere-embeddings.ts'
import { geminiEmbeddings } from './protocols/embeddings/gemini-embeddings.ts'
import {
  embeddings,
  mistralEmbeddings,
  openaiEmbeddings,
  openaiLikeEmbeddings,
  openrouterEmbeddings,
} from './protocols/embeddings/openai-embeddings.ts'
import { gemini, geminiCount } from './protocols/gemini/gemini.ts'
import type { Protocol } from './protocols/protocol.ts'
import { responses } from './protocols/responses/responses.ts'
import { findVertexProtocol, vertexGemini } from './protocols/vertex.ts'
import type { CallAdapter, ProviderAdapter } from './provider-adapter.ts'
import { vertex } from './vertex.ts'

interface RegisteredProvider<Adapter extends CallAdapter = CallAdapter> {
  adapter: Adapter
  /** What it can do, and in which formats. */
  protocols: { generate: ProtocolChoice } & Partial<Record<OperationName, ProtocolChoice>>
}

/** A function chooses by the model, and by the format of the prompt. */
type ProtocolChoice = Protocol | ((model: string, format: WireFormat) => Protocol)

const openaiChat = chatCompletions(openaiDialect)

export const providerRegistry: Record<Provider | 'custom', RegisteredProvider<ProviderAdapter>> &
  Record<Cloud, RegisteredProvider> = {
  openai: {
    adapter: openai,
    protocols: {
      generate: (_model, format) => (format === responses.wireFormat ? responses : openaiChat),
      embed: embeddings(openaiEmbeddings),
    },
  },
  anthropic: { adapter: anthropic, protocols: { generate: anthropicMessages, count: anthropicCount } },
  google: { adapter: google, protocols: { generate: gemini, count: geminiCount, embed: geminiEmbeddings } },
  openrouter: {
    adapter: openrouter,
    protocols: { generate: chatCompletions(openrouterDialect), embed: embeddings(openrouterEmbeddings) },
  },
  mistral: {
    adapter: mistral,
    protocols: { generate: chatCompletions(mistralDialect), embed: embeddings(mistralEmbeddings) },
  },
  cohere: { adapter: cohere, protocols: { generate: cohereChat, embed: cohereEmbeddings } },
  azure: { adapter: azure, protocols: { generate: azureChat } },
  bedrock: { adapter: bedrock, protocols: { generate: converse } },
  vertex: { adapter: vertex, protocols: { generate: model => findVertexProtocol(model) ?? vertexGemini } },
  custom: {
    adapter: custom,
    protocols: { generate: chatCompletions(openaiLikeDialect), embed: embeddings(openaiLikeEmbeddings) },
  },
}

export function adapterOf(provider: ProviderSlug): CallAdapter {
  return providerRegistry[providerKindOf(provider)].adapter
}

/** Null if the provider does not do this. */
export function findProtocol(
  { provider, model }: { provider: ProviderSlug; model: string },
  operation: OperationName,
  format: WireFormat,
): Protocol | null {
  const { protocols }: RegisteredProvider = providerRegistry[providerKindOf(provider)]
  const choice = protocols[operation]
  return typeof choice === 'function' ? choice(model, format) : (choice ?? null)
}
