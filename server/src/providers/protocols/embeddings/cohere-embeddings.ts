// Cohere's format for vectors, version 2.

import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import { readCohereError } from '../cohere/errors.ts'
import type { Protocol } from '../protocol.ts'
import { createNoStreamDecoder, decodeVectors, type ReadVectors, readCount } from './decode-vectors.ts'
import { textsOf } from './inputs.ts'
import { parseVectors } from './parse-vectors.ts'

/** The provider rejects more. */
const maxTexts = 96

export const cohereEmbeddings: Protocol = {
  wireFormat: 'embeddings',
  render(prompt, { model }) {
    const { embedding, extra } = prompt
    const body = omitAbsent<JsonObject>({
      model,
      texts: textsOf(prompt, maxTexts),
      // Required. Texts are embedded to be found, unless the client says that they are the query.
      input_type: extra['input_type'] ?? 'search_document',
      truncate: extra['truncate'] ?? undefined,
      embedding_types: ['float'],
      output_dimension: embedding?.dimensions,
    })
    return {
      path: ['embed'],
      body,
      reading: { jsonTool: null, vectorEncoding: embedding?.encoding ?? 'float' },
    }
  },
  // Never as it came: clients of this surface have OpenAI's format.
  decodeAnswer: (body, reading, parsed) => decodeVectors(body, { ...reading, passes: false }, readAnswer, parsed),
  parseLarge: parseVectors,
  createStreamDecoder: createNoStreamDecoder,
  readError: readCohereError,
}

function readAnswer(json: unknown): ReadVectors | null {
  if (!isJsonObject(json)) return null
  const { embeddings, meta } = json
  const vectors = isJsonObject(embeddings) ? embeddings['float'] : null
  const billed = isJsonObject(meta) && isJsonObject(meta['billed_units']) ? meta['billed_units'] : {}
  return { vectors: Array.isArray(vectors) ? vectors : null, promptTokens: readCount(billed, 'input_tokens') }
}
