// Amazon Bedrock's wire format: Converse, and ConverseStream in AWS's binary event stream.

import { isUtf8 } from 'node:buffer'
import { providerError } from '../../../domain/conversation/provider-error.ts'
import { createTextCarrier } from '../../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../../domain/json/json-places.ts'
import { EventFormatError, type ServerEvent } from '../../../http/event-reader.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder, type EventSource } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { BedrockPieces } from './answer.ts'
import { readBedrockError } from './errors.ts'
import { type Frame, FrameReader } from './frame-reader.ts'
import { renderBedrockRequest } from './request.ts'

const block: JsonPlace = { members: { toolUse: { members: { input: { holds: 'object' } } } } }
const message: JsonPlace = { members: { content: { items: block } } }
/** Only of whole messages: in a stream, arguments are pieces of text. */
const texts = createTextCarrier({ members: { output: { members: { message } } } })

export const bedrock: Protocol = {
  wireFormat: 'bedrock',
  streamType: 'application/vnd.amazon.eventstream',
  render: renderBedrockRequest,
  decodeAnswer(body, reading) {
    return decodePlainAnswer(body, { texts, read: json => new BedrockPieces(reading).readMessage(json) })
  },
  createStreamDecoder(reading) {
    const pieces = new BedrockPieces(reading)
    return createEventStreamDecoder({
      read: (json, name) => pieces.readEvent(json, name),
      isOver: () => pieces.isOver,
      // The usage may be missing, but not the reason why the message ended.
      endsWithBody: true,
      createReader: readFrames,
      readStray: () => providerError('truncated'),
    })
  },
  readError: readBedrockError,
}

function readFrames(onEvent: (event: ServerEvent) => void, { maxEventBytes }: { maxEventBytes: number }): EventSource {
  const reader = new FrameReader(frame => onEvent(toEvent(frame)), { maxBytes: maxEventBytes })
  return {
    push: bytes => reader.push(bytes),
    end: () => undefined,
    strayText: () => (reader.isBetweenFrames ? '' : 'an incomplete message'),
  }
}

function toEvent({ headers, payload }: Frame): ServerEvent {
  if (!isUtf8(payload)) throw new EventFormatError('not UTF-8')
  const data = payload.length === 0 ? '{}' : payload.toString()
  const kind = headers[':message-type']
  if (kind === 'event') return { name: headers[':event-type'] ?? '', data, raw: payload }
  const name = headers[':exception-type'] ?? headers[':error-code'] ?? ''
  const message = headers[':error-message']
  return {
    name: `exception:${name}`,
    data: message === undefined ? data : JSON.stringify({ message }),
    raw: payload,
  }
}
