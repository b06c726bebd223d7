// Writes an answer to the client as an Anthropic message: as events while they arrive, or whole. What the provider sent
// in this wire format is passed on as its original bytes.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { usageHeader } from '../../http/inference-port.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { errorFrame } from './errors.ts'
import { MessageEvents, type MessageIdentity, renderMessage } from './message-events.ts'

const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  const { requestId, reportsUsage, keepAliveMs } = options
  const events = new MessageEvents(identityOf(options))
  /** The provider's events are passed on, to the last one. */
  let passes = false
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // A proxy in front of us would otherwise buffer the events.
    'x-accel-buffering': 'no',
  })
  const keepAlive = setInterval(() => response.writableNeedDrain || response.write(ping), keepAliveMs)
  const usageComment = (tokens: number) => (reportsUsage ? `: {"usage":{"total_tokens":${tokens}}}\n\n` : '')

  function bytesOf({ deltas, raw }: AnswerEvent): Uint8Array {
    if (raw === null)
      return Buffer.from(
        deltas
          .flatMap(delta => events.write(delta))
          .map(eventText)
          .join(''),
      )
    passes = true
    return raw
  }

  return {
    take(taken) {
      keepAlive.refresh()
      const [only] = taken
      const bytes = taken.length === 1 && only !== undefined ? bytesOf(only) : Buffer.concat(taken.map(bytesOf))
      if (bytes.length > 0) return response.write(bytes)
      // The answer has begun, though it has no content yet.
      response.flushHeaders()
      return true
    },
    finish(tokens) {
      clearInterval(keepAlive)
      // Last, because the usage in the events counts only what the provider reported.
      response.end((passes ? '' : events.end().map(eventText).join('')) + usageComment(tokens))
    },
    endWithError(refusal, tokens) {
      clearInterval(keepAlive)
      response.end(usageComment(tokens) + errorFrame(refusal, requestId))
    },
    drop() {
      clearInterval(keepAlive)
      response.destroy()
    },
  }
}

export function createWholeReply(response: PlaneResponse, options: ReplyOptions): Reply {
  const events: AnswerEvent[] = []
  return {
    take(more) {
      events.push(...more)
      return true
    },
    finish(tokens) {
      if (options.reportsUsage) response.setHeader(usageHeader, tokens)
      const [only] = events
      const raw = events.length === 1 ? (only?.raw ?? null) : null
      const deltas = events.flatMap(event => event.deltas)
      const body = raw ?? Buffer.from(JSON.stringify(renderMessage(identityOf(options), deltas)))
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'content-length': body.byteLength,
      })
      response.end(body)
    },
    endWithError: () => void response.destroy(),
    drop: () => void response.destroy(),
  }
}

export function eventText(event: JsonObject): string {
  return `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`
}

function identityOf({ requestId, model }: ReplyOptions): MessageIdentity {
  return { id: `msg_${requestId.replaceAll('-', '')}`, model }
}
