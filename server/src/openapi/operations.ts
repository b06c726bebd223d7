// What the document says of each route of the data plane but completions: parameters, body, answer and errors.
// Completions are described by their surfaces.

import { conversationIdForm } from '../domain/conversation/conversation-id.ts'
import { responseIdForm } from '../domain/conversation/response-id.ts'
import type { Content, Parameter, Schema } from '../http/openapi-types.ts'
import { toJsonSchema } from '../management/plane/openapi-document.ts'
import { usageQuerySchema, usageSchema } from '../management/projects/usage.ts'
import { responsesEndpoint } from '../surfaces/responses/responses.ts'
import {
  type ErrorGroup,
  feedbackErrors,
  listErrors,
  listQueryErrors,
  modelErrors,
  responseErrors,
  threadErrors,
  userErrors,
} from './errors.ts'
import { listExamples } from './list-schemas.ts'

export interface ReadOperation {
  operationId: string
  summary: string
  description?: string
  tag: string
  parameters: Parameter[]
  body?: Content
  /** Null for 204. */
  answer: Content | null
  /** Of a 204. */
  done?: string
  errors: ErrorGroup[]
}

const conversationId = { type: 'string', pattern: conversationIdForm.source }
const inQuery = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})
const uid = inQuery('uid', 'The end user; tokens with the role `user` may name their own alone', {
  type: 'string',
  minLength: 1,
})
const page = [
  inQuery('limit', 'How many', { type: 'integer', minimum: 1, maximum: 200, default: 50 }),
  inQuery('cursor', 'The `next_cursor` of the page before', { type: 'string' }),
]
const threadId: Parameter = { name: 'id', in: 'path', required: true, schema: conversationId }
const responseId: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: responseIdForm.source },
}
const tokenInApiKey = 'The token may come in `x-api-key` too.'
const descriptions: Record<string, string> = {
  from: 'The first day',
  to: 'The last day',
  group_by: 'What each row is about; its other fields are null',
}
const usageParameters = Object.entries(toJsonSchema(usageQuerySchema, 'input')['properties'] as Record<string, Schema>)

function answerOf(schema: string, example: unknown): Content {
  return {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      examples: { success: { summary: 'Success', value: example } },
    },
  }
}

export const usageSchemas: Record<string, Schema> = { UsageReport: toJsonSchema(usageSchema, 'output') }

/** By method and pattern, as the gateway's table of routes has them. */
export const readOperations: Readonly<Record<string, ReadOperation>> = {
  'GET /v1/models': {
    operationId: 'listModels',
    summary: 'List the models that this project may use, the configured one first',
    description: `All of them, or pages as Anthropic’s API has them. ${tokenInApiKey}`,
    tag: 'models',
    parameters: [
      inQuery('limit', 'How many; without it and the two below: all', {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 20,
      }),
      inQuery('after_id', 'The `last_id` of the page before', { type: 'string' }),
      inQuery('before_id', 'The `first_id` of the page after', { type: 'string' }),
    ],
    answer: answerOf('ModelList', listExamples.models),
    errors: [listQueryErrors],
  },
  'GET /v1/models/:id': {
    operationId: 'getModel',
    summary: 'Get a model that this project may use',
    description: tokenInApiKey,
    tag: 'models',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'With or without the provider; its slashes may be percent-encoded',
        schema: { type: 'string' },
      },
    ],
    answer: answerOf('Model', listExamples.model),
    errors: [modelErrors],
  },
  'GET /v1/threads': {
    operationId: 'listThreads',
    summary: 'List the conversations of the end user, the newest first',
    description: 'Conversations of requests with `X-Thread-Id`. Sessions are not listed.',
    tag: 'threads',
    parameters: [uid, ...page],
    answer: answerOf('ThreadPage', listExamples.threads),
    errors: [userErrors, listErrors],
  },
  'GET /v1/threads/:id': {
    operationId: 'getThread',
    summary: 'Get a conversation',
    tag: 'threads',
    parameters: [threadId, uid],
    answer: answerOf('Thread', listExamples.thread),
    errors: [userErrors, threadErrors],
  },
  'DELETE /v1/threads/:id': {
    operationId: 'deleteThread',
    summary: 'Delete a conversation and its messages',
    tag: 'threads',
    parameters: [threadId, uid],
    answer: null,
    errors: [userErrors, threadErrors],
  },
  'GET /v1/threads/:id/messages': {
    operationId: 'listThreadMessages',
    summary: 'List the messages of a conversation, the oldest first',
    tag: 'threads',
    parameters: [threadId, uid, ...page],
    answer: answerOf('ThreadMessagePage', listExamples.threadMessages),
    errors: [userErrors, listErrors, threadErrors],
  },
  'GET /v1/responses/:id': {
    operationId: 'getResponse',
    summary: 'Get a stored response',
    tag: 'responses',
    parameters: [responseId, uid],
    answer: answerOf('Response', responsesEndpoint.description.answer.examples['text']?.value),
    errors: [userErrors, responseErrors],
  },
  'DELETE /v1/responses/:id': {
    operationId: 'deleteResponse',
    summary: 'Delete a stored response; responses that continue it no longer recall it',
    tag: 'responses',
    parameters: [responseId, uid],
    answer: answerOf('DeletedResponse', {
      id: 'resp_0197c2d45f6a7b8c9d0e1f2a3b4c5d6e',
      object: 'response',
      deleted: true,
    }),
    errors: [userErrors, responseErrors],
  },
  'GET /v1/billing/usage': {
    operationId: 'getUsage',
    summary: 'Get requests and tokens by day, model, end user or endpoint',
    description:
      'Tokens with the role `user` see themselves alone, others all end users or the one in `uid`. Days are in UTC, ' +
      'both ends included; `totals` cover all rows of the filter.',
    tag: 'usage',
    parameters: usageParameters.map(([name, schema]) =>
      name === 'uid'
        ? uid
        : (page.find(known => known.name === name) ?? inQuery(name, descriptions[name] ?? '', schema)),
    ),
    answer: answerOf('UsageReport', listExamples.usage),
    errors: [userErrors, listErrors],
  },
  'POST /v1/feedback': {
    operationId: 'giveFeedback',
    summary: 'Judge one of the end user’s own requests of the last 30 days',
    description: 'A later judgement replaces the one before. Needs the request log of the project.',
    tag: 'feedback',
    parameters: [],
    body: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['request_id', 'score'],
          properties: {
            request_id: { type: 'string', format: 'uuid', description: 'The `x-request-id` of the answer' },
            score: { type: 'number', minimum: -1, maximum: 1 },
            comment: { type: 'string', maxLength: 1000 },
          },
        },
        examples: {
          good: {
            summary: 'A good answer',
            value: { request_id: '0197c2d4-5f6a-4b8c-9d0e-1f2a3b4c5d6e', score: 1, comment: 'Just what I needed' },
          },
        },
      },
    },
    answer: null,
    done: 'Kept',
    errors: feedbackErrors,
  },
}
