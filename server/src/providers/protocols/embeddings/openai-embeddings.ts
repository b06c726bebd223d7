// OpenAI's embeddings format, which OpenRouter, Mistral and many servers use in dialects.

import type { Prompt } from '../../../domain/conversation/prompt.ts'
import { patchBody } from '../../../domain/json/patch-body.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { readChatError, readInnerError } from '../chat/errors.ts'
import type { Protocol, Target } from '../protocol.ts'
import { createNoStreamDecoder, decodeVectors, type ReadVectors, readCount } from './decode-vectors.ts'
import { inputsOf, textsOf } from './inputs.ts'
import { parseVectors } from './parse-vectors.ts'

interface EmbeddingsDialect {
  takesTokens: boolean
  /** False if the provider rejects fields that it does not know. */
  takesUnknownFields: boolean
  /** False if vectors have to be requested as numbers. */
  takesBase64: boolean
  dimensionsField: 'dimensions' | 'output_dimension'
  endUserField: 'user' | null
}

export const openaiEmbeddings: EmbeddingsDialect = {
  takesTokens: true,
  takesUnknownFields: true,
  takesBase64: true,
  dimensionsField: 'dimensions',
  endUserField: 'user',
}

export const openrouterEmbeddings: EmbeddingsDialect = { ...openaiEmbeddings, takesTokens: false }

/** For servers at a customer's address: what most of them accept. */
export const openaiLikeEmbeddings: EmbeddingsDialect = { ...openrouterEmbeddings, takesBase64: false }

export const mistralEmbeddings: EmbeddingsDialect = {
  takesTokens: false,
  takesUnknownFields: false,
  takesBase64: false,
  dimensionsField: 'output_dimension',
  endUserField: null,
}

export function embeddings(dialect: EmbeddingsDialect): Protocol {
  return {
    wireFormat: 'embeddings',
    render(prompt, target) {
      const input = dialect.takesTokens ? inputsOf(prompt) : textsOf(prompt)
      const request = {
        path: ['embeddings'],
        reading: { jsonTool: null, vectorEncoding: prompt.embedding?.encoding ?? 'float' },
      }
      const bytes = patchSource(prompt, target, dialect)
      return bytes === null
        ? { ...request, body: renderBody(prompt, input, target, dialect) }
        : { ...request, body: {}, bytes }
    },
    decodeAnswer: (body, reading, parsed) => decodeVectors(body, reading, readAnswer, parsed),
    parseLarge: parseVectors,
    createStreamDecoder: createNoStreamDecoder,
    readError: readChatError,
  }
}

/** The client's body with changed members; null if that is not enough. */
function patchSource({ source, messages }: Prompt, target: Target, dialect: EmbeddingsDialect): Uint8Array | null {
  const { takesUnknownFields, takesBase64 } = dialect
  if (source === null || messages !== source.messages || !takesUnknownFields || !takesBase64) return null
  return patchBody(source.body, imposedFields(target, dialect))
}

/** What the gateway sets whatever the client wrote. An undefined value leaves a field out. */
function imposedFields({ model, endUserHash }: Target, { endUserField }: EmbeddingsDialect): JsonObject {
  return { model, ...(endUserField === null ? {} : { [endUserField]: endUserHash ?? undefined }) }
}

function renderBody(
  { embedding, extra }: Prompt,
  input: (string | readonly number[])[],
  target: Target,
  dialect: EmbeddingsDialect,
): JsonObject {
  return omitAbsent({
    ...(dialect.takesUnknownFields ? extra : {}),
    input,
    ...imposedFields(target, dialect),
    [dialect.dimensionsField]: embedding?.dimensions,
    encoding_format: dialect.takesBase64 ? embedding?.encoding : undefined,
  })
}

function readAnswer(json: unknown): ReadVectors | null {
  if (!isJsonObject(json)) return null
  const { data, model } = json
  const usage = isJsonObject(json['usage']) ? json['usage'] : {}
  const cost = usage['cost']
  return {
    vectors: Array.isArray(data) ? listVectors(data) : null,
    promptTokens: readCount(usage, 'prompt_tokens') ?? readCount(usage, 'total_tokens'),
    ...(typeof cost === 'number' && cost >= 0 ? { cost } : {}),
    model: typeof model === 'string' && model !== '' ? model : null,
    error: readInnerError(json, true),
  }
}

/** By their `index`, which says to which input they belong. */
function listVectors(data: readonly unknown[]): unknown[] {
  const vectors: unknown[] = new Array(data.length).fill(null)
  for (const [position, item] of data.entries()) {
    if (!isJsonObject(item)) continue
    const { index, embedding } = item
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < data.length
    vectors[isPlace ? index : position] = embedding
  }
  return vectors
}
