// The inbound OpenAI body as a prompt, and the faults that name a field.

import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/errors.ts'
import { JsonText } from '../../../src/domain/json/json-text.ts'
import type { JsonObject } from '../../../src/domain/json-object.ts'
import { readCompletionRequest } from './read-body.ts'

const messages = [{ role: 'user', content: 'Hi' }]

function refusalOf(body: JsonObject): Refusal {
  try {
    readCompletionRequest(body)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('was read')
}

describe('a request', () => {
  it('of the least', () => {
    expect(readCompletionRequest({ messages })).toEqual({
      model: null,
      prompt: {
        format: 'chat-completions',
        source: null,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [],
        otherTools: [],
        sampling: {},
        stop: [],
        stream: false,
        includeUsage: false,
        extra: {},
      },
    })
  })

  it('keeps a field of any name as a field', () => {
    const body = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject
    const { extra } = readCompletionRequest({ messages, ...body }).prompt
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"a":1},"constructor":2}')
  })

  it('of everything', () => {
    const parameters = { type: 'object', properties: {} }
    const body = {
      model: 'gpt-4o',
      messages,
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters, strict: true } },
        { type: 'openrouter:web_search' },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: parameters, strict: true } },
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      presence_penalty: 1,
      frequency_penalty: -1,
      seed: 7,
      max_tokens: 10,
      max_completion_tokens: 20,
      stop: 'END',
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      user: 'somebody',
      safety_identifier: 'somebody',
      verbosity: 'low',
    }
    expect(readCompletionRequest(body)).toEqual({
      model: 'gpt-4o',
      prompt: {
        format: 'chat-completions',
        source: null,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ name: 'f', description: 'd', parameters: JsonText.of(parameters), strict: true }],
        otherTools: [{ type: 'openrouter:web_search' }],
        toolChoice: { name: 'f' },
        parallelToolCalls: false,
        responseFormat: { type: 'json_schema', name: 's', schema: JsonText.of(parameters), strict: true },
        sampling: { temperature: 0.5, topP: 0.9, topK: 40, presencePenalty: 1, frequencyPenalty: -1, seed: 7 },
        maxOutputTokens: 20,
        stop: ['END'],
        choiceCount: 2,
        logprobs: { topCount: 3 },
        reasoning: { effort: 'high' },
        stream: true,
        includeUsage: true,
        extra: { verbosity: 'low', stream_options: { include_obfuscation: false } },
      },
    })
  })

  it('takes null for absent', () => {
    const nulls = {
      temperature: null,
      tools: null,
      stop: null,
      response_format: null,
      stream: null,
      n: null,
      model: null,
    }
    expect(readCompletionRequest({ messages, ...nulls })).toEqual(readCompletionRequest({ messages }))
  })

  it.each<[JsonObject, unknown]>([
    [{ reasoning: { effort: 'low', exclude: true } }, { effort: 'low', isHidden: true }],
    [{ reasoning: { max_tokens: 2000 } }, { maxTokens: 2000 }],
    [{ reasoning: { enabled: true } }, { effort: 'medium' }],
    [{ reasoning: { enabled: false } }, { effort: 'none' }],
  ])('reasoning %j', (fields, expected) => {
    expect(readCompletionRequest({ messages, ...fields }).prompt.reasoning).toEqual(expected)
  })

  it('keeps unknown fields as they are, also those with evil names', () => {
    const body = JSON.parse('{"messages":[{"role":"user","content":"Hi","x":1}],"__proto__":{"polluted":true},"y":[1]}')
    const { prompt } = readCompletionRequest(body)
    expect(JSON.stringify(prompt.extra)).toBe('{"__proto__":{"polluted":true},"y":[1]}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(prompt.messages[0]?.extra).toEqual({ x: 1 })
  })
})

const messagesOfAllKinds = [
  { role: 'developer', content: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }] },
  {
    role: 'user',
    name: 'ann',
    content: [
      { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
      { type: 'image_url', image_url: 'data:image/png;base64,AA==' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'https://x' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    reasoning_content: 'thought',
    reasoning_details: [{ type: 'reasoning.text', text: 'thought', signature: 's', format: 'f' }],
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        index: 0,
        function: { name: 'f', arguments: '{"a":1' },
        extra_content: { google: { thought_signature: 'sig' } },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'done' },
]

describe('messages', () => {
  it('of every role and part', () => {
    const { prompt } = readCompletionRequest({ messages: messagesOfAllKinds })
    expect(prompt.messages).toEqual([
      {
        role: 'developer',
        content: [{ type: 'text', text: 'Be brief', extra: { cache_control: { type: 'ephemeral' } } }],
      },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'image', url: 'https://x/y.png', detail: 'low' },
          { type: 'image', url: 'data:image/png;base64,AA==' },
          { type: 'file', data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'audio', data: 'AA==', format: 'wav' },
          { type: 'other', kind: 'video_url', value: { type: 'video_url', video_url: { url: 'https://x' } } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning: 'thought',
        reasoningDetails: [{ type: 'reasoning.text', text: 'thought', signature: 's', format: 'f' }],
        toolCalls: [
          {
            id: 'call_1',
            name: 'f',
            arguments: '{"a":1',
            signature: 'sig',
          },
        ],
      },
      { role: 'tool', toolCallId: 'call_1', content: 'done' },
    ])
  })
})

describe('faults', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  it.each<[string, JsonObject, string]>([
    ['no messages', {}, 'messages'],
    ['empty messages', { messages: [] }, 'messages'],
    ['messages of another kind', { messages: 'Hi' }, 'messages'],
    ['a message that is none', { messages: ['Hi'] }, 'messages[0]'],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
    ['the legacy role', { messages: [...messages, { role: 'function', content: '' }] }, 'messages[1].role'],
    ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['content of another kind', { messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    ['a part without type', { messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content[0].type'],
    [
      'an image without url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'messages[0].content[0].image_url.url',
    ],
    [
      'an empty file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
      'messages[0].content[0].file',
    ],
    ['a result of no call', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [
      'a call without name',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: {} }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    [
      'arguments that are no text',
      { messages: [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }] },
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a model that is no text', { messages, model: 4 }, 'model'],
    ['stream of another kind', { messages, stream: 'true' }, 'stream'],
    ['temperature out of range', { messages, temperature: 2.1 }, 'temperature'],
    ['temperature as text', { messages, temperature: '1' }, 'temperature'],
    ['a limit of nothing', { messages, max_tokens: 0 }, 'max_tokens'],
    ['half a choice', { messages, n: 1.5 }, 'n'],
    ['stop of another kind', { messages, stop: [1] }, 'stop'],
    ['top_logprobs alone', { messages, top_logprobs: 2 }, 'top_logprobs'],
    ['an unknown effort', { messages, reasoning_effort: 'huge' }, 'reasoning_effort'],
    ['an unknown format', { messages, response_format: { type: 'xml' } }, 'response_format.type'],
    [
      'a schema without name',
      { messages, response_format: { type: 'json_schema', json_schema: {} } },
      'response_format.json_schema.name',
    ],
    ['tools of another kind', { messages, tools: {} }, 'tools'],
    ['a tool without name', { messages, tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    ['a custom tool', { messages, tools: [{ type: 'custom', custom: {} }] }, 'tools[0].type'],
    ['an unknown choice', { messages, tool_choice: 'maybe' }, 'tool_choice'],
    [
      'a choice without name',
      { messages, tool_choice: { type: 'function', function: {} } },
      'tool_choice.function.name',
    ],
    ['legacy functions', { messages, functions: [] }, 'functions'],
    ['a legacy choice', { messages, function_call: 'auto' }, 'function_call'],
    [
      'a legacy call',
      { messages: [{ role: 'assistant', content: null, function_call: {} }] },
      'messages[0].function_call',
    ],
  ])('%s', (_, body, param) => {
    const refusal = refusalOf(body)
    expect(refusal.row.status).toBe(400)
    expect(refusal.details.param).toBe(param)
    expect(refusal.message).toContain(param)
  })
})
