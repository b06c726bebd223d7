// Writes an answer to the client as an OpenAI chat completion: as chunks while they arrive, or whole. An event that the
// provider sent in this wire format is passed on as its original bytes.

import type { PlaneResponse } from '../../http/exchange.ts'
import { errorFrame } from '../openai-errors.ts'
import { createEventReply } from '../stream-reply.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { createJsonReply } from '../whole-reply.ts'
import { type CompletionIdentity, CompletionWriter, createChunkWriter } from './completion-chunks.ts'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  const writer = createChunkWriter(identityOf(options), { includeUsage: options.includeUsage })
  return createEventReply(response, options, {
    keepAlive: ': keep-alive\n\n',
    bytesOf({ deltas, raw }) {
      if (raw !== null) {
        writer.notePassed(deltas)
        return raw
      }
      const chunks = deltas.flatMap(delta => writer.write(delta))
      return Buffer.from(chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
    },
    lastBytes: usageComment => `${usageComment}data: [DONE]\n\n`,
    errorText: (refusal, usageComment) => usageComment + errorFrame(refusal),
  })
}

export function createWholeReply(response: PlaneResponse, options: ReplyOptions): Reply {
  return createJsonReply(response, options, new CompletionWriter(identityOf(options)))
}

function identityOf({ requestId, createdSeconds, model }: ReplyOptions): CompletionIdentity {
  return { id: `chatcmpl-${requestId}`, createdSeconds, model }
}
