// Writes an answer to the client as server-sent events while it arrives. How an event looks is the surface's matter.

import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { Refusal } from '../domain/errors.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { joinShort, type Written } from './join-short.ts'
import type { Reply, StreamReplyOptions } from './surface.ts'

/** `usageComment` is empty, or tells the gateway that called this process what the answer cost. */
interface StreamFormat {
  /** What is sent while the provider sends nothing. */
  keepAlive: string
  bytesOf(event: AnswerEvent): Uint8Array | readonly Written[]
  /** The end of a complete answer. */
  lastBytes(usageComment: string): string | readonly Written[]
  /** The end of an incomplete one. */
  errorText(refusal: Refusal, usageComment: string): string | readonly Written[]
  stored?: NonNullable<Reply['stored']>
}

export function createEventReply(
  response: PlaneResponse,
  { reportsUsage, keepAliveMs }: Pick<StreamReplyOptions, 'reportsUsage' | 'keepAliveMs'>,
  format: StreamFormat,
): Reply {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // A proxy in front of us would otherwise buffer the events.
    'x-accel-buffering': 'no',
  })
  const keepAlive = setInterval(() => response.writableNeedDrain || response.write(format.keepAlive), keepAliveMs)
  const usageComment = (tokens: number) => (reportsUsage ? `: {"usage":{"total_tokens":${tokens}}}\n\n` : '')
  return {
    take(events) {
      keepAlive.refresh()
      const [only] = events
      const written =
        events.length === 1 && only !== undefined
          ? format.bytesOf(only)
          : events.flatMap(event => format.bytesOf(event))
      const pieces = written instanceof Uint8Array ? [written] : joinShort(written)
      if (pieces.length === 0 || pieces[0]?.length === 0) {
        // The answer has begun, though it has no content yet.
        response.flushHeaders()
        return true
      }
      let isAccepted = true
      for (const piece of pieces) isAccepted = response.write(piece)
      return isAccepted
    },
    ...(format.stored && { stored: format.stored }),
    finish(tokens) {
      clearInterval(keepAlive)
      const written = format.lastBytes(usageComment(tokens))
      if (typeof written === 'string') response.end(written)
      else endWith(response, written)
    },
    endWithError(refusal, tokens) {
      clearInterval(keepAlive)
      const written = format.errorText(refusal, usageComment(tokens))
      if (typeof written === 'string') response.end(written)
      else endWith(response, written)
    },
    drop() {
      clearInterval(keepAlive)
      response.destroy()
    },
  }
}

function endWith(response: PlaneResponse, written: readonly Written[]): void {
  for (const piece of joinShort(written)) response.write(piece)
  response.end()
}
