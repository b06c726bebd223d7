// Request bodies that try to cost the server more than their size: many items of one kind, many equal names, long
// names. `bytes` is the approximate size of a body.

import type { JsonObject } from '../../src/domain/json-object.ts'

type MakeBody = (bytes: number) => JsonObject

const user = { role: 'user', content: 'a' }

export const hostileBodies: Record<string, MakeBody> = {
  'messages by turns': bytes => ({ messages: list(bytes / 31, index => (index % 2 ? assistant('a') : user)) }),
  'messages of a user': bytes => ({ messages: list(bytes / 31, () => user) }),
  'instructions between turns': bytes => ({
    messages: [user, ...list(bytes / 33, index => (index % 3 ? { role: 'system', content: 's' } : assistant('a')))],
  }),
  'instructions in front': bytes => ({
    messages: [...list(bytes / 33, () => ({ role: 'system', content: 's' })), user],
  }),
  'calls of one id': bytes => ({ messages: [user, calling(list(bytes / 35, () => call('a'))), user] }),
  'calls of one id in messages of their own': bytes => ({ messages: list(bytes / 70, () => calling([call('a')])) }),
  'calls of one foreign id': bytes => ({ messages: [user, calling(list(bytes / 35, () => call('a b'))), user] }),
  'calls of one id with results': bytes => ({
    messages: [user, calling(list(bytes / 80, () => call('a'))), ...list(bytes / 80, () => result('a'))],
  }),
  'results turned around': bytes => ({
    messages: [
      user,
      calling(list(bytes / 80, index => call(`c${index}`))),
      ...list(bytes / 80, index => result(`c${index}`)).reverse(),
    ],
  }),
  'results of other calls': bytes => ({
    messages: [
      user,
      calling(list(bytes / 50, index => call(`c${index}`))),
      ...list(bytes / 50, index => result(`x${index}`)),
    ],
  }),
  'ids of half a body': bytes => {
    const id = 'i'.repeat(bytes / 8)
    return { messages: [user, ...list(4, () => [calling([call(id)]), result(id)]).flat()] }
  },
  'parts of a message': bytes => ({ messages: [{ role: 'user', content: list(bytes / 4, () => 'a') }] }),
  'parts of an assistant': bytes => ({
    messages: [user, { role: 'assistant', content: list(bytes / 4, () => 'a') }, user],
  }),
  'parts of a result': bytes => ({
    messages: [user, calling([call('a')]), { ...result('a'), content: list(bytes / 4, () => 'a') }],
  }),
  'parts of a stray result': bytes => ({ messages: [user, { ...result('a'), content: list(bytes / 4, () => 'a') }] }),
  images: bytes => ({ messages: [{ role: 'user', content: list(bytes / 60, () => image('https://x.example/a')) }] }),
  'an address without an end': bytes => ({
    messages: [{ role: 'user', content: [image(`data:a/b${';a=b'.repeat(bytes / 4)}`)] }],
  }),
  'a picture': bytes => ({
    messages: [{ role: 'user', content: [image(`data:image/png;base64,iVBORw0K${'A'.repeat(bytes)}`)] }],
  }),
  'pieces of one thought': bytes => ({
    messages: [
      user,
      {
        ...calling([call('a')]),
        reasoning_details: [
          { type: 'reasoning.text', ...fields(bytes / 32) },
          ...list(bytes / 52, () => ({ type: 'reasoning.text', text: 'a' })),
        ],
      },
      result('a'),
    ],
    reasoning_effort: 'low',
  }),
  tools: bytes => ({ messages: [user], tools: list(bytes / 52, index => tool(`f${index}`, undefined)) }),
  'tools of the names that are taken': bytes => ({
    messages: [user],
    tools: list(bytes / 60, index => tool(`json_output_${index}`, undefined)),
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object', oneOf: [] } } },
  }),
  'properties and others required': bytes => ({
    messages: [user],
    tools: [tool('f', { ...properties(bytes / 24), required: list(bytes / 24, index => `q${index}`) })],
  }),
  'variants of one schema': bytes => ({
    messages: [user],
    tools: [
      tool('f', {
        type: 'object',
        $defs: {
          d: { ...properties(bytes / 40), ...fields(bytes / 40), required: list(bytes / 40, index => `${index}`) },
        },
        anyOf: list(bytes / 80, () => ({ $ref: '#/$defs/d' })),
      }),
    ],
  }),
  'schema that points at itself': bytes => ({
    messages: [user],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'x',
        schema: {
          type: 'object',
          $defs: Object.fromEntries(
            list(bytes / 80, index => [
              `d${index}`,
              { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: '#/$defs/d1' }] },
            ]),
          ),
          properties: { p: { $ref: '#/$defs/d0' } },
        },
      },
    },
  }),
  'one thing in another': bytes => ({
    messages: [user],
    metadata: JSON.parse('{"a":['.repeat(bytes / 8) + ']}'.repeat(bytes / 8)),
  }),
  'stop words': bytes => ({ messages: [user], stop: list(bytes / 4, () => 'a') }),
  'unknown fields': bytes => ({ messages: [{ ...user, ...fields(bytes / 24) }], ...fields(bytes / 24) }),
  'a long name of many items': bytes => ({
    messages: [user],
    metadata: { ['n'.repeat(bytes / 2)]: list(bytes / 8, () => 'a') },
  }),
  'arguments with a long name of many items': bytes => ({
    messages: [
      user,
      calling([call('a', JSON.stringify({ ['n'.repeat(bytes / 2)]: list(bytes / 16, () => 'aaaaaa') }))]),
      result('a'),
    ],
  }),
  'white space': bytes => ({
    messages: [{ role: 'user', content: ' '.repeat(bytes) }, assistant('\n'.repeat(8)), user],
  }),
}

function list<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.floor(length) }, (_, index) => make(index))
}

function fields(count: number): JsonObject {
  return Object.fromEntries(list(count, index => [`f${index}`, 'a']))
}

function properties(count: number): JsonObject {
  return { type: 'object', properties: Object.fromEntries(list(count, index => [`p${index}`, {}])) }
}

function assistant(content: string): JsonObject {
  return { role: 'assistant', content }
}

function call(id: string, args = ''): JsonObject {
  return { id, function: { name: 'f', arguments: args } }
}

function calling(tool_calls: JsonObject[]): JsonObject {
  return { role: 'assistant', tool_calls }
}

function result(id: string): JsonObject {
  return { role: 'tool', tool_call_id: id, content: 'r' }
}

function image(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } }
}

function tool(name: string, parameters: JsonObject | undefined): JsonObject {
  return { type: 'function', function: { name, parameters, strict: true } }
}
