import { describe, expect, test } from 'vitest'
import { checkPromptName, checkTemplate, parseNamedTemplate } from '../../../src/domain/prompts/check-template.ts'
import { promptLimits } from '../../../src/domain/prompts/template.ts'

const messages = [{ role: 'user', content: 'Say {{word}}' }]
const variables = { word: { type: 'string' } }
const good = { messages, variables }
const known = (model: string) => model === 'openai/gpt-4o'
const check = (value: object) => checkTemplate(value as Record<string, unknown>, known)

test('a prompt is stored with all that it leaves out', () => {
  const outcome = check({
    messages,
    variables: {
      word: { type: 'string' },
      count: { type: 'number', required: false },
      tone: { type: 'enum', values: ['a', 'a'] },
    },
    params: { temperature: 0.5, max_tokens: null },
  })
  expect(outcome).toEqual({
    ok: true,
    value: {
      messages,
      variables: {
        word: { type: 'string', max_length: 10_000, required: true },
        count: { type: 'number', required: false },
        tone: { type: 'enum', values: ['a'], required: true },
      },
      model: null,
      params: { temperature: 0.5 },
    },
  })
})

const tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }
const format = { type: 'json_schema', json_schema: { name: 'out', schema: {} } }
const refused: [string, object, string][] = [
  ['no messages', {}, 'messages must be an array of 1-50 messages'],
  ['an empty list', { messages: [] }, 'messages must be an array of 1-50 messages'],
  [
    'too many',
    { messages: Array.from({ length: 51 }, () => messages[0]) },
    'messages must be an array of 1-50 messages',
  ],
  ['a text as message', { messages: ['x'] }, 'messages.0 must be an object'],
  [
    'a role',
    { messages: [{ role: 'tool', content: 'x' }] },
    'messages.0.role must be one of: system, developer, user, assistant',
  ],
  ['no content', { messages: [{ role: 'user' }] }, 'messages.0.content must be a text of 1-32000 characters'],
  ['parts', { messages: [{ role: 'user', content: [] }] }, 'messages.0.content must be a text of 1-32000 characters'],
  ['NUL', { messages: [{ role: 'user', content: 'a\0' }] }, 'messages.0.content must be a text of 1-32000 characters'],
  [
    'a long one',
    { messages: [{ role: 'user', content: 'x'.repeat(32_001) }] },
    'messages.0.content must be a text of 1-32000 characters',
  ],
  [
    'more of a message',
    { messages: [{ role: 'user', content: 'x', name: 'y' }] },
    'messages.0 has an unknown field: name',
  ],
  ['an undefined variable', { messages }, 'messages.0.content uses {{word}}, which variables must define'],
  ['variables as a list', { messages, variables: [] }, 'variables must be an object'],
  [
    'a name',
    { messages, variables: { 'a-b': {} } },
    'variables must have names that begin with a letter or _ and have at most 64 of: A-Z, a-z, 0-9, _',
  ],
  [
    'a type',
    { messages, variables: { word: { type: 'image' } } },
    'variables.word.type must be one of: string, number, enum',
  ],
  [
    'a length',
    { messages, variables: { word: { type: 'string', max_length: 0 } } },
    'variables.word.max_length must be an integer 1-100000',
  ],
  [
    'a length of a number',
    { messages, variables: { word: { type: 'number', max_length: 9 } } },
    'variables.word has a field that type number does not have: max_length',
  ],
  [
    'an enum without values',
    { messages, variables: { word: { type: 'enum' } } },
    'variables.word.values must be an array of 1-100 texts of at most 256 characters',
  ],
  [
    'required',
    { messages, variables: { word: { type: 'string', required: 1 } } },
    'variables.word.required must be a boolean',
  ],
  ['a model', { ...good, model: 'openai/none' }, 'model must be a known model ID or null'],
  ['params', { ...good, params: [] }, 'params must be an object'],
  ['another param', { ...good, params: { top_p: 1 } }, 'params has an unknown field: top_p'],
  ['a temperature', { ...good, params: { temperature: 3 } }, 'params.temperature must be a number 0-2'],
  ['a limit', { ...good, params: { max_tokens: 0 } }, 'params.max_tokens must be an integer 1-1000000'],
  [
    'a format',
    { ...good, params: { response_format: { type: 'xml' } } },
    'params.response_format.type must be one of: text, json_object, json_schema',
  ],
  [
    'a format without a name',
    { ...good, params: { response_format: { type: 'json_schema', json_schema: {} } } },
    'params.response_format.json_schema.name must have at most 64 of: A-Z, a-z, 0-9, _, -',
  ],
  [
    'more of a format',
    { ...good, params: { response_format: { ...format, json_schema: { name: 'x', schem: {} } } } },
    'params.response_format.json_schema has an unknown field: schem',
  ],
  ['no tools', { ...good, params: { tools: [] } }, 'params.tools must be an array of 1-64 tools'],
  [
    'a tool of a provider',
    { ...good, params: { tools: [{ type: 'web_search' }] } },
    'params.tools.0.type must be function',
  ],
  [
    'a schema as text',
    { ...good, params: { tools: [{ type: 'function', function: { name: 'a', parameters: '{}' } }] } },
    'params.tools.0.function.parameters must be an object',
  ],
]

describe('refuses', () => {
  test.each(refused)('%s', (_name, value, message) => expect(check(value)).toEqual({ ok: false, message }))

  test('a prompt of more than its characters, each message within its own', () => {
    const long = { role: 'user', content: 'x'.repeat(32_000) }
    expect(check({ messages: [long, long, long] })).toEqual({
      ok: false,
      message: `messages, variables and params must have at most ${promptLimits.templateCharacters} characters as JSON`,
    })
  })
})

test('takes a known model, tools and a format', () => {
  const value = { ...good, model: 'openai/gpt-4o', params: { tools: [tool], response_format: format } }
  expect(check(value)).toMatchObject({ ok: true, value: { model: 'openai/gpt-4o', params: value.params } })
})

test.each(['summary', 'A.b_c-1', '9', 'x'.repeat(64)])('takes the name %s', name => {
  expect(checkPromptName(name)).toEqual({ ok: true, value: name })
})

test.each(['', '.a', '-a', 'a b', 'ä', 'x'.repeat(65), 'a/b', undefined])('refuses the name %j', name => {
  expect(checkPromptName(name).ok).toBe(false)
})

test('a stored prompt may name a model that has left the registry, and is null if anything is wrong', () => {
  const stored = { name: 'a', ...good, model: 'openai/gone' }
  expect(parseNamedTemplate(stored)).toMatchObject({ name: 'a', model: 'openai/gone' })
  expect(parseNamedTemplate({ ...stored, name: '' })).toBeNull()
  expect(parseNamedTemplate({ ...stored, messages: [] })).toBeNull()
  expect(parseNamedTemplate('a')).toBeNull()
})
