// What is written in Anthropic's format for which prompt and which model, on samples of our own: every adaptation, and
// the bugs that others had.

import { describe, expect, it, test } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { anthropic } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { testTarget } from '../protocol-suite.ts'

const hi = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', function: { name: 'weather', parameters } }
const budget = 'claude-sonnet-4-5'
const adaptive = 'claude-opus-4-6'
const thinksUnasked = 'claude-sonnet-5'
const always = 'claude-opus-5-5'

function request(model: string, body: JsonObject, facts: Partial<ModelFacts> = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  return anthropic.render(prompt, testTarget({ model, facts: { ...unknownModelFacts, ...facts } }))
}

function written(body: JsonObject, model = budget, facts: Partial<ModelFacts> = {}) {
  return request(model, body, facts).body as JsonObject & { messages: { role: string; content: JsonObject[] }[] }
}

function call(id: string, args = '{"city":"Rome"}') {
  return { id, type: 'function', function: { name: 'weather', arguments: args } }
}

function result(id: string, content: unknown = 'Sunny') {
  return { role: 'tool', tool_call_id: id, content }
}

const said = (text: string) => ({ type: 'text', text })
const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { city: 'Rome' } })
const answer = (id: string, text = 'Sunny') => ({ type: 'tool_result', tool_use_id: id, content: [said(text)] })

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

describe('turns', () => {
  it('joins leading instructions, whatever they are called', () => {
    const messages = [{ role: 'system', content: 'A' }, { role: 'developer', content: [said('B')] }, hi]
    expect(written({ messages })).toMatchObject({ system: 'A\n\nB', messages: [{ role: 'user' }] })
  })

  it('takes instructions alone as the question', () => {
    expect(written({ messages: [{ role: 'system', content: 'A' }] }).messages).toEqual([
      { role: 'user', content: [said('A')] },
    ])
  })

  it('puts later instructions where the model takes them', () => {
    const messages = [hi, { role: 'system', content: 'Short!' }, { role: 'assistant', content: 'Yo' }, hi]
    expect(written({ messages }).messages[0]).toEqual({ role: 'user', content: [said('Hi'), said('Short!')] })
    expect(written({ messages }, 'claude-opus-4-8').messages.map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
      'user',
    ])
    const misplaced = [hi, { role: 'assistant', content: 'Yo' }, { role: 'system', content: 'Short!' }, hi]
    expect(written({ messages: misplaced }, 'claude-opus-4-8').messages[2]).toEqual({
      role: 'user',
      content: [said('Short!'), said('Hi')],
    })
  })

  it('§8.6 gathers all results of a turn in one message, before any text', () => {
    const messages = [
      hi,
      { role: 'assistant', content: 'Looking.', tool_calls: [call('a'), call('b')] },
      result('a', 'one'),
      { role: 'user', content: 'And?' },
      result('b', 'two'),
    ]
    expect(written({ messages, tools: [weather] }).messages.slice(1)).toEqual([
      { role: 'assistant', content: [said('Looking.'), use('a'), use('b')] },
      { role: 'user', content: [answer('a', 'one'), answer('b', 'two'), said('And?')] },
    ])
  })

  test.each([null, '', ' \n', [said('')]])('§8.7 writes no empty block for content %j beside calls', content => {
    const messages = [hi, { role: 'assistant', content, tool_calls: [call('a')] }, result('a')]
    expect(written({ messages, tools: [weather] }).messages[1]).toEqual({ role: 'assistant', content: [use('a')] })
  })

  it('writes arguments as an object, and refuses what is none', () => {
    const turn = (args: string) => [
      hi,
      { role: 'assistant', content: null, tool_calls: [call('a', args)] },
      result('a'),
    ]
    expect(written({ messages: turn('') }).messages[1]?.content[0]).toMatchObject({ input: {} })
    for (const args of ['{"city":', '[1]', '"x"']) {
      expect(() => written({ messages: turn(args) })).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    }
  })

  it('keeps ids that are allowed, and changes others in call and result alike', () => {
    const ids = ['toolu_01', 'functions.weather:0', 'ü', 'x'.repeat(200), 'call 7']
    const messages = [
      hi,
      { role: 'assistant', content: null, tool_calls: ids.map(id => call(id)) },
      ...ids.map(id => result(id, id)),
    ]
    const [, calls, results] = written({ messages, tools: [weather] }).messages
    const written_ = calls?.content.map(({ id }) => String(id)) ?? []
    expect(written_[0]).toBe('toolu_01')
    expect(new Set(written_).size).toBe(ids.length)
    for (const id of written_) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(results?.content).toEqual(ids.map((id, index) => answer(written_[index] ?? '', id)))
  })

  it('tells calls apart that come under one id again', () => {
    const turn = [{ role: 'assistant', content: null, tool_calls: [call('a')] }, result('a')]
    const { messages } = written({ messages: [hi, ...turn, ...turn, ...turn], tools: [weather] })
    const ids = messages.flatMap(({ content }) => content.flatMap(({ id }) => (id === undefined ? [] : [id])))
    expect(new Set(ids).size).toBe(3)
    const answered = messages.flatMap(({ content }) => content.flatMap(block => block['tool_use_id'] ?? []))
    expect(answered).toEqual(ids)
  })

  it('mends calls without results and results without calls', () => {
    const messages = [result('lost', 'Rain'), { role: 'assistant', content: null, tool_calls: [call('a')] }, hi]
    expect(written({ messages, tools: [weather] }).messages).toEqual([
      { role: 'user', content: [said('The result of a tool:'), said('Rain')] },
      { role: 'assistant', content: [use('a')] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: 'No result.', is_error: true }, said('Hi')],
      },
    ])
  })

  it('begins with the user', () => {
    const { messages } = written({ messages: [{ role: 'assistant', content: 'Hello' }, hi] })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it("lets older models go on with an assistant's text, and tells newer ones to", () => {
    const messages = [hi, { role: 'assistant', content: 'Once upon ' }]
    expect(written({ messages }).messages.at(-1)).toEqual({ role: 'assistant', content: [said('Once upon')] })
    const mustAsk = [written({ messages }, adaptive), written({ messages, reasoning_effort: 'low' })]
    for (const body of mustAsk) expect(body.messages.at(-1)).toEqual({ role: 'user', content: [said('Continue.')] })
  })

  it('refuses a conversation without a word', () => {
    const refused = expect.objectContaining({ code: 'invalid_request' })
    expect(() => written({ messages: [{ role: 'user', content: ' ' }] })).toThrow(refused)
  })
})

describe('parts', () => {
  const content = (...parts: JsonObject[]) =>
    written({ messages: [{ role: 'user', content: parts }] }).messages[0]?.content
  const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } })
  const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } })

  it('passes addresses on and takes data apart', () => {
    expect(content(image('https://example.com/a.png'), image('data:image/jpg;base64,AAAA'))).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    ])
  })

  it('writes documents', () => {
    expect(
      content(
        file('data:application/pdf;base64,AAAA', 'a.pdf'),
        file('https://example.com/b.pdf'),
        file('data:text/plain,two%20words'),
        file('data:image/png;base64,AAAA'),
      ),
    ).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://example.com/b.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'two words' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ])
  })

  it('keeps pictures in results, and leaves out what was the assistant’s', () => {
    const messages = [
      hi,
      { role: 'assistant', content: [said('See'), image('https://example.com/a.png')], tool_calls: [call('a')] },
      result('a', [image('https://example.com/b.png')]),
    ]
    const [, assistant, user] = written({ messages, tools: [weather] }).messages
    expect(assistant?.content).toEqual([said('See'), use('a')])
    expect(user?.content[0]?.['content']).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
    ])
  })

  test.each([
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'video_url', video_url: { url: 'https://example.com' } },
    { type: 'file', file: { file_id: 'file_of_somebody' } },
    { type: 'image_url', image_url: { url: 'data:nonsense' } },
  ])('refuses $type', part => {
    expect(() => content(part)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
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

describe('thinking', () => {
  const tools = [weather]
  const signed = [
    { type: 'reasoning.text', text: 'Hm', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'secret', format: 'anthropic-claude-v1', index: 1 },
  ]
  const blocks = [
    { type: 'thinking', thinking: 'Hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'secret' },
  ]
  const loop = (reasoning_details?: JsonObject[]) => [
    hi,
    { role: 'assistant', content: null, tool_calls: [call('a')], reasoning_content: 'Hm', reasoning_details },
    result('a'),
  ]

  test.each([
    [budget, 'medium', { type: 'enabled', budget_tokens: 4096 }, undefined],
    [budget, 'high', { type: 'enabled', budget_tokens: 16_384 }, undefined],
    [budget, 'none', undefined, undefined],
    [adaptive, 'minimal', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    [adaptive, 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'high' }],
    [adaptive, 'none', undefined, undefined],
    ['claude-opus-4-7', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    [thinksUnasked, 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    [always, 'none', undefined, { effort: 'low' }],
    ['claude-3-5-haiku', 'high', undefined, undefined],
    ['us.anthropic.claude-opus-4-6-v1', 'low', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
  ])('of %s at effort %s', (model, reasoning_effort, thinking, output_config) => {
    const body = written({ reasoning_effort }, model)
    expect({ thinking: body['thinking'], output_config: body['output_config'] }).toEqual({ thinking, output_config })
  })

  it('follows the registry before the table', () => {
    expect(written({ reasoning_effort: 'high' }, budget, { reasoning: false })).not.toHaveProperty('thinking')
  })

  it('has its tokens on top of a limit that would not hold them, within the model’s own', () => {
    const asked = { reasoning_effort: 'medium', max_tokens: 100 }
    expect(written(asked)).toMatchObject({ max_tokens: 4196, thinking: { budget_tokens: 4096 } })
    expect(written(asked, budget, { maxOutputTokens: 4000 })).toMatchObject({
      max_tokens: 4000,
      thinking: { budget_tokens: 3999 },
    })
    expect(written(asked, budget, { maxOutputTokens: 900 })).not.toHaveProperty('thinking')
    expect(written({ reasoning: { max_tokens: 2000 } })).toMatchObject({ thinking: { budget_tokens: 2000 } })
  })

  it('is not sent back to the client that does not want it', () => {
    const hidden = { reasoning: { effort: 'low', exclude: true } }
    expect(written(hidden, adaptive)['thinking']).toEqual({ type: 'adaptive', display: 'omitted' })
    expect(written(hidden)['thinking']).toMatchObject({ display: 'omitted' })
  })

  it('§8.8 is shown again with its signature before the calls it led to', () => {
    const body = written({ messages: loop(signed), tools, reasoning_effort: 'medium' })
    expect(body.messages[1]?.content).toEqual([...blocks, use('a')])
    expect(body).toHaveProperty('thinking')
  })

  test.each([
    ['no details', undefined],
    ['no signature', [{ ...signed[0], signature: null }]],
    ["another provider's", [{ ...signed[0], format: 'google-gemini-v1' }]],
  ])('§8.8 is left out where a chain of calls came with %s', (_, details) => {
    const body = written({ messages: loop(details), tools, reasoning_effort: 'medium' })
    expect(body).not.toHaveProperty('thinking')
    expect(body.messages[1]?.content).toEqual([use('a')])
    // The next question is a new chain.
    expect(
      written({
        messages: [...loop(details), { role: 'assistant', content: 'Sunny' }, hi],
        tools,
        reasoning_effort: 'medium',
      }),
    ).toHaveProperty('thinking')
    // The newer form takes such a history.
    expect(written({ messages: loop(details), tools, reasoning_effort: 'medium' }, adaptive)).toHaveProperty('thinking')
  })

  it('looks at the first call of a chain', () => {
    const second = [{ role: 'assistant', content: null, tool_calls: [call('b')] }, result('b')]
    expect(written({ messages: [...loop(signed), ...second], tools, reasoning_effort: 'low' })).toHaveProperty(
      'thinking',
    )
    expect(written({ messages: [...loop(), ...second], tools, reasoning_effort: 'low' })).not.toHaveProperty('thinking')
  })

  it('is not shown again to a model that does not think now', () => {
    expect(written({ messages: loop(signed), tools }).messages[1]?.content).toEqual([use('a')])
    expect(written({ messages: loop(signed), tools }, thinksUnasked).messages[1]?.content).toEqual([
      ...blocks,
      use('a'),
    ])
  })

  it('is put together from the pieces of a stream, and around the text it stood around', () => {
    const pieces = [
      { type: 'reasoning.text', text: 'H', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'm', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'So', signature: 'sog', format: 'anthropic-claude-v1', index: 2 },
    ]
    const assistant = { role: 'assistant', content: 'Well.', tool_calls: [call('a')], reasoning_details: pieces }
    const { messages } = written({ messages: [hi, assistant, result('a')], tools, reasoning_effort: 'low' })
    expect(messages[1]?.content).toEqual([
      blocks[0],
      said('Well.'),
      { type: 'thinking', thinking: 'So', signature: 'sog' },
      use('a'),
    ])
  })

  it('asks models that bind thoughts to their conversation to forget those that no longer fit', () => {
    const { body, headers } = request(always, { messages: loop(signed), tools })
    expect(body['thinking']).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } })
    expect(headers).toEqual({ 'anthropic-beta': 'thinking-binding-controls-2026-08-01' })
    expect(request(always, { tools })).not.toHaveProperty('headers')
  })

  test.each(['required', { type: 'function', function: { name: 'weather' } }])(
    '§8.23 gives way to a demanded call: %j',
    tool_choice => {
      const asked = { tools, tool_choice, reasoning_effort: 'high' }
      for (const model of [budget, adaptive]) {
        expect(written(asked, model)).not.toHaveProperty('thinking')
        expect(written(asked, model)['tool_choice']).not.toEqual({ type: 'auto' })
      }
      expect(written(asked, thinksUnasked)).toMatchObject({ thinking: { type: 'disabled' } })
      // Here the demand gives way, and becomes a request.
      const body = written(asked, always)
      expect(body).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' } })
      expect(body['system']).toMatch(/^Answer by calling/)
    },
  )
})
