// Inspects an answer's head, first bytes and events: whether it is a stream, whether it failed, and how much memory its
// events need.

import type { AnswerEvent, Delta, Usage } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'
import type { ProviderError, ProviderErrorClass } from '../../domain/conversation/provider-error.ts'
import type { AnswerHeaders } from '../../outbound/call.ts'
import type { OutboundFailure } from '../../outbound/failure.ts'
import { type Protocol, serverSentEvents } from '../../providers/protocols/protocol.ts'

const whiteSpace: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
/** First letters of event fields, the colon of a comment, and the first byte of a byte order mark. */
const eventBeginnings: ReadonlySet<number> = new Set([...Buffer.from('deir:'), 0xef])

export function isEventStream(headers: AnswerHeaders, { streamType }: Protocol): boolean {
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith(streamType ?? serverSentEvents)
}

/** For a body without a content type; null while there is only white space. JSON and HTML begin with other bytes. */
export function beginsAsEvents(bytes: Uint8Array): boolean | null {
  for (const byte of bytes) if (!whiteSpace.has(byte)) return eventBeginnings.has(byte)
  return null
}

/**
 * Whether an event with content may still follow, as after OpenAI's `response.created`: such events do not begin an
 * answer, since an error may come in their place, and the client then gets its status.
 */
export function isPrelude({ deltas }: AnswerEvent, waitsForContent: boolean): boolean {
  return deltas.length === 0 || (waitsForContent && deltas.every(({ type }) => type === 'origin'))
}

export function findError(events: readonly AnswerEvent[]): ProviderError | null {
  const last = events.at(-1)?.deltas.at(-1)
  return last?.type === 'error' ? last.error : null
}

/** An `origin` delta before the error does not count as an answer. */
export function isOnlyError({ deltas }: AnswerEvent): boolean {
  return deltas.at(-1)?.type === 'error' && deltas.every(({ type }) => type === 'error' || type === 'origin')
}

/** The usage that the provider had counted when it failed. */
export function findErrorUsage(events: readonly AnswerEvent[]): Usage | null {
  let usage: Usage | null = null
  for (const { deltas } of events) for (const delta of deltas) if (delta.type === 'error') usage = delta.usage ?? usage
  return usage
}

/** Memory for each tool call and each reasoning detail, besides their texts. */
const callBytes = 512
const detailBytes = 128

/** Memory that the events occupy until the answer ends: tool calls and reasoning always, text if the answer is kept. */
export function heldBytesOf(events: readonly AnswerEvent[], isKept: boolean): number {
  let bytes = 0
  for (const { deltas } of events) for (const delta of deltas) bytes += heldBytes(delta, isKept)
  return bytes
}

function heldBytes(delta: Delta, isKept: boolean): number {
  switch (delta.type) {
    case 'text':
    case 'refusal':
    case 'tool_arguments':
      return isKept ? delta.text.length : 0
    case 'tool_call':
      return callBytes + delta.id.length + delta.name.length + delta.arguments.length + (delta.signature?.length ?? 0)
    case 'reasoning':
      return delta.text.length + (delta.detail === undefined ? 0 : bytesOfDetail(delta.detail))
    case 'native':
      return JSON.stringify(delta.value).length
    default:
      return 0
  }
}

function bytesOfDetail(detail: ReasoningDetail): number {
  let bytes = detailBytes
  for (const name in detail) {
    const value = detail[name]
    if (typeof value === 'string') bytes += value.length
  }
  return bytes
}

/** For a call that failed before its answer began. */
export function classOfFailure({ kind }: OutboundFailure, status: number | null): ProviderErrorClass {
  if (kind === 'timeout') return 'timeout'
  if (status === 200) return 'truncated'
  const isNoAnswer = kind === 'redirect' || kind === 'protocol' || kind === 'too_large'
  return status !== null || isNoAnswer ? 'malformed' : 'network'
}
