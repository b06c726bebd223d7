// The providers that Sallyport calls, one row each: how its API is addressed and which wire formats it
// uses.

import type { Operation } from '../domain/conversation/endpoint.ts'
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
import { gemini } from './protocols/gemini/gemini.ts'
import type { Protocol } from './protocols/protocol.ts'
import { responses } from './protocols/responses/responses.ts'
import { findVertexProtocol, vertexGemini } from './protocols/vertex.ts'
import type { CallAdapter, ProviderAdapter } from './provider-adapter.ts'
import { vertex } from './vertex.ts'

interface RegisteredProvider<Adapter extends CallAdapter = CallAdapter> {
  adapter: Adapter
  /** Generates answers to prompts of any format. */
  protocol: Protocol
  /** Generates them in place of `protocol` for models that need another one. */
  protocolOf?(model: string): Protocol | null
  /** Generates answers to prompts of their own format, in place of `protocol`. */
  native?: Partial<Record<WireFormat, Protocol>>
  /** Counts the tokens of a prompt. */
  count?: Protocol
  embed?: Protocol
}

export const providerRegistry: Record<Provider | 'custom', RegisteredProvider<ProviderAdapter>> &
  Record<Cloud, RegisteredProvider> = {
  openai: {
    adapter: openai,
    protocol: chatCompletions(openaiDialect),
    native: { responses },
    embed: embeddings(openaiEmbeddings),
  },
  anthropic: { adapter: anthropic, protocol: anthropicMessages, count: anthropicCount },
  google: { adapter: google, protocol: gemini, embed: geminiEmbeddings },
  openrouter: {
    adapter: openrouter,
    protocol: chatCompletions(openrouterDialect),
    embed: embeddings(openrouterEmbeddings),
  },
  mistral: { adapter: mistral, protocol: chatCompletions(mistralDialect), embed: embeddings(mistralEmbeddings) },
  cohere: { adapter: cohere, protocol: cohereChat, embed: cohereEmbeddings },
  azure: { adapter: azure, protocol: azureChat },
  bedrock: { adapter: bedrock, protocol: converse },
  vertex: { adapter: vertex, protocol: vertexGemini, protocolOf: findVertexProtocol },
  custom: { adapter: custom, protocol: chatCompletions(openaiLikeDialect), embed: embeddings(openaiLikeEmbeddings) },
}

export function adapterOf(provider: ProviderSlug): CallAdapter {
  return providerRegistry[providerKindOf(provider)].adapter
}

/** Null if the provider does not do this; tokens can then be estimated. */
export function findProtocol(
  { provider, model }: { provider: ProviderSlug; model: string },
  operation: Operation,
  format: WireFormat,
): Protocol | null {
  const { protocol, protocolOf, native, count, embed }: RegisteredProvider = providerRegistry[providerKindOf(provider)]
  if (operation === 'generate') return native?.[format] ?? protocolOf?.(model) ?? protocol
  return (operation === 'count' ? count : embed) ?? null
}
