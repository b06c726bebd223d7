// Writes an answer to the client as an OpenAI chat completion: as chunks while they arrive, or whole. An event that the
// provider sent in this wire format is passed on as its original bytes.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { usageHeader } from '../../http/inference-port.ts'
import { errorFrame } from '../openai-errors.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { type CompletionIdentity, createChunkWriter, renderCompletion } from './completion-chunks.ts'

const done = 'data: [DONE]\n\n'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  const { includeUsage, reportsUsage, keepAliveMs } = options
  const writer = createChunkWriter(identityOf(options), { includeUsage })
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // A proxy in front of us would otherwise buffer the events.
    'x-accel-buffering': 'no',
  })
  const keepAlive = setInterval(() => response.writableNeedDrain || response.write(': keep-alive\n\n'), keepAliveMs)
  const usageComment = (tokens: number) => (reportsUsage ? `: {"usage":{"total_tokens":${tokens}}}\n\n` : '')

  function bytesOf({ deltas, raw }: AnswerEvent): Uint8Array {
    if (raw !== null) {
      writer.notePassed(deltas)
      return raw
    }
    const chunks = deltas.flatMap(delta => writer.write(delta))
    return Buffer.from(chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
  }

  return {
    take(events) {
      keepAlive.refresh()
      const [only] = events
      const bytes = events.length === 1 && only !== undefined ? bytesOf(only) : Buffer.concat(events.map(bytesOf))
      if (bytes.length > 0) return response.write(bytes)
      // The answer has begun, though it has no content yet.
      response.flushHeaders()
      return true
    },
    finish(tokens) {
      clearInterval(keepAlive)
      response.end(usageComment(tokens) + done)
    },
    endWithError(refusal, tokens) {
      clearInterval(keepAlive)
      response.end(usageComment(tokens) + errorFrame(refusal))
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
      const body = raw ?? Buffer.from(JSON.stringify(renderCompletion(identityOf(options), deltas)))
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

function identityOf({ requestId, createdSeconds, model }: ReplyOptions): CompletionIdentity {
  return { id: `chatcmpl-${requestId}`, createdSeconds, model }
}
