// Renders refusals as the events that end the stream of a response.

import type { Refusal, RefusalCode } from '../../domain/errors.ts'
import { writeJson, writeJsonPieces } from '../../domain/json/json-text.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { errorBody } from '../openai-errors.ts'
import type { OutputEvent } from './output-items.ts'

/** Errors that a retry cannot fix. Clients repeat a request that failed with another code of a response. */
const finalCodes: ReadonlySet<RefusalCode> = new Set([
  'pii_blocked',
  'content_blocked',
  'service_disabled',
  'user_blocked',
  'token_revoked',
])

/** The error of a failed response; OpenAI's own codes are the only ones. */
export function failureOf({ code, message }: Refusal): { code: string; message: string } {
  return { code: finalCodes.has(code) ? 'invalid_prompt' : 'server_error', message }
}

/** The fields stand twice: clients read them nested, as OpenAI sends them, or flat, as OpenAI documents them. */
export function errorEvent(refusal: Refusal): OutputEvent {
  const { error } = errorBody(refusal)
  const { message, code, param } = error as JsonObject
  return { type: 'error', code, message, param, error }
}

/** The events of a response are numbered from 0. */
export function errorFrame(refusal: Refusal, _requestId: string, eventCount = 0): string {
  return eventText(errorEvent(refusal), eventCount)
}

export function eventText(event: OutputEvent, number: number): string {
  return `event: ${event.type}\ndata: ${writeJson({ ...event, sequence_number: number })}\n\n`
}

/** The same in pieces: the texts that the event repeats are not copied. */
export function eventPieces(event: OutputEvent, number: number): (string | Uint8Array)[] {
  return [`event: ${event.type}\ndata: `, ...writeJsonPieces({ ...event, sequence_number: number }), '\n\n']
}
