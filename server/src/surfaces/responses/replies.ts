// Writes an answer to the client as a response: as events while they arrive, or whole. An answer that the provider sent
// in this wire format is passed on as its original bytes.

import type { Delta } from '../../domain/conversation/answer.ts'
import { visitPlaces } from '../../domain/json/json-places.ts'
import { writeText } from '../../domain/json/write-in-turns.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { PlaneResponse } from '../../http/exchange.ts'
import type { Written } from '../join-short.ts'
import { createEventReply } from '../stream-reply.ts'
import type { Reply, ReplyOptions, StreamReplyOptions } from '../surface.ts'
import { createJsonReply } from '../whole-reply.ts'
import { errorEvent, eventPieces, failureOf } from './errors.ts'
import type { OutputEvent } from './output-items.ts'
import { ResponseWriter } from './response-writer.ts'

export function createStreamReply(response: PlaneResponse, options: StreamReplyOptions): Reply {
  const writer = createWriter(options)
  let nextNumber = 0
  /** The last of the events that were passed on as they came; null if there was none. */
  let passed: Uint8Array | null = null
  /** The event that ends a complete answer: the client gets it once the response is stored. */
  let last: Uint8Array | null = null

  function piecesOf(events: readonly OutputEvent[]): Written[] {
    return events.flatMap(event => eventPieces(event, nextNumber++))
  }

  return createEventReply(response, options, {
    keepAlive: ': keep-alive\n\n',
    bytesOf({ deltas, raw }) {
      if (raw === null) return piecesOf(deltas.flatMap(delta => writer.write(delta)))
      passed = raw
      for (const delta of deltas) {
        if (delta.type === 'origin') writer.noteOrigin(delta)
        else if (delta.type === 'finish') last = raw
      }
      return last === raw ? nothing : raw
    },
    stored: () => (last === null ? null : responseOfEvent(last)) ?? writeText(writer.response()),
    // The comment is last, because the usage in the last event is what the provider reported, once.
    lastBytes: usageComment => (last === null ? [...piecesOf(writer.end()), usageComment] : [last, usageComment]),
    errorText(refusal, usageComment) {
      if (passed !== null) nextNumber = numberAfter(passed)
      return [usageComment, ...piecesOf([writer.fail(failureOf(refusal)), errorEvent(refusal)])]
    },
  })
}

const nothing = Buffer.alloc(0)

const placeOfResponse = { members: { response: { holds: 'object' } } } as const

/** The last one, if the event repeats it: that is how it was read. */
function responseOfEvent(bytes: Uint8Array): string | null {
  const data = dataOfEvent(bytes)
  if (!isJsonObject(parseJson(data))) return null
  let text: string | null = null
  visitPlaces(data, placeOfResponse, (_kind, start, end) => {
    text = data.slice(start, end)
  })
  return text
}

function numberAfter(bytes: Uint8Array): number {
  const event = parseJson(dataOfEvent(bytes))
  const number = isJsonObject(event) ? event['sequence_number'] : null
  return typeof number === 'number' ? number + 1 : 0
}

function dataOfEvent(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString('utf8')
    .split(/\r\n|\r|\n/)
  return lines.flatMap(line => (line.startsWith('data:') ? [line.slice('data:'.length)] : [])).join('\n')
}

export function createWholeReply(response: PlaneResponse, options: ReplyOptions): Reply {
  const writer = createWriter(options)
  const whole = { write: (delta: Delta) => void writer.write(delta), whole: () => writer.response() }
  return createJsonReply(response, options, whole, (raw, render) => {
    const passed = raw === null ? '' : Buffer.from(raw).toString('utf8')
    return isJsonObject(parseJson(passed)) ? passed : writeText(render())
  })
}

function createWriter(options: ReplyOptions): ResponseWriter {
  const { requestId, createdSeconds, model, response } = options
  const { echo = {}, sealsReasoning = false, isStored = false } = response ?? {}
  return new ResponseWriter({
    identity: { id: `resp_${requestId.replaceAll('-', '')}`, createdSeconds, model },
    echo: { ...echo, store: isStored },
    sealsReasoning,
  })
}
