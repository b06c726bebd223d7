// Google's Gemini format for vectors: batchEmbedContents.

import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { readGeminiError } from '../gemini/errors.ts'
import type { Protocol } from '../protocol.ts'
import { createNoStreamDecoder, decodeVectors, type ReadVectors, readCount } from './decode-vectors.ts'
import { textsOf } from './inputs.ts'
import { parseVectors } from './parse-vectors.ts'

/** The provider rejects more. */
const maxTexts = 100

export const geminiEmbeddings: Protocol = {
  wireFormat: 'embeddings',
  render(prompt, { model }) {
    const { embedding, extra } = prompt
    const taskType = extra['task_type']
    const common = {
      model: `models/${model}`,
      taskType: typeof taskType === 'string' ? taskType : undefined,
      outputDimensionality: embedding?.dimensions,
    }
    const requests = textsOf(prompt, maxTexts).map(text => omitAbsent({ ...common, content: { parts: [{ text }] } }))
    return {
      path: ['models', `${model}:batchEmbedContents`],
      body: { requests },
      reading: { jsonTool: null, vectorEncoding: embedding?.encoding ?? 'float' },
    }
  },
  // Never as it came: clients of this surface have OpenAI's format.
  decodeAnswer: (body, reading, parsed) => decodeVectors(body, { ...reading, passes: false }, readAnswer, parsed),
  parseLarge: parseVectors,
  createStreamDecoder: createNoStreamDecoder,
  readError: readGeminiError,
}

/** Only newer models count tokens. */
function readAnswer(json: unknown): ReadVectors | null {
  if (!isJsonObject(json)) return null
  const { embeddings, usageMetadata } = json
  const usage: JsonObject = isJsonObject(usageMetadata) ? usageMetadata : {}
  const valuesOf = (item: unknown) => (isJsonObject(item) ? item['values'] : null)
  return {
    vectors: Array.isArray(embeddings) ? embeddings.map(valuesOf) : null,
    promptTokens: readCount(usage, 'promptTokenCount') ?? readCount(usage, 'totalTokenCount'),
  }
}
