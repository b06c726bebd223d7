// The JSON Schemas of the bodies of /v1/messages and of its count: they accept what the two stages of reading accept,
// field by field.

import type { JsonObject } from '../../domain/json-object.ts'
import { nullable, promptReference, reference, requiredUnlessNamed, text } from '../schema-parts.ts'
import { efforts, type MessagesField, thinkingKinds } from './read-request.ts'

const flag = { type: 'boolean' }
const anyObject = { type: 'object' }
const share = { type: 'number', minimum: 0, maximum: 1 }

const described = (schema: JsonObject, description: string): JsonObject => ({ ...nullable(schema), description })
const listOf = (name: string) => ({ type: 'array', items: reference(name) })
const textOrBlocks = (name: string) => ({ anyOf: [text, listOf(name)] })
const kind = (...names: string[]) => ({ type: 'string', enum: names })

const properties = {
  messages: { type: 'array', minItems: 1, items: reference('MessagesMessage') },
  system: { anyOf: [text, listOf('MessagesTextBlock'), { type: 'null' }] },
  max_tokens: { type: 'integer', minimum: 1, description: 'The project may lower it' },
  model: described(text, 'Counts if it belongs to the provider of the project’s model, with or without `provider/`'),
  stream: described({ ...flag, default: false }, 'True: the answer is a stream of server-sent events'),
  temperature: nullable(share),
  top_p: nullable(share),
  top_k: nullable({ type: 'integer', minimum: 0 }),
  stop_sequences: nullable({ type: 'array', items: text }),
  tools: nullable({ type: 'array', items: reference('MessagesTool') }),
  tool_choice: nullable({
    ...anyObject,
    required: ['type'],
    properties: {
      type: kind('auto', 'any', 'tool', 'none'),
      name: text,
      disable_parallel_tool_use: nullable(flag),
    },
  }),
  thinking: nullable({
    ...anyObject,
    required: ['type'],
    properties: { type: kind(...thinkingKinds), budget_tokens: nullable({ type: 'integer', minimum: 1_024 }) },
  }),
  output_config: nullable({
    ...anyObject,
    properties: {
      effort: nullable(kind(...efforts)),
      format: nullable({
        ...anyObject,
        required: ['type', 'schema'],
        properties: { type: kind('json_schema'), schema: anyObject },
      }),
    },
  }),
  metadata: {
    description: 'Only `prompt` counts: the end user is the one that the token names',
    anyOf: [
      { ...anyObject, properties: { prompt: promptReference } },
      { type: ['array', 'string', 'number', 'boolean', 'null'] },
    ],
  },
} satisfies Record<MessagesField, JsonObject>

const requestNote =
  'Null means the same as absent. Other fields go to anthropic unchanged and are dropped for other providers'
const { max_tokens: _maximum, stream: _stream, ...counted } = properties

const block = (type: string, required: readonly string[], more: JsonObject): JsonObject => ({
  ...anyObject,
  required: ['type', ...required],
  properties: { type: kind(type), ...more },
  additionalProperties: true,
})
const ownKinds = [
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]

export const requestSchemas = {
  MessagesRequest: {
    ...anyObject,
    description: `${requestNote}, and for all with the setting \`client_fields: known\`.`,
    properties,
    additionalProperties: true,
    ...requiredUnlessNamed(['messages', 'max_tokens'], ['metadata', 'prompt']),
  },
  MessagesCountRequest: {
    ...anyObject,
    description: `${requestNote}.`,
    properties: counted,
    additionalProperties: true,
    ...requiredUnlessNamed(['messages'], ['metadata', 'prompt']),
  },
  MessagesMessage: {
    ...anyObject,
    required: ['role', 'content'],
    properties: { role: kind('user', 'assistant', 'system'), content: textOrBlocks('MessagesBlock') },
    additionalProperties: true,
  },
  MessagesBlock: {
    anyOf: [
      reference('MessagesTextBlock'),
      block('image', ['source'], { source: reference('MessagesSource') }),
      block('document', ['source'], {
        source: reference('MessagesSource'),
        title: nullable(text),
        context: nullable(text),
      }),
      block('search_result', ['source', 'title', 'content'], {
        source: text,
        title: text,
        content: textOrBlocks('MessagesTextBlock'),
      }),
      block('tool_use', ['id', 'name', 'input'], { id: text, name: text, input: anyObject }),
      block('tool_result', ['tool_use_id'], {
        tool_use_id: text,
        content: { anyOf: [text, { type: 'array', items: anyObject }, { type: 'null' }] },
        is_error: nullable(flag),
      }),
      block('thinking', ['thinking'], { thinking: text, signature: nullable(text) }),
      block('redacted_thinking', ['data'], { data: text }),
      {
        ...anyObject,
        description: 'A block that only anthropic knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ownKinds } } },
        additionalProperties: true,
      },
    ],
  },
  MessagesTextBlock: block('text', ['text'], { text }),
  MessagesSource: {
    ...anyObject,
    required: ['type'],
    properties: {
      type: kind('base64', 'url', 'text', 'content'),
      media_type: text,
      data: text,
      url: text,
      content: textOrBlocks('MessagesBlock'),
    },
    additionalProperties: true,
  },
  MessagesTool: {
    anyOf: [
      {
        ...anyObject,
        required: ['name', 'input_schema'],
        properties: {
          type: { type: ['string', 'null'], enum: ['custom', null], default: 'custom' },
          name: text,
          description: nullable(text),
          input_schema: { ...anyObject, description: 'A JSON Schema' },
          strict: nullable(flag),
        },
        additionalProperties: true,
      },
      {
        ...anyObject,
        description: 'A tool of anthropic; other providers reject it',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ['custom'] } } },
        additionalProperties: true,
      },
    ],
  },
}
