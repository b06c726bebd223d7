// The JSON Schemas of what a completion answers: the whole answer, a chunk of a stream, the usage and the error. Fields
// that only some provider sends are allowed.

import type { FinishReason } from '../../domain/conversation/answer.ts'
import { describeError } from '../openai-errors.ts'
import { nullable, reference, text } from '../schema-parts.ts'

const anyObject = { type: 'object' }
const count = { type: 'integer', minimum: 0 }
const index = count
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'] satisfies FinishReason[]

const frame = (object: string) => ({
  id: text,
  object: { type: 'string', const: object },
  created: { type: 'integer', description: 'Unix seconds' },
  model: { type: 'string', description: 'The model that answered, as its provider calls it' },
})
const finish = {
  logprobs: { type: ['object', 'null'] },
  native_finish_reason: { ...nullable(text), description: 'The provider’s own word for it' },
}
const finishReason = { type: 'string', description: `Usually one of ${finishReasons.join(', ')}` }

/** What both a message and a delta may hold. */
const said = {
  content: nullable(text),
  refusal: nullable(text),
  reasoning_content: { ...nullable(text), description: 'What the model thought, if its provider shows it' },
  reasoning_details: { type: ['array', 'null'], items: anyObject, description: 'Send them back with the tool results' },
}

export const answerSchemas = {
  ChatCompletion: {
    ...anyObject,
    required: ['id', 'object', 'created', 'model', 'choices'],
    properties: {
      ...frame('chat.completion'),
      choices: {
        type: 'array',
        items: {
          ...anyObject,
          required: ['index', 'message', 'finish_reason'],
          properties: {
            index,
            message: reference('CompletionMessage'),
            finish_reason: nullable(finishReason),
            ...finish,
          },
        },
      },
      usage: reference('CompletionUsage'),
    },
  },
  CompletionMessage: {
    ...anyObject,
    required: ['role', 'content'],
    properties: {
      role: { type: 'string', const: 'assistant' },
      ...said,
      tool_calls: nullable({ type: 'array', items: reference('ToolCall') }),
    },
  },
  ToolCall: {
    ...anyObject,
    required: ['id', 'type', 'function'],
    properties: {
      id: text,
      type: { type: 'string', const: 'function' },
      function: {
        ...anyObject,
        required: ['name', 'arguments'],
        properties: { name: text, arguments: { type: 'string', description: 'JSON, as the model wrote it' } },
      },
    },
  },
  ChatCompletionChunk: {
    ...anyObject,
    required: ['id', 'object', 'created', 'model', 'choices'],
    properties: {
      ...frame('chat.completion.chunk'),
      choices: {
        type: 'array',
        description: 'Empty in the chunk that has the usage',
        items: {
          ...anyObject,
          required: ['index', 'delta'],
          properties: { index, delta: reference('CompletionDelta'), finish_reason: nullable(finishReason), ...finish },
        },
      },
      usage: {
        anyOf: [reference('CompletionUsage'), { type: 'null' }],
        description: 'In the last chunk, with `stream_options.include_usage`',
      },
    },
  },
  CompletionDelta: {
    ...anyObject,
    properties: {
      role: { type: 'string', const: 'assistant' },
      ...said,
      tool_calls: {
        type: ['array', 'null'],
        description: 'The first piece of a call has its id and name; the others add to its arguments',
        items: {
          ...anyObject,
          required: ['index'],
          properties: {
            index,
            id: text,
            type: { type: 'string', const: 'function' },
            function: { ...anyObject, properties: { name: text, arguments: text } },
          },
        },
      },
    },
  },
  CompletionUsage: {
    ...anyObject,
    required: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
    properties: {
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: { type: ['object', 'null'], properties: { cached_tokens: nullable(count) } },
      completion_tokens_details: { type: ['object', 'null'], properties: { reasoning_tokens: nullable(count) } },
      cost: { type: 'number', description: 'US dollars, if the provider says them' },
    },
  },
  ChatCompletionError: describeError(
    'The body of an error in OpenAI’s format; in a stream that has begun, the data of its last event',
  ),
}
