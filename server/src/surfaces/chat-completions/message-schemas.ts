// The JSON Schemas of a completion's messages, of their parts and of tool calls, as requests carry them.

import { nullable, reference, text } from '../schema-parts.ts'

const anyObject = { type: 'object' }
const roleOf = (...roles: string[]) => ({ type: 'string', enum: roles })
const content = { anyOf: [text, { type: 'array', items: reference('ContentPart') }] }
const contentOrNull = { anyOf: [...content.anyOf, { type: 'null' }] }

const parts = {
  text: { required: ['text'], properties: { text } },
  refusal: { required: ['refusal'], properties: { refusal: text } },
  image_url: {
    required: ['image_url'],
    properties: {
      image_url: {
        anyOf: [text, { ...anyObject, required: ['url'], properties: { url: text, detail: nullable(text) } }],
      },
    },
  },
  input_audio: {
    required: ['input_audio'],
    properties: {
      input_audio: { ...anyObject, required: ['data', 'format'], properties: { data: text, format: text } },
    },
  },
  file: {
    required: ['file'],
    properties: {
      file: {
        ...anyObject,
        properties: { file_data: nullable(text), file_id: nullable(text), filename: nullable(text) },
        anyOf: ['file_data', 'file_id'].map(name => ({ required: [name], properties: { [name]: text } })),
      },
    },
  },
}

export const messageSchemas = {
  ChatMessage: {
    anyOf: ['InstructionMessage', 'UserMessage', 'AssistantMessage', 'ToolMessage'].map(reference),
  },
  InstructionMessage: {
    ...anyObject,
    description: 'The project decides whether clients may send these (setting `client_system_messages`)',
    required: ['role', 'content'],
    properties: { role: roleOf('system', 'developer'), content, name: nullable(text) },
  },
  UserMessage: {
    ...anyObject,
    required: ['role', 'content'],
    properties: { role: roleOf('user'), content, name: nullable(text) },
  },
  AssistantMessage: {
    ...anyObject,
    required: ['role'],
    properties: {
      role: roleOf('assistant'),
      content: contentOrNull,
      name: nullable(text),
      refusal: nullable(text),
      reasoning_content: nullable(text),
      reasoning: { ...nullable(text), description: 'Another name of `reasoning_content`' },
      reasoning_details: nullable({
        type: 'array',
        items: { ...anyObject, required: ['type'], properties: { type: text } },
      }),
      tool_calls: nullable({ type: 'array', items: reference('ToolCallOfRequest') }),
      function_call: { type: 'null', deprecated: true, description: 'Not supported: use `tool_calls`' },
    },
  },
  ToolMessage: {
    ...anyObject,
    required: ['role', 'tool_call_id'],
    properties: { role: roleOf('tool'), tool_call_id: text, content: contentOrNull, name: nullable(text) },
  },
  ContentPart: {
    anyOf: [
      { ...text, description: 'The same as a text part' },
      ...Object.entries(parts).map(([type, { required, properties }]) => ({
        ...anyObject,
        required: ['type', ...required],
        properties: { type: { type: 'string', enum: [type] }, ...properties },
      })),
      {
        ...anyObject,
        description: 'A part that only some provider knows',
        required: ['type'],
        properties: { type: { type: 'string', not: { enum: Object.keys(parts) } } },
      },
    ],
  },
  ToolCallOfRequest: {
    ...anyObject,
    required: ['id', 'function'],
    properties: {
      id: text,
      function: { ...anyObject, required: ['name'], properties: { name: text, arguments: nullable(text) } },
      extra_content: nullable({
        ...anyObject,
        properties: { google: nullable({ ...anyObject, properties: { thought_signature: nullable(text) } }) },
      }),
    },
  },
}
