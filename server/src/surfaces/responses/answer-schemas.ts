// The JSON Schemas of what a request for a response answers: the whole response, an event of a stream and the error.
// Items and fields that only OpenAI sends are allowed.

import { describeError } from '../openai-errors.ts'
import { nullable, reference, text } from '../schema-parts.ts'

const anyObject = { type: 'object' }
const count = { type: 'integer', minimum: 0 }
const constant = (value: string) => ({ type: 'string', const: value })
const status = { type: 'string', enum: ['in_progress', 'completed', 'incomplete'] }

export const answerSchemas = {
  Response: {
    ...anyObject,
    description: 'The other fields repeat the request',
    required: ['id', 'object', 'created_at', 'status', 'error', 'incomplete_details', 'model', 'output', 'usage'],
    properties: {
      id: { type: 'string', description: 'The name under which the response is stored' },
      object: constant('response'),
      created_at: { type: 'integer', description: 'Unix seconds' },
      status: { type: 'string', enum: ['in_progress', 'completed', 'incomplete', 'failed'] },
      error: nullable({ ...anyObject, required: ['code', 'message'], properties: { code: text, message: text } }),
      incomplete_details: nullable({
        ...anyObject,
        properties: { reason: { type: 'string', description: '`max_output_tokens` or `content_filter`' } },
      }),
      model: { type: 'string', description: 'The model that answered, as its provider calls it' },
      output: { type: 'array', items: reference('OutputItem') },
      usage: nullable({
        ...anyObject,
        required: ['input_tokens', 'output_tokens', 'total_tokens'],
        properties: {
          input_tokens: count,
          input_tokens_details: { ...anyObject, properties: { cached_tokens: count } },
          output_tokens: count,
          output_tokens_details: { ...anyObject, properties: { reasoning_tokens: count } },
          total_tokens: count,
        },
      }),
      store: { type: 'boolean', description: 'Whether it was asked to be stored where it was answered' },
      previous_response_id: nullable(text),
    },
  },
  OutputItem: {
    anyOf: [
      {
        ...anyObject,
        required: ['id', 'type', 'role', 'status', 'content'],
        properties: {
          id: text,
          type: constant('message'),
          role: constant('assistant'),
          status,
          content: {
            type: 'array',
            items: {
              anyOf: [
                { ...anyObject, required: ['type', 'text'], properties: { type: constant('output_text'), text } },
                {
                  ...anyObject,
                  required: ['type', 'refusal'],
                  properties: { type: constant('refusal'), refusal: text },
                },
              ],
            },
          },
        },
      },
      {
        ...anyObject,
        required: ['id', 'type', 'call_id', 'name', 'arguments'],
        properties: {
          id: text,
          type: constant('function_call'),
          status,
          call_id: { type: 'string', description: 'Its result names it' },
          name: text,
          arguments: { type: 'string', description: 'JSON, as the model wrote it' },
        },
      },
      {
        ...anyObject,
        required: ['id', 'type', 'summary'],
        properties: {
          id: text,
          type: constant('reasoning'),
          summary: {
            type: 'array',
            items: { ...anyObject, properties: { type: constant('summary_text'), text } },
            description: 'What the model thought, if its provider shows it',
          },
          encrypted_content: { ...nullable(text), description: 'Send it back unchanged to continue the reasoning' },
        },
      },
      {
        ...anyObject,
        description: 'An item of OpenAI’s own kind',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ['message', 'function_call', 'reasoning'] } } },
      },
    ],
  },
  ResponseEvent: {
    ...anyObject,
    description:
      'Its `type` is the name of the event. `response.completed`, `response.incomplete` and `error` are last; ' +
      '`sequence_number` counts from 0',
    required: ['type', 'sequence_number'],
    properties: {
      type: text,
      sequence_number: count,
      response: reference('Response'),
      output_index: count,
      item_id: text,
      item: reference('OutputItem'),
      delta: text,
    },
  },
  DeletedResponse: {
    ...anyObject,
    required: ['id', 'object', 'deleted'],
    additionalProperties: false,
    properties: { id: text, object: constant('response'), deleted: { type: 'boolean', const: true } },
  },
  ResponsesError: describeError('The body of an error in OpenAI’s format'),
}
