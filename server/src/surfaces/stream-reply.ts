// Writes an answer to the client as server-sent events while it arrives. How an event looks is the surface's matter.

import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { Refusal } from '../domain/errors.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import type { Reply, StreamReplyOptions } from './surface.ts'

/** `usageComment` is empty, or tells the gateway that called this process what the answer cost. */
interface StreamFormat {
  /** What is sent while the provider sends nothing. */
  keepAlive: string
  bytesOf(event: AnswerEvent): Uint8Array
  /** The end of a complete answer. */
  lastBytes(usageComment: string): string | Uint8Array
  /** The end of an incomplete one. */
  errorText(refusal: Refusal, usageComment: string): string
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
      const bytes =
        events.length === 1 && only !== undefined
          ? format.bytesOf(only)
          : Buffer.concat(events.map(event => format.bytesOf(event)))
      if (bytes.length > 0) return response.write(bytes)
      // The answer has begun, though it has no content yet.
      response.flushHeaders()
      return true
    },
    ...(format.stored && { stored: format.stored }),
    finish(tokens) {
      clearInterval(keepAlive)
      response.end(format.lastBytes(usageComment(tokens)))
    },
    endWithError(refusal, tokens) {
      clearInterval(keepAlive)
      response.end(format.errorText(refusal, usageComment(tokens)))
    },
    drop() {
      clearInterval(keepAlive)
      response.destroy()
    },
  }
}
