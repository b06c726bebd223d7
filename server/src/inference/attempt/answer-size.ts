// How much memory the pieces of a streamed answer take while it passes. Knows no bounds.

import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import type { ReasoningDetail } from '../../domain/conversation/prompt.ts'

/** What is remembered of each call and each piece of reasoning beside its texts. */
const callBytes = 512
const detailBytes = 128

/** Where the answer is not kept, its text passes and is gone; calls and reasoning leave something behind in any case. */
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
