// Names the response that an answer continues. A provider of this format is not told: it gets what came before in full,
// so its own object says that there is none.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { Reply, ReplyOptions } from '../surface.ts'

/** A text of the model has its quotation marks escaped, so only the member itself is found. */
const member = '"previous_response_id"'
const unnamed = /"previous_response_id"(\s*:\s*)null/

export function namePrevious({ response }: Pick<ReplyOptions, 'response'>, reply: Reply): Reply {
  const previousId = response?.echo?.['previous_response_id'] ?? null
  if (typeof previousId !== 'string') return reply
  const written = JSON.stringify(previousId)
  const named = ({ deltas, raw }: AnswerEvent) => ({ deltas, raw: raw && withPrevious(raw, written) })
  return { ...reply, take: events => reply.take(events.map(named)) }
}

function withPrevious(raw: Uint8Array, written: string): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  if (!bytes.includes(member)) return raw
  return Buffer.from(bytes.toString('utf8').replace(unnamed, (_, colon) => `${member}${colon}${written}`))
}
