// What the OpenAPI document says about embeddings.

import { vectorEncodings } from '../../domain/conversation/embedding-input.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { describeError } from '../openai-errors.ts'
import { nullable, reference, text } from '../schema-parts.ts'
import type { EndpointDescription } from '../surface.ts'
import { maxInputs } from './estimate-request.ts'
import type { knownFieldNames } from './read-request.ts'
import { renderEmbeddings } from './reply.ts'

const count = { type: 'integer', minimum: 0 }
const token = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const tokens = { type: 'array', minItems: 1, items: token }
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', minItems: 1, maxItems: maxInputs, items })
const described = (schema: JsonObject, description: string): JsonObject => ({ ...nullable(schema), description })
const objectOf = (properties: Record<string, JsonObject>): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})

const properties = {
  model: described(text, 'An embedding model of the project’s provider, with or without `provider/`; required'),
  input: {
    anyOf: [text, listOf(text), { ...tokens, description: 'Tokens, for openai only' }, listOf(tokens)],
    description: 'One or more texts; a vector is made for each',
  },
  dimensions: described(
    { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    'The length of the vectors, for models that can shorten them',
  ),
  encoding_format: described(
    { type: 'string', enum: [...vectorEncodings], default: 'float' },
    'Numbers, or base64 of 32-bit floats in little-endian order',
  ),
  user: { description: 'Ignored: the provider gets a hash of the token’s end user' },
  stream: { description: 'True is refused: vectors are not streamed' },
} satisfies Record<(typeof knownFieldNames)[number], JsonObject>

const schemas: Record<string, JsonObject> = {
  EmbeddingRequest: {
    type: 'object',
    required: ['input'],
    properties: { ...properties, stream: { ...properties.stream, not: { const: true } } },
    additionalProperties: true,
    description: 'Further fields go to openai, openrouter and custom providers as they are',
  },
  EmbeddingList: objectOf({
    object: { type: 'string', const: 'list' },
    data: {
      type: 'array',
      items: objectOf({
        object: { type: 'string', const: 'embedding' },
        index: { ...count, description: 'The place of the text in `input`' },
        embedding: { anyOf: [{ type: 'array', items: { type: 'number' } }, text] },
      }),
    },
    model: text,
    usage: objectOf({ prompt_tokens: count, total_tokens: count }),
  }),
  EmbeddingError: describeError('The body of an error in OpenAI’s format'),
}

const model = 'text-embedding-3-small'
const answerOf = (vectors: (number[] | string)[]) =>
  renderEmbeddings([{ type: 'result', result: { vectors } }], model, 5 * vectors.length)

export const description: EndpointDescription = {
  operationId: 'createEmbedding',
  summary: 'Turn texts into vectors',
  description:
    'The body is OpenAI’s. `model` must name an embedding model of the project’s provider: a request without one is ' +
    'rejected, and no other model takes its place.',
  schemas,
  request: {
    schema: reference('EmbeddingRequest'),
    examples: {
      text: { summary: 'One text', value: { model, input: 'Why is the sky blue?' } },
      texts: {
        summary: 'Two texts, as short vectors in base64',
        value: { model, input: ['Why?', 'Because.'], dimensions: 256, encoding_format: 'base64' },
      },
    },
  },
  answer: {
    schema: reference('EmbeddingList'),
    examples: {
      text: { summary: 'A vector', value: answerOf([[0.0125, -0.5]]) },
      texts: { summary: 'Two vectors in base64', value: answerOf(['zcxMPQAAAL8=', 'AACAPwAAgL8=']) },
    },
  },
  stream: null,
}
