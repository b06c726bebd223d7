// Cohere's chat format, version 2.

import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { CoherePieces } from './answer.ts'
import { readCohereError, readInnerError } from './errors.ts'
import { renderCohereBody } from './request.ts'

export const cohere: Protocol = {
  wireFormat: 'cohere',
  render(prompt, target) {
    return { path: ['chat'], body: renderCohereBody(prompt, target), reading: { jsonTool: null } }
  },
  decodeAnswer(body, reading) {
    return decodePlainAnswer(body, { read: json => new CoherePieces(reading).readMessage(json) })
  },
  createStreamDecoder(reading) {
    const pieces = new CoherePieces(reading)
    return createEventStreamDecoder({
      read: (json, name) => pieces.readEvent(json, name),
      isOver: () => pieces.isOver,
      // Follows the end event; without that one it does not complete the stream.
      lastWord: '[DONE]',
      // An error that came as plain JSON although a stream was requested.
      readStray(text) {
        const json = parseJson(text)
        return isJsonObject(json) ? readInnerError(json, null) : null
      },
    })
  },
  readError: readCohereError,
}
