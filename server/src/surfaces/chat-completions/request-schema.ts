// The JSON Schema of a completion's request body: it accepts what the two stages of reading accept, field by field.

import type { JsonObject } from '../../domain/json-object.ts'
import { nullable, promptReference, reference, requiredUnlessNamed, text } from '../schema-parts.ts'
import { maxChoices } from './estimate-request.ts'
import { messageSchemas } from './message-schemas.ts'
import { efforts, foreignChoices, type KnownField } from './read-request.ts'

const flag = { type: 'boolean' }
const anyObject = { type: 'object' }
const maxSafe = Number.MAX_SAFE_INTEGER
const positive = { type: 'integer', minimum: 1, maximum: maxSafe }
const notNegative = { type: 'integer', minimum: 0, maximum: maxSafe }
const effort = { type: 'string', enum: efforts }

const described = (schema: JsonObject, description: string): JsonObject => ({ ...nullable(schema), description })

const properties = {
  messages: { type: 'array', minItems: 1, items: reference('ChatMessage') },
  model: described(text, 'Counts if it belongs to the provider of the project’s model, with or without `provider/`'),
  stream: described({ ...flag, default: false }, 'True: the answer is a stream of server-sent events'),
  stream_options: nullable({
    ...anyObject,
    properties: { include_usage: described(flag, 'True: the last chunk of the stream has the usage') },
  }),
  max_completion_tokens: described(positive, 'Takes precedence over `max_tokens`; the project may lower it'),
  max_tokens: described(positive, 'The older name of `max_completion_tokens`'),
  n: described({ type: 'integer', minimum: 1, maximum: maxChoices, default: 1 }, 'How many choices to generate'),
  temperature: nullable({ type: 'number', minimum: 0, maximum: 2 }),
  top_p: nullable({ type: 'number', minimum: 0, maximum: 1 }),
  top_k: nullable(notNegative),
  presence_penalty: nullable({ type: 'number', minimum: -2, maximum: 2 }),
  frequency_penalty: nullable({ type: 'number', minimum: -2, maximum: 2 }),
  seed: nullable({ type: 'integer', minimum: -maxSafe, maximum: maxSafe }),
  stop: { anyOf: [text, { type: 'array', items: text }, { type: 'null' }] },
  logprobs: nullable(flag),
  top_logprobs: described(notNegative, 'Needs `logprobs` to be true'),
  tools: nullable({ type: 'array', items: reference('ChatTool') }),
  tool_choice: {
    anyOf: [
      { type: ['string', 'null'], enum: ['auto', 'none', 'required', null] },
      { ...anyObject, required: ['function'], properties: { function: named({}) } },
      { ...anyObject, required: ['type'], properties: { type: { type: 'string', enum: [...foreignChoices] } } },
    ],
  },
  parallel_tool_calls: nullable(flag),
  response_format: { anyOf: [reference('ResponseFormat'), { type: 'null' }] },
  reasoning_effort: nullable(effort),
  reasoning: nullable({
    ...anyObject,
    properties: {
      effort: nullable(effort),
      enabled: nullable(flag),
      max_tokens: nullable(notNegative),
      exclude: described(flag, 'True: the answer has no reasoning'),
    },
  }),
  user: { description: 'Ignored: the end user is the one that the token names' },
  safety_identifier: { description: 'Ignored, as `user` is' },
  prompt: promptReference,
} satisfies Record<KnownField, JsonObject>

/** An object with a name, as the functions of tools and the schemas of answers are. */
function named(others: JsonObject): JsonObject {
  return { ...anyObject, required: ['name'], properties: { name: text, ...others } }
}

export const requestSchemas = {
  ChatCompletionRequest: {
    ...anyObject,
    description:
      'Null means the same as absent. Other fields go to openai and openrouter unchanged and are dropped for other ' +
      'providers, and for all with the setting `client_fields: known`.',
    properties: {
      ...properties,
      functions: { type: 'null', deprecated: true, description: 'Not supported: use `tools`' },
      function_call: { type: 'null', deprecated: true, description: 'Not supported: use `tool_choice`' },
    },
    additionalProperties: true,
    allOf: [
      requiredUnlessNamed(['messages'], ['prompt']),
      {
        anyOf: [
          { properties: { top_logprobs: { type: 'null' } } },
          { required: ['logprobs'], properties: { logprobs: { type: 'boolean', const: true } } },
        ],
      },
    ],
  },
  ...messageSchemas,
  ChatTool: {
    anyOf: [
      {
        ...anyObject,
        required: ['function'],
        properties: {
          type: { type: ['string', 'null'], enum: ['function', null], default: 'function' },
          function: named({
            description: nullable(text),
            parameters: described(anyObject, 'A JSON Schema'),
            strict: nullable(flag),
          }),
        },
      },
      {
        ...anyObject,
        description: 'A tool that only some provider knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: ['function', 'custom'] } } },
      },
    ],
  },
  ResponseFormat: {
    ...anyObject,
    required: ['type'],
    anyOf: [
      { properties: { type: { type: 'string', enum: ['text', 'json_object'] } } },
      {
        required: ['json_schema'],
        properties: {
          type: { type: 'string', enum: ['json_schema'] },
          json_schema: named({
            description: nullable(text),
            schema: nullable(anyObject),
            strict: nullable(flag),
          }),
        },
      },
    ],
  },
}
