// What the OpenAPI document says about /v1/messages and its count. The examples of answers are written by the code
// that writes answers.

import type { Delta } from '../../domain/conversation/answer.ts'
import { Refusal } from '../../domain/errors.ts'
import { reference } from '../schema-parts.ts'
import type { EndpointDescription } from '../surface.ts'
import { answerSchemas } from './answer-schemas.ts'
import { errorFrame } from './errors.ts'
import { MessageEvents, renderMessage } from './message-events.ts'
import { eventText } from './replies.ts'
import { requestSchemas } from './request-schema.ts'

const question = { role: 'user', content: 'Why is the sky blue?' }
const prompt = { max_tokens: 1024, messages: [question] }
const weatherTool = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/picture.png' } }
const requestExamples = {
  plain: { summary: 'One question', value: prompt },
  stream: { summary: 'The same as a stream', value: { ...prompt, stream: true } },
  tools: {
    summary: 'With a tool',
    value: {
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'Is it raining in Oslo?' }],
      tools: [weatherTool],
      tool_choice: { type: 'auto' },
    },
  },
  image: {
    summary: 'With a picture',
    value: {
      max_tokens: 1024,
      messages: [{ role: 'user', content: [image, { type: 'text', text: 'What is this?' }] }],
    },
  },
}

const identity = { id: 'msg_0197c2d45f6a7b8c9d0e1f2a3b4c5d6e', model: 'openai/gpt-4o-mini' }
const usage = { promptTokens: 13, completionTokens: 9, totalTokens: 22, cachedTokens: 0, reasoningTokens: 0 }
const end = (reason: 'stop' | 'tool_calls'): Delta[] => [
  { type: 'finish', choice: 0, reason, native: reason },
  { type: 'usage', usage },
]
const spoken: Delta[] = [
  { type: 'text', choice: 0, text: 'Air scatters blue light ' },
  { type: 'text', choice: 0, text: 'the most.' },
  ...end('stop'),
]
const called: Delta[] = [
  { type: 'tool_call', choice: 0, call: 0, id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
  ...end('tool_calls'),
]

function streamOf(deltas: readonly Delta[], failure?: Refusal): string {
  const events = new MessageEvents(identity)
  const begun = deltas.flatMap(delta => events.write(delta))
  const all = failure === undefined ? [...begun, ...events.end()] : begun
  const requestId = '0197c2d4-5f6a-7b8c-9d0e-1f2a3b4c5d6e'
  return all.map(eventText).join('') + (failure === undefined ? '' : errorFrame(failure, requestId))
}

export const messagesDescription: EndpointDescription = {
  operationId: 'createMessage',
  summary: 'Answer a conversation in Anthropic’s format, whole or as a stream',
  description:
    'The body is Anthropic’s, for all providers. The token may also be sent as `x-api-key`. `anthropic-version` and ' +
    '`anthropic-beta` are passed on to anthropic. With `"stream": true` the answer is a stream of server-sent events; ' +
    'ignore `ping`, which is sent while the model is silent. Errors before the first event have a status and a body. If ' +
    'an answer fails later, the event `error` ends the stream without `message_stop`.',
  schemas: { ...requestSchemas, ...answerSchemas },
  request: { schema: reference('MessagesRequest'), examples: requestExamples },
  answer: {
    schema: reference('MessagesAnswer'),
    examples: {
      text: { summary: 'A text', value: renderMessage(identity, spoken) },
      toolCall: { summary: 'A tool call', value: renderMessage(identity, called) },
    },
  },
  stream: {
    schema: { anyOf: [reference('MessagesEvent'), reference('MessagesError')] },
    examples: {
      text: { summary: 'A text', value: streamOf(spoken) },
      toolCall: { summary: 'A tool call', value: streamOf(called) },
      failed: {
        summary: 'A stream that fails: an error, and no message_stop',
        value: streamOf(spoken.slice(0, 1), new Refusal('provider_timeout')),
      },
    },
  },
}

export const countDescription: EndpointDescription = {
  operationId: 'countMessageTokens',
  summary: 'Count the tokens of a prompt in Anthropic’s format',
  description:
    'Anthropic counts its own models’ prompts. For other providers the number is estimated here, and the response has ' +
    '`x-sallyport-estimate: true`. Counting costs a request and no tokens.',
  schemas: {},
  request: {
    schema: reference('MessagesCountRequest'),
    examples: { plain: { summary: 'One question', value: { messages: [question] } } },
  },
  answer: {
    schema: reference('MessagesCount'),
    examples: { plain: { summary: 'The tokens', value: { input_tokens: 14 } } },
  },
  stream: null,
}
