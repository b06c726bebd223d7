// What an answer's head or one of its events says of the rest: whether a stream follows, whether it is a fault. Keeps nothing.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { ProviderFault } from '../../domain/conversation/provider-fault.ts'
import type { AnswerHeaders } from '../../outbound/call.ts'

export function findFault(events: readonly AnswerEvent[]): ProviderFault | null {
  const last = events.at(-1)?.deltas.at(-1)
  return last?.type === 'fault' ? last.fault : null
}

/** That an answer begins with who gives it says nothing yet. */
export function isFaultAlone({ deltas }: AnswerEvent): boolean {
  return deltas.at(-1)?.type === 'fault' && deltas.every(({ type }) => type === 'fault' || type === 'origin')
}

const whiteSpace: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
/** Of the fields and comments of an event, and of the mark that a text in UTF-8 may begin with. */
const eventBeginnings: ReadonlySet<number> = new Set([...Buffer.from('deir:'), 0xef])

export function isEventStream(headers: AnswerHeaders): boolean {
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('text/event-stream')
}

/** Of an answer whose head does not say so; null while it has said nothing but white space. JSON and pages begin otherwise. */
export function beginsAsEvents(bytes: Uint8Array): boolean | null {
  for (const byte of bytes) if (!whiteSpace.has(byte)) return eventBeginnings.has(byte)
  return null
}
