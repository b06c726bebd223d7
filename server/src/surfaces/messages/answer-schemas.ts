// The JSON Schemas of what /v1/messages answers: the whole message, an event of a stream, the usage and the error.
// Fields that only some provider sends are allowed.

import { nullable, reference, text } from '../schema-parts.ts'
import { errorTypes } from './errors.ts'
import { ownStopReasons } from './message-events.ts'

const anyObject = { type: 'object' }
const count = { type: 'integer', minimum: 0 }
const stop = {
  stop_reason: nullable({ type: 'string', enum: [...ownStopReasons] }),
  stop_sequence: nullable(text),
}
const event = (type: string, required: readonly string[], more: object) => ({
  ...anyObject,
  required: ['type', ...required],
  properties: { type: { type: 'string', const: type }, ...more },
})
const placed = (type: string, more: object = {}) =>
  event(type, ['index', ...Object.keys(more)], { index: { ...count, description: 'Of the content block' }, ...more })

export const answerSchemas = {
  MessagesAnswer: {
    ...anyObject,
    required: ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'],
    properties: {
      id: text,
      type: { type: 'string', const: 'message' },
      role: { type: 'string', const: 'assistant' },
      model: { type: 'string', description: 'The model that answered, as its provider calls it' },
      content: {
        type: 'array',
        description:
          'Blocks of type text, thinking, redacted_thinking and tool_use, and those of anthropic’s own tools',
        items: { ...anyObject, required: ['type'], properties: { type: text } },
      },
      ...stop,
      usage: reference('MessagesUsage'),
    },
  },
  MessagesUsage: {
    ...anyObject,
    required: ['output_tokens'],
    properties: {
      input_tokens: { ...nullable(count), description: 'Without those read from or written to a cache' },
      cache_creation_input_tokens: nullable(count),
      cache_read_input_tokens: nullable(count),
      output_tokens: count,
      output_tokens_details: { type: ['object', 'null'], properties: { thinking_tokens: nullable(count) } },
    },
  },
  MessagesEvent: {
    anyOf: [
      event('message_start', ['message'], { message: reference('MessagesAnswer') }),
      placed('content_block_start', { content_block: anyObject }),
      placed('content_block_delta', { delta: anyObject }),
      placed('content_block_stop'),
      event('message_delta', ['delta', 'usage'], {
        delta: { ...anyObject, properties: stop },
        usage: reference('MessagesUsage'),
      }),
      event('message_stop', [], {}),
      event('ping', [], {}),
    ],
  },
  MessagesCount: { ...anyObject, required: ['input_tokens'], properties: { input_tokens: count } },
  MessagesError: {
    ...anyObject,
    description:
      'The body of an error in Anthropic’s format; in a stream that has begun, the data of the event `error`',
    required: ['type', 'error', 'request_id'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', const: 'error' },
      error: {
        ...anyObject,
        required: ['type', 'message'],
        additionalProperties: false,
        properties: {
          type: { type: 'string', enum: errorTypes },
          message: text,
          details: {
            ...anyObject,
            description: 'Only if the error has a code for programs',
            required: ['error_code'],
            properties: { error_code: text },
          },
        },
      },
      request_id: text,
    },
  },
}
