// What the OpenAPI document says about responses. The examples of answers are written by the code that writes answers.

import type { Delta } from '../../domain/conversation/answer.ts'
import { Refusal } from '../../domain/errors.ts'
import { writeJson } from '../../domain/json/json-text.ts'
import { reference } from '../schema-parts.ts'
import type { EndpointDescription } from '../surface.ts'
import { answerSchemas } from './answer-schemas.ts'
import { errorEvent, eventText, failureOf } from './errors.ts'
import { requestSchemas } from './request-schema.ts'
import { echoOf } from './response-object.ts'
import { ResponseWriter } from './response-writer.ts'

const input = 'Why is the sky blue?'
const weatherTool = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const requestExamples = {
  plain: { summary: 'One question', value: { input } },
  stream: { summary: 'The same as a stream', value: { input, stream: true } },
  next: {
    summary: 'The next question of the same conversation',
    value: { input: 'And at sunset?', previous_response_id: 'resp_0197c2d45f6a7b8c9d0e1f2a3b4c5d6e' },
  },
  tools: { summary: 'With a tool', value: { input: 'Is it raining in Oslo?', tools: [weatherTool] } },
  image: {
    summary: 'With a picture',
    value: {
      instructions: 'Answer in one sentence.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'https://example.com/picture.png' },
          ],
        },
      ],
    },
  },
  structured: {
    summary: 'Asking for JSON',
    value: {
      input,
      text: {
        format: {
          type: 'json_schema',
          name: 'reason',
          schema: { type: 'object', properties: { reason: { type: 'string' } } },
        },
      },
    },
  },
}

const usage = { promptTokens: 13, completionTokens: 9, totalTokens: 22, cachedTokens: 0, reasoningTokens: 0 }
const spoken: Delta[] = [
  { type: 'text', choice: 0, text: 'Air scatters blue light ' },
  { type: 'text', choice: 0, text: 'the most.' },
  { type: 'finish', choice: 0, reason: 'stop', native: 'stop' },
  { type: 'usage', usage },
]
const called: Delta[] = [
  { type: 'tool_call', choice: 0, call: 0, id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
  { type: 'finish', choice: 0, reason: 'tool_calls', native: 'tool_calls' },
  { type: 'usage', usage },
]

function createWriter(): ResponseWriter {
  return new ResponseWriter({
    identity: {
      id: 'resp_0197c2d45f6a7b8c9d0e1f2a3b4c5d6e',
      createdSeconds: 1_790_000_000,
      model: 'openai/gpt-4o-mini',
    },
    echo: echoOf({ input }),
    sealsReasoning: false,
  })
}

function wholeOf(deltas: readonly Delta[]): unknown {
  const writer = createWriter()
  for (const delta of deltas) writer.write(delta)
  return JSON.parse(writeJson(writer.response()))
}

function streamOf(deltas: readonly Delta[], refusal: Refusal | null): string {
  const writer = createWriter()
  const events = deltas.flatMap(delta => writer.write(delta))
  const last = refusal === null ? writer.end() : [writer.fail(failureOf(refusal)), errorEvent(refusal)]
  return [...events, ...last].map(eventText).join('')
}

export const description: EndpointDescription = {
  operationId: 'createResponse',
  summary: 'Answer in the Responses format, whole or as a stream',
  description:
    'The body is that of OpenAI’s Responses API. With `"stream": true` the answer is a stream of server-sent events, ' +
    'numbered by `sequence_number`. Lines that begin with `:` are comments, sent while the model is silent; ignore ' +
    'them. Errors before the first event have a status and a body. If an answer fails later, the stream ends with ' +
    '`response.failed` and `error`. A complete response is stored for the end user if the project’s memory is on and ' +
    '`store` is not false.',
  schemas: { ...requestSchemas, ...answerSchemas },
  request: { schema: reference('ResponseRequest'), examples: requestExamples },
  answer: {
    schema: reference('Response'),
    examples: {
      text: { summary: 'A text', value: wholeOf(spoken) },
      toolCall: { summary: 'A tool call', value: wholeOf(called) },
    },
  },
  stream: {
    schema: reference('ResponseEvent'),
    examples: {
      text: { summary: 'A text, after a comment', value: `: keep-alive\n\n${streamOf(spoken, null)}` },
      toolCall: { summary: 'A tool call', value: streamOf(called, null) },
      failed: {
        summary: 'A stream that fails',
        value: streamOf(spoken.slice(0, 1), new Refusal('provider_timeout')),
      },
    },
  },
}
