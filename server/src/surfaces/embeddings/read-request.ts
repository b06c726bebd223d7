// The second stage of reading a request for vectors: into a prompt with one message for each input.

import { messageOfTokens } from '../../domain/conversation/embedding-input.ts'
import type { InferenceRequest } from '../../domain/conversation/inference-request.ts'
import type { Message } from '../../domain/conversation/prompt.ts'
import { findDistinctOthers, hasTwins } from '../request-fields.ts'
import type { EmbeddingFrame } from './estimate-request.ts'

export const knownFieldNames = [
  'model',
  'input',
  'dimensions',
  'encoding_format',
  // Dropped: the gateway sets the end user's id for the provider.
  'user',
  'stream',
] as const
const knownFields: ReadonlySet<string> = new Set(knownFieldNames)

export function readRequest(frame: EmbeddingFrame, bytes: Uint8Array | undefined): InferenceRequest {
  const { model, inputs, dimensions, encoding, body } = frame
  const messages = inputs.map(
    (input): Message => (typeof input === 'string' ? { role: 'user', content: input } : messageOfTokens(input)),
  )
  const prompt = {
    format: 'embeddings' as const,
    source: bytes === undefined || hasTwins(body, knownFields) ? null : { body: bytes, messages },
    messages,
    tools: [],
    otherTools: [],
    sampling: {},
    stop: [],
    stream: false,
    includeUsage: false,
    embedding: { encoding, ...(dimensions === undefined ? {} : { dimensions }) },
    extra: findDistinctOthers(body, knownFields) ?? {},
  }
  return { model, prompt }
}
