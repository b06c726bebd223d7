// The matrix: what works on which surface with which provider. Every cell that is not named works.

import type { Feature, View } from './scenes.ts'

/** In the order of the columns. */
export const providers = [
  'openai',
  'anthropic',
  'google',
  'openrouter',
  'mistral',
  'cohere',
  'custom',
  'azure',
  'bedrock',
  'vertex',
] as const
export type MatrixProvider = (typeof providers)[number]

export type Cell =
  /** It works as it does elsewhere, but for what the client reads. */
  | { note: string; view: Partial<View> }
  /** It is refused. */
  | { status: number; message: string }
  /** The provider's format does not have it. */
  | { lacks: string }

export type CellsOf<Name extends string> = Partial<Record<Name, Partial<Record<MatrixProvider, Cell>>>>
export type Cells = CellsOf<Feature>

/** Column heads of the documentation. */
export const featureNames: Record<Feature, string> = {
  plain: 'Plain',
  stream: 'Stream',
  tools: 'Tools',
  parallel_tools: 'Parallel tools',
  structured_output: 'Structured output',
  image: 'Image',
  audio: 'Audio',
  reasoning: 'Reasoning',
  refusal: 'Refusal',
  error_before: 'Error before',
  error_in_stream: 'Error in the stream',
}

const asFilter: Cell = { note: 'as `content_filter`', view: { refusal: '', finish: 'content_filter' } }
const asText = (note: string): Cell => ({ note, view: { text: 'I cannot.', refusal: '', finish: 'content_filter' } })
const saysNo: Cell = { lacks: 'says no in words' }
const refusals = { google: asFilter, mistral: saysNo, cohere: saysNo, bedrock: asFilter, vertex: asFilter }
const hiddenReasoning: Cell = { note: 'not shown', view: { reasoning: '' } }
const noAudio: Cell = { status: 400, message: "The model's provider does not take content of type audio" }
const noSounds: Cell = { lacks: 'no audio' }

export const chatCompletionsCells: Cells = {
  audio: { anthropic: noAudio, cohere: noAudio, bedrock: noAudio },
  reasoning: { openai: hiddenReasoning, azure: hiddenReasoning },
  refusal: { ...refusals, anthropic: asText('as text with `content_filter`') },
}

export const messagesCells: Cells = {
  audio: Object.fromEntries(providers.map(provider => [provider, noSounds])),
  reasoning: { openai: hiddenReasoning, azure: hiddenReasoning },
  refusal: {
    ...refusals,
    google: { ...asFilter, note: 'as `refusal`' },
    bedrock: { ...asFilter, note: 'as `refusal`' },
    vertex: { ...asFilter, note: 'as `refusal`' },
    custom: asText('as text with `refusal`'),
    azure: asText('as text with `refusal`'),
    openai: asText('as text with `refusal`'),
    anthropic: asText('as text with `refusal`'),
    openrouter: asText('as text with `refusal`'),
  },
}

export const responsesCells: Cells = {
  audio: { anthropic: noAudio, cohere: noAudio, bedrock: noAudio },
  reasoning: { azure: hiddenReasoning },
  refusal: { ...refusals, anthropic: asText('as text with `content_filter`') },
}

export type VectorFeature = 'text' | 'texts' | 'tokens' | 'dimensions' | 'base64' | 'error_before'

export const vectorFeatureNames: Record<VectorFeature, string> = {
  text: 'Text',
  texts: 'List of texts',
  tokens: 'Tokens',
  dimensions: 'Dimensions',
  base64: 'Base64',
  error_before: 'Error before',
}

const noVectors = (model: string): Cell => ({
  status: 400,
  message: `The model ${model} does not serve this endpoint; this project has no model that does`,
})
const withoutVectors = {
  anthropic: noVectors('anthropic/claude-sonnet-4-6'),
  azure: noVectors('azure/my-gpt'),
  bedrock: noVectors('bedrock/anthropic.claude-sonnet-4-6'),
  vertex: noVectors('vertex/gemini-2.5-flash'),
}
const noTokens: Cell = { status: 400, message: "input must be text: this model's provider takes no tokens" }

export const embeddingsCells: CellsOf<VectorFeature> = {
  text: withoutVectors,
  texts: withoutVectors,
  tokens: {
    ...withoutVectors,
    google: noTokens,
    openrouter: noTokens,
    mistral: noTokens,
    cohere: noTokens,
    custom: noTokens,
  },
  dimensions: withoutVectors,
  base64: withoutVectors,
  error_before: withoutVectors,
}
