// Anthropic's wire format, the Messages API: the parts that write requests and read answers, combined.

import { createTextCarrier } from '../../../domain/json/carry-texts.ts'
import type { JsonPlace } from '../../../domain/json/json-places.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol, ReadOptions } from '../protocol.ts'
import { AnthropicPieces, readCountedTokens } from './answer.ts'
import { readAnthropicError } from './errors.ts'
import { renderAnthropicRequest, renderCountRequest } from './request.ts'

const block: JsonPlace = { members: { input: { holds: 'object' } } }
const texts = createTextCarrier({ members: { content: { items: block }, content_block: block } })

export const anthropic: Protocol = {
  wireFormat: 'messages',
  render: renderAnthropicRequest,
  decodeAnswer(body, reading) {
    return decodePlainAnswer(body, {
      texts,
      read: json => new AnthropicPieces(reading).readMessage(json),
      pass: (_json, bytes) => (mayPass(reading) ? bytes : null),
    })
  },
  createStreamDecoder(reading) {
    const pieces = new AnthropicPieces(reading)
    return createEventStreamDecoder({
      texts,
      read: json => pieces.readEvent(json),
      isOver: () => pieces.isOver,
      passesAll: mayPass(reading),
    })
  },
  readError: readAnthropicError,
}

/** Counts the tokens of a prompt. */
export const anthropicCount: Protocol = {
  ...anthropic,
  render: renderCountRequest,
  decodeAnswer: body => decodePlainAnswer(body, { read: readCountedTokens }),
}

/** The client must not see a tool that it does not know. */
function mayPass({ passes, jsonTool }: ReadOptions): boolean {
  return passes && jsonTool === null
}
