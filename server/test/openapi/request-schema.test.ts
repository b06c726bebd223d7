// The documented request body of chat completions accepts exactly what the reader accepts, value by value.
import { describe, expect, test } from 'vitest'
import { chatCompletionsEndpoint } from '../../src/surfaces/chat-completions/chat-completions.ts'
import { createComparison } from './schema-comparison.ts'

const { request, schemas } = chatCompletionsEndpoint.description
const { compare, isRead } = createComparison(chatCompletionsEndpoint)

const named = { name: 'f' }
const call = { id: 'c', function: named }
const values: unknown[] = [
  ...[undefined, null, true, false, '', 'x', 'low', 'auto', 'required', 'function', 'custom', 'json_object'],
  ...[0, 1, -1, 2, 3, 0.5, 128, 129, -2, -3, 1e300, 2 ** 53, -(2 ** 53)],
  ...[[], ['x'], [1], [null], [{}], [[]]],
  ...[{}, named, { name: 1 }, { name: 'f', strict: 'x' }, { name: 'f', description: 1 }, { name: 'f', parameters: [] }],
  ...[{ function: named }, { function: {} }, { type: 'function' }, { type: 'custom' }, { type: 'allowed_tools' }],
  ...[{ type: 'function', function: named }, { type: null, function: named }, { type: 'web_search' }, { type: 1 }],
  ...[[{ type: 'function', function: named }], [{ function: named }], [{ type: 'custom' }], [{ type: 'web_search' }]],
  ...[[{ type: 'function' }], [{ function: { ...named, strict: null } }], [{ type: 1, function: named }]],
  ...[{ type: 'text' }, { type: 'json_object' }, { type: 'json_schema' }, { type: 'json_schema', json_schema: named }],
  ...[{ type: 'json_schema', json_schema: { name: 'f', schema: 'x' } }, { type: 'xml' }, { type: null }],
  ...[{ effort: 'low' }, { effort: 'x' }, { enabled: 1 }, { max_tokens: -1 }, { max_tokens: 9 }, { exclude: 'x' }],
  ...[{ include_usage: true }, { include_usage: 'x' }, { include_usage: null, other: 1 }],
  ...[[call], [{ ...call, id: 1 }], [{ id: 'c' }], [{ id: 'c', function: { name: 'f', arguments: 1 } }]],
  ...[[{ ...call, extra_content: { google: { thought_signature: 's' } } }], [{ ...call, extra_content: 's' }]],
  ...[[{ ...call, extra_content: { google: 1 } }], [{ ...call, extra_content: { google: { thought_signature: 1 } } }]],
  ...[[{ type: 'text', text: 'x' }], [{ type: 'text' }], [{ type: 'text', text: null }], [{ type: 'new' }], ['x', 1]],
  ...[[{ type: 'image_url', image_url: 'x' }], [{ type: 'image_url', image_url: {} }], [{ type: 'image_url' }]],
  ...[[{ type: 'image_url', image_url: { url: 'x', detail: 1 } }], [{ type: 'image_url', image_url: { url: 'x' } }]],
  ...[[{ type: 'file', file: {} }], [{ type: 'file', file: { file_id: 'x' } }], [{ type: 'file' }]],
  ...[
    [{ type: 'file', file: { file_data: 'x', file_id: null } }],
    [{ type: 'file', file: { file_id: 'x', filename: 1 } }],
  ],
  ...[[{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }], [{ type: 'input_audio', input_audio: {} }]],
  ...[[{ type: 'refusal', refusal: 'x' }], [{ type: 'refusal' }]],
  ...[[{ role: 'user', content: 'x' }], [{ role: 'user' }], [{ role: 'nobody', content: 'x' }]],
]
const messages = [{ role: 'user', content: 'x' }]
const fields = [
  ...Object.keys((schemas['ChatCompletionRequest']?.['properties'] ?? {}) as object),
  ...['unknown', 'tool_choice', 'messages'],
]
const frames: Record<string, Record<string, unknown>> = {
  user: { role: 'user', content: 'x' },
  system: { role: 'system', content: 'x' },
  developer: { role: 'developer', content: [] },
  assistant: { role: 'assistant' },
  tool: { role: 'tool', tool_call_id: 'c' },
  function: { role: 'function', content: 'x' },
}
const messageFields = [
  ...['role', 'content', 'name', 'tool_call_id', 'tool_calls', 'refusal', 'reasoning_content', 'reasoning'],
  ...['reasoning_details', 'function_call', 'unknown'],
]

describe('the schema and the reader agree', () => {
  test.each([...new Set(fields)])('on %s', async field => {
    const { accepted, rejected } = await compare(values.map(value => ({ messages, [field]: value })))
    expect(accepted).toBeGreaterThan(0)
    const isFree = ['unknown', 'user', 'safety_identifier'].includes(field)
    expect(rejected > 0).toBe(!isFree)
  })

  test('on top_logprobs beside logprobs', async () => {
    const bodies = values.flatMap(value => [true, false].map(logprobs => ({ messages, logprobs, top_logprobs: value })))
    expect((await compare(bodies)).accepted).toBeGreaterThan(5)
  })

  test.each(Object.keys(frames))('on each field of a message of the role %s', async role => {
    const bodies = messageFields.flatMap(field =>
      values.map(value => ({ messages: [...messages, { ...frames[role], [field]: value }] })),
    )
    expect((await compare(bodies)).rejected).toBeGreaterThan(50)
  })
})

test('every example of a request is accepted by the reader', async () => {
  for (const { summary, value } of Object.values(request.examples))
    expect([summary, await isRead(value)]).toEqual([summary, true])
})
