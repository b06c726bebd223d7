// Writes an answer to the client as one JSON object once it is complete. If the provider sent it in the client's wire
// format and nothing of it changed, its original bytes are passed on.

import { usageHeader } from '../call/inference-port.ts'
import type { AnswerEvent, Delta } from '../domain/conversation/answer.ts'
import { writeJsonPieces } from '../domain/json/json-text.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { joinShort } from './join-short.ts'
import type { Reply, ReplyOptions } from './surface.ts'

/** `render` gets the tokens that the answer cost. */
export function createJsonReply(
  response: PlaneResponse,
  { reportsUsage }: Pick<ReplyOptions, 'reportsUsage'>,
  render: (deltas: readonly Delta[], tokens: number) => object,
  stored?: (deltas: readonly Delta[], raw: Uint8Array | null) => string,
): Reply {
  const events: AnswerEvent[] = []
  const passedBytes = () => (events.length === 1 ? (events[0]?.raw ?? null) : null)
  const deltas = () => events.flatMap(event => event.deltas)
  return {
    take(more) {
      for (const event of more) events.push(event)
      return true
    },
    ...(stored && { stored: () => stored(deltas(), passedBytes()) }),
    finish(tokens) {
      if (reportsUsage) response.setHeader(usageHeader, tokens)
      const passed = passedBytes()
      const body = passed === null ? joinShort(writeJsonPieces(render(deltas(), tokens))) : [passed]
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'content-length': body.reduce((length, piece) => length + piece.byteLength, 0),
      })
      for (const piece of body.slice(0, -1)) response.write(piece)
      response.end(body.at(-1) ?? '')
    },
    drop: () => void response.destroy(),
  }
}
