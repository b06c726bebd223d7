// Writes an answer to the client as an Anthropic message: as events while they arrive, or whole. What the provider sent
// in this wire format is passed on as its original bytes.

import { writeJson } from '../../domain/json/json-text.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import { createEventReply } from '../stream-reply.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { createJsonReply } from '../whole-reply.ts'
import { errorFrame } from './errors.ts'
import { MessageEvents, type MessageIdentity, MessageWriter } from './message-events.ts'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  const events = new MessageEvents(identityOf(options))
  /** The provider's events are passed on, to the last one. */
  let passes = false
  const textOf = (written: readonly JsonObject[]) => written.map(eventText).join('')
  return createEventReply(response, options, {
    keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
    bytesOf({ deltas, raw }) {
      if (raw === null) return Buffer.from(textOf(deltas.flatMap(delta => events.write(delta))))
      passes = true
      return raw
    },
    // The comment is last, because the usage in the events counts only what the provider reported.
    lastBytes: usageComment => (passes ? '' : textOf(events.end())) + usageComment,
    errorText: (refusal, usageComment) => usageComment + errorFrame(refusal, options.requestId),
  })
}

export function createWholeReply(response: PlaneResponse, options: ReplyOptions): Reply {
  return createJsonReply(response, options, new MessageWriter(identityOf(options)))
}

export function eventText(event: JsonObject): string {
  return `event: ${event['type']}\ndata: ${writeJson(event)}\n\n`
}

function identityOf({ requestId, model }: ReplyOptions): MessageIdentity {
  return { id: `msg_${requestId.replaceAll('-', '')}`, model }
}
