// Anthropic's wire format, the Messages API: the parts that write requests and read answers, combined.

import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { AnthropicPieces } from './answer.ts'
import { readAnthropicError } from './errors.ts'
import { renderAnthropicRequest } from './request.ts'

export const anthropic: Protocol = {
  wireFormat: 'anthropic',
  render: renderAnthropicRequest,
  decodeAnswer(body, reading) {
    return decodePlainAnswer(body, { read: json => new AnthropicPieces(reading).readMessage(json) })
  },
  createStreamDecoder(reading) {
    const pieces = new AnthropicPieces(reading)
    return createEventStreamDecoder({ read: json => pieces.readEvent(json), isOver: () => pieces.isOver })
  },
  readError: readAnthropicError,
}
