// The first stage of reading a request for vectors: checks its fields, and estimates its tokens.

import { vectorEncodings } from '../../domain/conversation/embedding-input.ts'
import type { VectorEncoding } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { Framed } from '../framed-request.ts'
import { findField, findInteger, findText, refuseField } from '../request-fields.ts'

export interface EmbeddingFrame {
  model: string | null
  /** Texts, or lists of tokens: never both. */
  inputs: readonly string[] | readonly (readonly number[])[]
  dimensions: number | undefined
  encoding: VectorEncoding
  body: JsonObject
}

export const maxInputs = 2_048
const charactersPerToken = 4

export function estimateEmbedding(body: unknown): Framed<EmbeddingFrame> {
  if (!isJsonObject(body)) throw new Refusal('invalid_request', { message: 'The request body must be a JSON object' })
  const model = findText(body, 'model', 'model') ?? null
  const dimensions = findInteger(body, 'dimensions', 1, 'dimensions')
  if (findField(body, 'stream') === true) refuseField('stream', 'is not supported: vectors are not streamed')
  const { inputs, prompt } = readInputs(findField(body, 'input'))
  const frame = { model, inputs, dimensions, encoding: readEncoding(body), body }
  return { frame, estimate: { prompt, completion: 0 } }
}

function readEncoding(body: JsonObject): VectorEncoding {
  const encoding = findField(body, 'encoding_format') ?? 'float'
  const known = vectorEncodings.find(name => name === encoding)
  return known ?? refuseField('encoding_format', `must be one of: ${vectorEncodings.join(', ')}`)
}

function readInputs(input: unknown): { inputs: EmbeddingFrame['inputs']; prompt: number } {
  if (input === undefined) return refuseField('input', 'is required')
  const listed = typeof input === 'string' ? [input] : input
  if (!Array.isArray(listed) || listed.length === 0) return refuseInputs()
  // One input of tokens is a list of numbers.
  const inputs: unknown[] = typeof listed[0] === 'number' ? [listed] : listed
  if (inputs.length > maxInputs) return refuseField('input', `must have at most ${maxInputs} items`)
  if (inputs.every(one => typeof one === 'string')) {
    const characters = inputs.reduce((sum, text) => sum + text.length, 0)
    return { inputs, prompt: Math.ceil(characters / charactersPerToken) }
  }
  if (inputs.every(isTokens)) return { inputs, prompt: inputs.reduce((sum, tokens) => sum + tokens.length, 0) }
  return refuseInputs()
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(token => Number.isSafeInteger(token) && token >= 0)
}

function refuseInputs(): never {
  refuseField('input', 'must be a text, an array of texts, an array of tokens or an array of arrays of tokens')
}
