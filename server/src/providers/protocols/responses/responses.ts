// OpenAI's Responses API as an outbound wire format: the parts that write requests and read answers, combined.

import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import { readChatError, readInnerError } from '../chat/errors.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { ResponsePieces } from './answer.ts'
import { renderResponsesRequest } from './request.ts'

export const responses: Protocol = {
  wireFormat: 'responses',
  render: renderResponsesRequest,
  decodeAnswer(body, reading) {
    return decodePlainAnswer(body, {
      read: json => new ResponsePieces(reading).readResponse(json),
      pass: (_, bytes) => (reading.passes ? bytes : null),
    })
  },
  createStreamDecoder(reading) {
    const pieces = new ResponsePieces(reading)
    return createEventStreamDecoder({
      read: json => pieces.readEvent(json),
      isOver: () => pieces.isOver,
      passesAll: reading.passes,
      // An error that came as plain JSON although a stream was requested.
      readStray(text) {
        const json = parseJson(text)
        return isJsonObject(json) ? readInnerError(json, !pieces.hasBegun) : null
      },
    })
  },
  readError: readChatError,
}
