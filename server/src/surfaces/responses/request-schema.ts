// The JSON Schema of the body of a request for a response: it accepts what the two stages of reading accept, field by
// field.

import type { JsonObject } from '../../domain/json-object.ts'
import { nullable, promptReference, reference, requiredUnlessNamed, text } from '../schema-parts.ts'
import { efforts, type KnownResponseField, maxMetadata } from './read-request.ts'

const flag = { type: 'boolean' }
const anyObject = { type: 'object' }
const maxSafe = Number.MAX_SAFE_INTEGER
const unsupported = (instead: string) => ({ type: 'null', description: `Not supported: ${instead}` })
const described = (schema: JsonObject, description: string): JsonObject => ({ ...nullable(schema), description })
const ofType = (type: string, required: string[], properties: JsonObject): JsonObject => ({
  ...anyObject,
  required: ['type', ...required],
  properties: { type: { type: 'string', enum: [type] }, ...properties },
})
const listOf = (name: string) => ({ type: 'array', items: reference(name) })
const content = { anyOf: [text, listOf('InputPart')] }
const texts = nullable({ type: 'array', items: { ...anyObject, required: ['text'], properties: { text } } })

const properties = {
  input: {
    anyOf: [text, { ...listOf('InputItem'), minItems: 1 }],
    description: 'A text of the user, or items: messages, calls, their results, reasoning',
  },
  instructions: described(text, 'The first message of the prompt; not carried over to the next response'),
  model: described(text, 'Counts if it belongs to the provider of the project’s model, with or without `provider/`'),
  stream: described({ ...flag, default: false }, 'True: the answer is a stream of server-sent events'),
  max_output_tokens: described({ type: 'integer', minimum: 1, maximum: maxSafe }, 'The project may lower it'),
  temperature: nullable({ type: 'number', minimum: 0, maximum: 2 }),
  top_p: nullable({ type: 'number', minimum: 0, maximum: 1 }),
  top_logprobs: nullable({ type: 'integer', minimum: 0, maximum: maxSafe }),
  tools: nullable(listOf('ResponseTool')),
  tool_choice: {
    anyOf: [
      { type: ['string', 'null'], enum: ['auto', 'none', 'required', null] },
      ofType('function', ['name'], { name: text }),
      ofType('allowed_tools', ['tools'], {
        mode: nullable({ type: 'string', enum: ['auto', 'required'] }),
        tools: { type: 'array' },
      }),
      {
        ...anyObject,
        description: 'A choice that only OpenAI knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ['function', 'allowed_tools'] } } },
      },
    ],
  },
  parallel_tool_calls: nullable(flag),
  text: nullable({
    ...anyObject,
    properties: { format: { anyOf: [reference('TextFormat'), { type: 'null' }] } },
  }),
  reasoning: nullable({ ...anyObject, properties: { effort: nullable({ type: 'string', enum: efforts }) } }),
  metadata: described(
    {
      ...anyObject,
      maxProperties: maxMetadata,
      propertyNames: { maxLength: 64 },
      additionalProperties: { type: 'string', maxLength: 512 },
    },
    'The answer repeats it',
  ),
  include: described(
    { type: 'array' },
    'With `reasoning.encrypted_content`, reasoning can be sent back; with `message.output_text.logprobs`, texts have ' +
      'their log probabilities',
  ),
  store: described({ ...flag, default: true }, 'False: the response is not stored'),
  previous_response_id: described(text, 'Continue this stored response of the same end user'),
  background: { anyOf: [{ type: 'boolean', const: false }, { type: 'null' }], description: 'Only false is supported' },
  conversation: unsupported('use `previous_response_id`'),
  prompt: promptReference,
  user: { description: 'Ignored: the end user is the one that the token names' },
  safety_identifier: { description: 'Ignored, as `user` is' },
} satisfies Record<KnownResponseField, JsonObject>

const parts = [
  ...['input_text', 'output_text', 'text'].map(type => ofType(type, ['text'], { text })),
  ofType('refusal', ['refusal'], { refusal: text }),
  {
    ...ofType('input_image', [], { image_url: nullable(text), detail: nullable(text), file_id: nullable(text) }),
    anyOf: ['image_url', 'file_id'].map(name => ({ required: [name], properties: { [name]: text } })),
  },
  {
    ...ofType('input_file', [], {
      file_data: nullable(text),
      file_url: nullable(text),
      file_id: nullable(text),
      filename: nullable(text),
    }),
    anyOf: ['file_data', 'file_url', 'file_id'].map(name => ({ required: [name], properties: { [name]: text } })),
  },
  ofType('input_audio', ['input_audio'], {
    input_audio: { ...anyObject, required: ['data', 'format'], properties: { data: text, format: text } },
  }),
]
const knownParts = ['input_text', 'output_text', 'text', 'refusal', 'input_image', 'input_file', 'input_audio']
const knownItems = ['message', 'function_call', 'function_call_output', 'reasoning', 'item_reference']

export const requestSchemas = {
  ResponseRequest: {
    ...anyObject,
    description:
      'Null means the same as absent. Other fields go to openai unchanged and are dropped for other providers, and ' +
      'for all with the setting `client_fields: known`.',
    properties,
    additionalProperties: true,
    ...requiredUnlessNamed(['input'], ['prompt']),
  },
  InputItem: {
    anyOf: [
      {
        ...anyObject,
        description: 'A message. The project decides about the roles system and developer (`client_system_messages`)',
        required: ['role', 'content'],
        properties: {
          type: { type: ['string', 'null'], enum: ['message', null] },
          role: { type: 'string', enum: ['user', 'assistant', 'system', 'developer'] },
          content,
        },
      },
      ofType('function_call', ['call_id', 'name'], { call_id: text, name: text, arguments: nullable(text) }),
      ofType('function_call_output', ['call_id', 'output'], { call_id: text, output: content }),
      ofType('reasoning', [], {
        id: nullable(text),
        summary: texts,
        content: texts,
        encrypted_content: { ...nullable(text), description: 'As an answer contained it' },
      }),
      {
        ...anyObject,
        description: 'An item that only OpenAI knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: knownItems } } },
      },
    ],
  },
  InputPart: {
    anyOf: [
      ...parts,
      {
        ...anyObject,
        description: 'A part that only OpenAI knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: knownParts } } },
      },
    ],
  },
  ResponseTool: {
    anyOf: [
      ofType('function', ['name'], {
        name: text,
        description: nullable(text),
        parameters: described(anyObject, 'A JSON Schema'),
        strict: nullable(flag),
      }),
      {
        ...anyObject,
        description: 'A tool of OpenAI’s own: only for its models',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ['function'] } } },
      },
    ],
  },
  TextFormat: {
    anyOf: [
      ofType('text', [], {}),
      ofType('json_object', [], {}),
      ofType('json_schema', ['name'], {
        name: text,
        description: nullable(text),
        schema: nullable(anyObject),
        strict: nullable(flag),
      }),
    ],
  },
}
