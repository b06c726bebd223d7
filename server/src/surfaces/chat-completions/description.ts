// What the OpenAPI document says about chat completions. The examples of answers are written by the code that writes
// answers.

import type { Delta } from '../../domain/conversation/answer.ts'
import { Refusal } from '../../domain/errors.ts'
import { errorFrame } from '../openai-errors.ts'
import { reference } from '../schema-parts.ts'
import type { EndpointDescription } from '../surface.ts'
import { answerSchemas } from './answer-schemas.ts'
import { createChunkWriter, renderCompletion } from './completion-chunks.ts'
import { requestSchemas } from './request-schema.ts'

const question = { role: 'user', content: 'Why is the sky blue?' }
const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const weatherCall = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }
const requestExamples = {
  plain: { summary: 'One question', value: { messages: [question] } },
  stream: {
    summary: 'The same as a stream, with the usage at its end',
    value: { messages: [question], stream: true, stream_options: { include_usage: true } },
  },
  tools: {
    summary: 'With a tool',
    value: {
      messages: [{ role: 'user', content: 'Is it raining in Oslo?' }],
      tools: [weatherTool],
      tool_choice: 'auto',
    },
  },
  image: {
    summary: 'With a picture',
    value: {
      model: 'gpt-4o-mini',
      max_completion_tokens: 200,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'https://example.com/picture.png' } },
          ],
        },
      ],
    },
  },
  structured: {
    summary: 'Asking for JSON',
    value: {
      messages: [question],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'reason', schema: { type: 'object', properties: { reason: { type: 'string' } } } },
      },
    },
  },
}

const identity = {
  id: 'chatcmpl-0197c2d4-5f6a-7b8c-9d0e-1f2a3b4c5d6e',
  createdSeconds: 1_790_000_000,
  model: 'openai/gpt-4o-mini',
}
const usage = { promptTokens: 13, completionTokens: 9, totalTokens: 22, cachedTokens: 0, reasoningTokens: 0 }
const spoken: Delta[] = [
  { type: 'text', choice: 0, text: 'Air scatters blue light ' },
  { type: 'text', choice: 0, text: 'the most.' },
  { type: 'finish', choice: 0, reason: 'stop', native: 'stop' },
  { type: 'usage', usage },
]
const called: Delta[] = [
  { type: 'tool_call', choice: 0, call: 0, ...weatherCall },
  { type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_calls' },
  { type: 'usage', usage },
]

function streamOf(deltas: readonly Delta[], end: string): string {
  const writer = createChunkWriter(identity, { includeUsage: true })
  const chunks = deltas.flatMap(delta => writer.write(delta))
  return chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('') + end
}

const done = 'data: [DONE]\n\n'

export const description: EndpointDescription = {
  operationId: 'createChatCompletion',
  summary: 'Answer a conversation, whole or as a stream',
  description:
    'The body is OpenAI’s. With `"stream": true` the answer is a stream of server-sent events: each `data:` line is a ' +
    'chunk, and `data: [DONE]` is the last one. Lines that begin with `:` are comments, sent while the model is silent; ' +
    'ignore them. Errors before the first event have a status and a body. If an answer fails later, one `data:` line ' +
    'has an error as its data, and the stream ends without `[DONE]`.',
  schemas: { ...requestSchemas, ...answerSchemas },
  request: { schema: reference('ChatCompletionRequest'), examples: requestExamples },
  answer: {
    schema: reference('ChatCompletion'),
    examples: {
      text: { summary: 'A text', value: renderCompletion(identity, spoken) },
      toolCall: { summary: 'A tool call', value: renderCompletion(identity, called) },
    },
  },
  stream: {
    schema: {
      anyOf: [
        reference('ChatCompletionChunk'),
        reference('ChatCompletionError'),
        { type: 'string', const: '[DONE]', description: 'Not JSON: these six characters end a complete stream' },
      ],
    },
    examples: {
      text: { summary: 'A text, after a comment', value: `: keep-alive\n\n${streamOf(spoken, done)}` },
      toolCall: { summary: 'A tool call', value: streamOf(called, done) },
      failed: {
        summary: 'A stream that fails: an error, and no [DONE]',
        value: streamOf(spoken.slice(0, 1), errorFrame(new Refusal('provider_timeout'))),
      },
    },
  },
}
