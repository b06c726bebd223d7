// Reads a provider's vectors, for all formats: in the provider's order, in the form that the client wants.

import { isUtf8 } from 'node:buffer'
import type { AnswerEvent, Delta, Usage, Vectors } from '../../../domain/conversation/answer.ts'
import type { VectorEncoding } from '../../../domain/conversation/prompt.ts'
import { type ProviderError, providerError } from '../../../domain/conversation/provider-error.ts'
import { LazyList } from '../../../domain/json/lazy-list.ts'
import { type JsonObject, parseJson } from '../../../domain/json-object.ts'
import type { ParsedBody, ReadOptions } from '../protocol.ts'

export interface ReadVectors {
  /** As the provider wrote them, one for each input; null if there are none. */
  vectors: readonly unknown[] | null
  /** Null if the provider counts nothing. */
  promptTokens: number | null
  /** In US dollars, if the provider says so. */
  cost?: number
  /** The model as the provider names it; absent if it does not. */
  model?: string | null
  /** What the provider says is wrong if there are no vectors. */
  error?: ProviderError
}

/** `read` returns null if the body is nothing of its format. */
export function decodeVectors(
  body: Uint8Array,
  { passes, vectorEncoding = 'float' }: ReadOptions,
  read: (json: unknown) => ReadVectors | null,
  parsed: ParsedBody = { json: parseBody(body) },
): AnswerEvent {
  const answer = read(parsed.json)
  const vectors = answer?.vectors ?? []
  const encoded = vectors.map(vector => encodeVector(vector, vectorEncoding))
  if (answer === null || encoded.length === 0 || !encoded.every(vector => vector !== null)) {
    return { deltas: [{ type: 'error', error: answer?.error ?? providerError('malformed') }], raw: null }
  }
  const { model = null, promptTokens, cost } = answer
  const deltas: Delta[] = [
    { type: 'origin', id: null, model, createdSeconds: null },
    { type: 'result', result: { vectors: encoded } },
  ]
  if (promptTokens !== null) deltas.push({ type: 'usage', usage: usageOf(promptTokens, cost) })
  const isUnchanged = encoded.every((vector, index) => vector === vectors[index])
  return { deltas, raw: passes && isUnchanged && promptTokens !== null ? body : null }
}

function parseBody(body: Uint8Array): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return isUtf8(body) ? parseJson(text) : undefined
}

/** Null if it is not a vector. One that has the wanted form already is returned as it is. */
function encodeVector(vector: unknown, encoding: VectorEncoding): Vectors['vectors'][number] | null {
  if (typeof vector === 'string') {
    if (vector === '') return null
    return encoding === 'base64' ? vector : numbersOf(vector)
  }
  if (!Array.isArray(vector) || vector.length === 0 || !vector.every(isNumber)) return null
  return encoding === 'float' ? vector : Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** Null if the text is not base64 of whole 32-bit numbers. */
function numbersOf(base64: string): LazyList<number> | null {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.toString('base64') !== base64) return null
  return new LazyList(bytes.length / 4, index => bytes.readFloatLE(4 * index))
}

function usageOf(promptTokens: number, cost: number | undefined): Usage {
  return {
    promptTokens,
    completionTokens: 0,
    totalTokens: promptTokens,
    cachedTokens: null,
    reasoningTokens: null,
    ...(cost === undefined ? {} : { cost }),
  }
}

/** A count in an answer; null if it is none. */
export function readCount(object: JsonObject, name: string): number | null {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** No provider streams vectors, and no prompt asks for it. */
export function createNoStreamDecoder(): never {
  throw new Error('vectors are not streamed')
}
