// Writes an answer to the client as one JSON object once it is complete. If the provider sent it in the client's wire
// format and nothing of it changed, its original bytes are passed on.

import { usageHeader } from '../call/inference-port.ts'
import type { Delta } from '../domain/conversation/answer.ts'
import { isLarge, writeJsonPieces } from '../domain/json/json-text.ts'
import { writeInTurns } from '../domain/json/write-in-turns.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { joinShort } from './join-short.ts'
import type { Reply, ReplyOptions } from './surface.ts'

/** Renders the answer while it arrives: a large one arrives in several turns of the event loop. */
export interface WholeWriter {
  write(delta: Delta): void
  /** `tokens` is what the answer cost. */
  whole(tokens: number): object
}

export function createJsonReply(
  response: PlaneResponse,
  { reportsUsage }: Pick<ReplyOptions, 'reportsUsage'>,
  writer: WholeWriter,
  stored?: (raw: Uint8Array | null, render: () => object) => Promise<string> | string,
): Reply {
  let isFirst = true
  /** The only event, if it may be passed on; nothing of it is rendered then. */
  let passed: { deltas: readonly Delta[]; raw: Uint8Array } | null = null
  const write = (deltas: readonly Delta[]) => {
    for (const delta of deltas) writer.write(delta)
  }

  function end(body: readonly Uint8Array[]): void {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': body.reduce((length, piece) => length + piece.byteLength, 0),
    })
    for (const piece of body.slice(0, -1)) response.write(piece)
    response.end(body.at(-1) ?? '')
  }

  return {
    take(events) {
      for (const { deltas, raw } of events) {
        if (passed !== null) write(passed.deltas)
        passed = isFirst && raw !== null ? { deltas, raw } : null
        isFirst = false
        if (passed === null) write(deltas)
      }
      return true
    },
    ...(stored && {
      stored: () =>
        stored(passed?.raw ?? null, () => {
          if (passed !== null) write(passed.deltas)
          return writer.whole(0)
        }),
    }),
    finish(tokens) {
      if (reportsUsage) response.setHeader(usageHeader, tokens)
      if (passed !== null) return end([passed.raw])
      const value = writer.whole(tokens)
      if (!isLarge(value)) return end(joinShort(writeJsonPieces(value)))
      return writeInTurns(value).then(body => {
        // The client or a switch may have ended the call meanwhile.
        if (!response.headersSent && !response.destroyed) end([body])
      })
    },
    drop: () => void response.destroy(),
  }
}
