// What is written in Anthropic's format for which prompt and which model, on samples of our own: every adaptation, and
// the bugs that others had.
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { testTarget } from '../protocol-suite.ts'
import { always, budget, call, hi, parameters, request, result, said, weather, written } from './request-stage.ts'

describe('the body', () => {
  it('says what every request has to, and leaves out what the provider does not know', () => {
    const dropped = {
      seed: 1,
      logprobs: true,
      presence_penalty: 1,
      logit_bias: { 5: 1 },
      store: true,
      user: 'me',
      n: 1,
    }
    expect(request(budget, { ...dropped, anything: 1 })).toEqual({
      path: ['messages'],
      body: { model: budget, max_tokens: 8192, messages: [{ role: 'user', content: [said('Hi')] }] },
      reading: { jsonTool: null },
    })
  })

  it('gives the answer all the room there is where the client names no limit', () => {
    expect(written({}, budget, { maxOutputTokens: 64_000 })).toMatchObject({ max_tokens: 64_000 })
    expect(written({ max_tokens: 5 }, budget, { maxOutputTokens: 64_000 })).toMatchObject({ max_tokens: 5 })
    expect(written({ max_completion_tokens: 99_999 }, budget, { maxOutputTokens: 64_000 })).toMatchObject({
      max_tokens: 64_000,
    })
  })

  it('names the end user by the hash alone, and streams where asked to', () => {
    const { prompt } = readCompletionRequest({ messages: [hi], user: 'me@example.com', stream: true })
    const { body } = anthropic.render(prompt, testTarget({ endUserHash: 'h4sh' }))
    expect(body).toMatchObject({ metadata: { user_id: 'h4sh' }, stream: true })
    expect(JSON.stringify(body)).not.toContain('example.com')
  })

  it('refuses a number of choices', () => {
    expect(() => written({ n: 2 })).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  it('drops stop sequences without a letter', () => {
    expect(written({ stop: ['\n', 'END', ' '] })).toMatchObject({ stop_sequences: ['END'] })
    expect(written({ stop: '\n\n' })).not.toHaveProperty('stop_sequences')
  })
})

describe('sampling', () => {
  const asked = { temperature: 1.7, top_p: 0.9, top_k: 5 }
  test.each([
    ['claude-3-haiku-20240307', { temperature: 1, top_p: 0.9, top_k: 5 }],
    ['claude-sonnet-4-5', { temperature: 1, top_k: 5 }],
    ['claude-opus-4-7', {}],
    ['claude-not-yet-known', {}],
  ])('is clamped and dropped for %s', (model, expected) => {
    const { temperature, top_p, top_k } = written(asked, model)
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected)
  })

  it('follows the registry before the table', () => {
    expect(written(asked, budget, { temperature: false })).not.toHaveProperty('temperature')
    expect(written({ temperature: 0.3 }, 'claude-opus-4-7', { temperature: true })).toMatchObject({
      temperature: 0.3,
    })
  })

  it('is dropped where the model thinks', () => {
    expect(written({ ...asked, reasoning_effort: 'low' })).not.toHaveProperty('temperature')
  })
})

describe('tools', () => {
  const schemaOf = (schema: JsonObject) => {
    const { tools } = written({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] })
    return (tools as JsonObject[])[0]?.['input_schema']
  }

  it('makes one object of any root', () => {
    expect(written({ tools: [{ type: 'function', function: { name: 'f' } }] })['tools']).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ])
    expect(schemaOf({ properties: {} })).toEqual({ type: 'object', properties: {} })
    const $defs = { A: { type: 'object', properties: { x: {} } } }
    expect(schemaOf({ $ref: '#/$defs/A', $defs })).toEqual({ type: 'object', properties: { x: {} }, $defs })
    const variants = [
      { properties: { a: {} }, required: ['a'] },
      { properties: { b: {} }, required: ['b'] },
    ]
    expect(schemaOf({ oneOf: variants })).toEqual({ type: 'object', properties: { a: {}, b: {} } })
    expect(schemaOf({ allOf: variants })).toMatchObject({ required: ['a', 'b'] })
  })

  test.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'tool', name: 'weather' },
    ],
    [undefined, undefined],
  ])('translates the choice %j', (tool_choice, expected) => {
    expect(written({ tools: [weather], tool_choice })['tool_choice']).toEqual(expected)
    const single = written({ tools: [weather], tool_choice, parallel_tool_calls: false })['tool_choice']
    const withFlag = { ...(expected ?? { type: 'auto' }), disable_parallel_tool_use: true }
    expect(single).toEqual(tool_choice === 'none' ? expected : withFlag)
  })

  it('says no choice where there is no tool', () => {
    expect(written({ tool_choice: 'required', parallel_tool_calls: false })).not.toHaveProperty('tool_choice')
  })

  it('declares tools of the history where the request has none', () => {
    const messages = [hi, { role: 'assistant', content: null, tool_calls: [call('a')] }, result('a')]
    expect(written({ messages })).toMatchObject({
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })

  it('binds tools to their schema as long as it is small enough', () => {
    const strict = (name: string, schema: JsonObject) => ({
      type: 'function',
      function: { name, strict: true, parameters: schema },
    })
    const closed = { ...parameters, additionalProperties: false }
    const isStrict = (tools: JsonObject[], model = budget) =>
      (written({ tools }, model)['tools'] as JsonObject[]).map(tool => tool['strict'] === true)
    expect(isStrict([strict('a', closed), weather])).toEqual([true, false])
    expect(isStrict([strict('a', closed)], 'claude-sonnet-4-0')).toEqual([false])
    expect(isStrict([strict('a', { type: 'object', additionalProperties: { type: 'string' } })])).toEqual([false])
    const many = Array.from({ length: 21 }, (_, index) => strict(`t${index}`, closed))
    expect(isStrict(many)).toEqual(many.map(() => false))
    const optional = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, { type: 'string' }]))
    expect(isStrict([strict('a', { type: 'object', properties: optional })])).toEqual([false])
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] }
  const wanted = (wantedSchema: JsonObject = schema) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema: wantedSchema, strict: true } },
  })

  it('binds the answer where the model can be bound, in the words that are known there', () => {
    const { body, reading } = request(budget, wanted())
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { age: { type: 'integer', description: '{minimum: 0}' } },
          required: ['age'],
          additionalProperties: false,
        },
      },
    })
    expect(reading.jsonTool).toBeNull()
  })

  it('has older models call a tool whose arguments are the answer', () => {
    const { body, reading } = request('claude-3-5-haiku', wanted())
    expect(body).toMatchObject({
      tools: [{ name: 'json_output', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json_output' },
    })
    expect(reading.jsonTool).toBe('json_output')
    const taken = { type: 'function', function: { name: 'json_output' } }
    const beside = request('claude-3-5-haiku', { ...wanted(), tools: [taken] })
    expect(beside.body['tool_choice']).toEqual({ type: 'any' })
    expect(beside.reading.jsonTool).toBe('json_output_2')
  })

  test.each([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['itself', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'itself by a name',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: { A: { type: 'array', items: { $ref: '#/$defs/A' } } },
      },
    ],
    ['a condition', { type: 'object', properties: { a: {} }, if: {} }],
  ])('takes the tool for a schema that holds %s', (_, unbound) => {
    expect(request(budget, wanted(unbound)).reading.jsonTool).toBe('json_output')
    // No call can be demanded of this one.
    expect(String(request(always, wanted(unbound)).body['system'])).toContain(JSON.stringify(unbound))
  })

  it('leaves a demanded call alone', () => {
    const { body, reading } = request(budget, { ...wanted(), tools: [weather], tool_choice: 'required' })
    expect(body).not.toHaveProperty('output_config')
    expect(reading.jsonTool).toBeNull()
  })

  it('asks in words for JSON of any kind', () => {
    const body = written({ response_format: { type: 'json_object' }, messages: [{ role: 'system', content: 'A' }, hi] })
    expect(body['system']).toMatch(/^A\n\nAnswer with one JSON object alone/)
  })
})
