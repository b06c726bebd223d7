// The JSON Schemas of models and threads, and examples of all that the data plane lists.

import { conversationIdForm } from '../domain/conversation/conversation-id.ts'
import { modelSurfaces } from '../domain/conversation/model-surfaces.ts'
import type { Schema } from '../http/openapi-types.ts'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const time = { type: 'string', format: 'date-time' }
const conversationId = { type: 'string', pattern: conversationIdForm.source }

function objectOf(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', required, properties, additionalProperties: false }
}

function pageOf(name: string): Schema {
  const data = { type: 'array', items: { $ref: `#/components/schemas/${name}` } }
  const cursor = { type: ['string', 'null'], description: 'The `cursor` of the next page; null on the last one' }
  return objectOf({ data, next_cursor: cursor })
}

export const listSchemas: Record<string, Schema> = {
  Model: objectOf({
    id: { type: 'string', description: '`provider/model`; requests may leave the prefix out' },
    object: { type: 'string', const: 'model' },
    created: { type: 'integer' },
    owned_by: { type: 'string', description: 'The provider' },
    capabilities: objectOf({
      surfaces: {
        type: 'array',
        items: { type: 'string', enum: [...modelSurfaces] },
        description: 'The endpoints that the model can answer',
      },
    }),
  }),
  ModelList: objectOf(
    {
      object: { type: 'string', const: 'list' },
      data: { type: 'array', items: { $ref: '#/components/schemas/Model' } },
      has_more: { type: 'boolean', description: 'With `limit`, `after_id` or `before_id`, as the two below' },
      first_id: { type: ['string', 'null'] },
      last_id: { type: ['string', 'null'] },
    },
    ['has_more', 'first_id', 'last_id'],
  ),
  Thread: objectOf({
    id: { ...conversationId, description: 'The X-Thread-Id of its requests' },
    object: { type: 'string', const: 'thread' },
    title: { type: ['string', 'null'], description: 'The beginning of the first user message' },
    message_count: count,
    created_at: time,
    updated_at: time,
  }),
  ThreadPage: pageOf('Thread'),
  ThreadMessage: objectOf(
    {
      id: text,
      object: { type: 'string', const: 'thread.message' },
      role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
      content: {
        anyOf: [
          text,
          { type: 'array', items: { type: 'object', required: ['type'], properties: { type: text } } },
          { type: 'null' },
        ],
        description: 'A text or parts, as in a request',
      },
      refusal: text,
      tool_calls: { type: 'array', items: { $ref: '#/components/schemas/ToolCall' } },
      tool_call_id: text,
      created_at: time,
    },
    ['refusal', 'tool_calls', 'tool_call_id'],
  ),
  ThreadMessagePage: pageOf('ThreadMessage'),
}

const createdAt = '2026-11-23T08:00:00.000Z'
const thread = {
  id: 'trip-to-oslo',
  object: 'thread',
  title: 'Is it raining in Oslo?',
  message_count: 2,
  created_at: createdAt,
  updated_at: createdAt,
}
const message = (id: string, role: string, content: string) => ({
  id,
  object: 'thread.message',
  role,
  content,
  created_at: createdAt,
})
const numbers = { requests: 12, prompt_tokens: 480, completion_tokens: 920, total_tokens: 1400, cost_usd: 0.000624 }

const model = {
  id: 'openai/gpt-4o-mini',
  object: 'model',
  created: 0,
  owned_by: 'openai',
  capabilities: { surfaces: ['chat_completions', 'responses', 'messages'] },
}

export const listExamples = {
  models: {
    object: 'list',
    data: [model],
  },
  model,
  thread,
  threads: { data: [thread], next_cursor: null },
  threadMessages: {
    data: [
      message('0197c2d4-5f6a-7b8c-9d0e-1f2a3b4c5d6e', 'user', 'Is it raining in Oslo?'),
      message('0197c2d4-5f6a-7b8c-9d0e-1f2a3b4c5d6f', 'assistant', 'No, it is dry.'),
    ],
    next_cursor: null,
  },
  usage: {
    data: [{ uid: null, day: '2026-11-23', model: null, endpoint: null, ...numbers }],
    totals: numbers,
    next_cursor: null,
  },
}
