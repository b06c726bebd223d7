// Reads a whole answer as the one event of a stream, for every protocol.

import { isUtf8 } from 'node:buffer'
import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { createAnswerOrder } from '../../domain/conversation/answer-order.ts'
import { providerError } from '../../domain/conversation/provider-error.ts'
import type { TextCarrier } from '../../domain/json/carry-texts.ts'
import { parseJson } from '../../domain/json-object.ts'
import { hasTooManyAnswerValues } from '../../domain/json-values.ts'

export interface PlainMapping {
  /** Puts the arguments of calls into the answer as texts. */
  texts?: TextCarrier
  /** Returns the deltas of the whole answer, in any order. */
  read(json: unknown): Delta[]
  /** For clients of this wire format: returns the bytes to pass on; null if the deltas must be rendered. */
  pass?(json: unknown, body: Uint8Array): Uint8Array | null
}

export function decodePlainAnswer(body: Uint8Array, mapping: PlainMapping): AnswerEvent {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const json = isUtf8(body) && !hasTooManyAnswerValues(body) ? parseJson(text) : undefined
  if (json === undefined) return { deltas: [{ type: 'error', error: providerError('malformed') }], raw: null }
  const order = createAnswerOrder()
  const deltas: Delta[] = []
  for (const delta of mapping.read(mapping.texts?.carry(text, json) ?? json)) {
    const next = order.take(delta)
    if (next !== null) deltas.push(next)
  }
  deltas.push(...order.complete())
  const isWhole = deltas.at(-1)?.type !== 'error'
  return { deltas, raw: isWhole ? (mapping.pass?.(json, body) ?? null) : null }
}
