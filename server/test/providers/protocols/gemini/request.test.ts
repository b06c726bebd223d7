// What is written in Gemini's format for which prompt and which model, on samples of our own: every adaptation, and the
// bugs that others had.

import { describe, expect, it, test } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { google } from '../../../../src/providers/google.ts'
import { gemini } from '../../../../src/providers/protocols/gemini/gemini.ts'
import { providerUrl } from '../../../../src/providers/provider-address.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { asSent, testTarget } from '../protocol-suite.ts'

const hi = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', function: { name: 'weather', parameters } }
const early = 'gemini-2.0-flash'
const budget = 'gemini-2.5-flash'
const level = 'gemini-3-flash-preview'
const newest = 'gemini-3.8-flash'

function request(body: JsonObject, model = budget, facts: Partial<ModelFacts> = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  return asSent(gemini.render(prompt, testTarget({ model, facts: { ...unknownModelFacts, ...facts } })))
}

function written(body: JsonObject, model = budget, facts: Partial<ModelFacts> = {}) {
  return request(body, model, facts).body as JsonObject & {
    contents: { role: string; parts: JsonObject[] }[]
    generationConfig?: JsonObject
  }
}

const config = (...args: Parameters<typeof written>) => written(...args).generationConfig ?? {}
const thinking = (body: JsonObject, model: string, facts: Partial<ModelFacts> = {}) =>
  config(body, model, facts)['thinkingConfig']
const contents = (messages: unknown[], model = budget) => written({ messages }, model).contents

function call(id: string, name = 'weather', args = '{"city":"Rome"}', signature?: string) {
  const extra = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }
  return { id, type: 'function', function: { name, arguments: args }, ...extra }
}
const result = (id: string, content: unknown = 'Sunny') => ({ role: 'tool', tool_call_id: id, content })
const turn = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls })
const called = (id: string, name = 'weather') => ({ functionCall: { id, name, args: { city: 'Rome' } } })
const response = (id: string, output = 'Sunny', name = 'weather') => ({
  functionResponse: { id, name, response: { output } },
})
const user = (...parts: unknown[]) => ({ role: 'user', parts })
const model = (...parts: unknown[]) => ({ role: 'model', parts })
const text = (words: string) => ({ text: words })

describe('the address', () => {
  it('names the model and the method, and asks for events where a stream is wanted', () => {
    expect(request({})).toMatchObject({ path: ['models', 'gemini-2.5-flash:generateContent'] })
    expect(request({})).not.toHaveProperty('query')
    expect(request({ stream: true })).toMatchObject({
      path: ['models', 'gemini-2.5-flash:streamGenerateContent'],
      query: { alt: 'sse' },
    })
    expect(request({}, 'tunedModels/mine').path).toEqual(['tunedModels', 'mine:generateContent'])
    expect(request({}, 'models/x').path).toEqual(['models', 'x:generateContent'])
  })

  it('keeps the colon before the method as it is', () => {
    const { path, query } = request({ stream: true })
    expect(providerUrl('https://example.com', google.address, { path, ...(query ? { query } : {}) })).toBe(
      'https://example.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    )
  })
})

describe('the body', () => {
  it('says no more than was asked, and nothing that Google does not know', () => {
    const dropped = { logit_bias: { 5: 1 }, store: true, user: 'me', metadata: {}, n: 1, parallel_tool_calls: false }
    expect(written({ ...dropped, tool_choice: 'auto', anything: 1 })).toEqual({ contents: [user(text('Hi'))] })
  })

  it('renames what Google calls by other names', () => {
    const asked = {
      temperature: 2,
      top_p: 0.9,
      top_k: 5,
      seed: 3,
      presence_penalty: 1,
      frequency_penalty: -1,
      stop: ['x', '', 'b', 'c', 'd', 'e', 'f'],
      n: 2,
      max_tokens: 9,
      logprobs: true,
      top_logprobs: 4,
    }
    expect(config(asked)).toEqual({
      temperature: 2,
      topP: 0.9,
      topK: 5,
      seed: 3,
      presencePenalty: 1,
      frequencyPenalty: -1,
      stopSequences: ['x', 'b', 'c', 'd', 'e'],
      candidateCount: 2,
      maxOutputTokens: 9,
      responseLogprobs: true,
      logprobs: 4,
    })
    expect(config({ logprobs: true })).toEqual({ responseLogprobs: true })
  })

  it('asks a model for nothing that it refuses', () => {
    const asked = { temperature: 1, top_p: 0.5, presence_penalty: 1, frequency_penalty: 1, max_tokens: 99_999, seed: 1 }
    expect(config(asked, newest)).toEqual({ temperature: 1, topP: 0.5, maxOutputTokens: 99_999, seed: 1 })
    expect(config(asked, budget, { temperature: false, maxOutputTokens: 65_536 })).toEqual({
      maxOutputTokens: 65_536,
      seed: 1,
    })
  })
})

describe('thinking', () => {
  it('leaves half of the room that is asked for to the answer, and the room as it is', () => {
    const asked = (effort: string, max_tokens: number, name = budget) =>
      config({ reasoning_effort: effort, max_tokens }, name)
    expect(asked('medium', 500)).toMatchObject({ maxOutputTokens: 500, thinkingConfig: { thinkingBudget: 250 } })
    expect(asked('max', 4096)).toMatchObject({ maxOutputTokens: 4096, thinkingConfig: { thinkingBudget: 2048 } })
    expect(asked('low', 4096)).toMatchObject({ maxOutputTokens: 4096, thinkingConfig: { thinkingBudget: 1024 } })
    expect(asked('none', 500)).toMatchObject({ thinkingConfig: { thinkingBudget: 0 } })
    expect(asked('medium', 200, 'gemini-2.5-pro')).toMatchObject({ thinkingConfig: { thinkingBudget: 128 } })
    const divided = config({ reasoning: { max_tokens: 400 }, max_tokens: 500 }, budget)
    expect(divided).toMatchObject({ maxOutputTokens: 500, thinkingConfig: { thinkingBudget: 400 } })
    const tooMuch = config({ reasoning: { max_tokens: 600 }, max_tokens: 500 }, budget)
    expect(tooMuch).toMatchObject({ maxOutputTokens: 500, thinkingConfig: { thinkingBudget: 499 } })
  })

  it('is off, or not asked for, if the limit does not hold the least budget', () => {
    const off = config({ reasoning_effort: 'low', max_tokens: 512 }, 'gemini-2.5-flash-lite')
    expect(off).toEqual({ maxOutputTokens: 512, thinkingConfig: { thinkingBudget: 0 } })
    const pro = config({ reasoning_effort: 'low', max_tokens: 128 }, 'gemini-2.5-pro')
    expect(pro).toEqual({ maxOutputTokens: 128, thinkingConfig: { includeThoughts: true } })
  })

  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
  const each = (name: string) => efforts.map(effort => thinking({ reasoning_effort: effort }, name) as JsonObject)

  it('is asked for in tokens or by a level, within what the family takes', () => {
    expect(each(budget).map(wish => wish['thinkingBudget'])).toEqual([0, 512, 1024, 8192, 24_576, 24_576, 24_576])
    expect(each('gemini-2.5-pro').map(wish => wish['thinkingBudget'])).toEqual([
      128, 512, 1024, 8192, 24_576, 32_768, 32_768,
    ])
    const levels = (name: string) => each(name).map(wish => wish['thinkingLevel'])
    expect(levels(level)).toEqual(['minimal', 'minimal', 'low', 'medium', 'high', 'high', 'high'])
    expect(levels('gemini-3-pro-preview')).toEqual(['low', 'low', 'low', 'high', 'high', 'high', 'high'])
    expect(levels(newest)).toEqual(['low', 'low', 'low', 'medium', 'high', 'high', 'high'])
    expect(levels('gemini-9-not-known-yet')).toEqual(levels(newest))
  })

  it('is shown where it is wanted', () => {
    expect(thinking({ reasoning_effort: 'low' }, level)).toEqual({ includeThoughts: true, thinkingLevel: 'low' })
    expect(thinking({ reasoning_effort: 'none' }, budget)).toEqual({ thinkingBudget: 0 })
    expect(thinking({ reasoning: { effort: 'low', exclude: true } }, level)).toEqual({ thinkingLevel: 'low' })
    expect(thinking({}, level)).toBe(undefined)
  })

  it('keeps to a bound in tokens that the client gave', () => {
    const bound = (max_tokens: number, name: string) => thinking({ reasoning: { max_tokens } }, name)
    expect(bound(3000, budget)).toEqual({ includeThoughts: true, thinkingBudget: 3000 })
    expect(bound(9, 'gemini-2.5-flash-lite')).toEqual({ includeThoughts: true, thinkingBudget: 512 })
    expect(bound(0, budget)).toEqual({ thinkingBudget: 0 })
    expect(bound(0, level)).toEqual({ thinkingLevel: 'minimal' })
    expect(bound(500, level)).toEqual({ includeThoughts: true, thinkingLevel: 'low' })
    expect(bound(20_000, level)).toEqual({ includeThoughts: true, thinkingLevel: 'high' })
  })

  it('is not asked of a model that cannot', () => {
    expect(thinking({ reasoning_effort: 'high' }, early)).toBe(undefined)
    expect(thinking({ reasoning_effort: 'high' }, level, { reasoning: false })).toBe(undefined)
    expect(thinking({ reasoning_effort: 'high' }, 'somebody-elses')).toBe(undefined)
  })
})

describe('tools and structured output', () => {
  test('§8.17 schemas go as JSON Schema, whatever keywords they have', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a', default: 1, examples: [1] } },
      additionalProperties: false,
      $defs: { a: { type: 'integer' } },
    }
    const tools = [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } }]
    expect(written({ tools: [...tools, { type: 'function', function: { name: 'g' } }] })['tools']).toEqual([
      { functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: schema }, { name: 'g' }] },
    ])
    const format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } }
    expect(config({ response_format: format })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
    expect(config({ response_format: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' })
    expect(config({ response_format: { type: 'text' } })).toEqual({})
  })

  it('says which tools may be called', () => {
    const choice = (tool_choice: unknown) => written({ tools: [weather], tool_choice })['toolConfig']
    expect(choice('auto')).toBe(undefined)
    expect(choice('none')).toEqual({ functionCallingConfig: { mode: 'NONE' } })
    expect(choice('required')).toEqual({ functionCallingConfig: { mode: 'ANY' } })
    expect(choice({ type: 'function', function: { name: 'weather' } })).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] },
    })
  })

  it('asks in words for JSON where the model does not take the request for it', () => {
    const asked = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { title: 'T' } } } }
    const told = { systemInstruction: { parts: [{ text: expect.stringContaining('{"title":"T"}') }] } }
    expect(written({ ...asked, tools: [weather] }, budget)).toMatchObject(told)
    expect(config({ ...asked, tools: [weather] }, budget)).toEqual({})
    expect(config({ ...asked, tools: [weather] }, level)).toMatchObject({ responseJsonSchema: { title: 'T' } })
    expect(written(asked, budget, { structuredOutput: false })).toMatchObject(told)
    const forced = written({ ...asked, tools: [weather], tool_choice: 'required' }, level)
    expect(forced).not.toHaveProperty('generationConfig')
    expect(forced).not.toHaveProperty('systemInstruction')
  })
})

describe('the conversation', () => {
  it('has its instructions in front, and late ones where they stand', () => {
    const messages = [
      { role: 'system', content: 'A' },
      { role: 'developer', content: [{ type: 'text', text: 'B' }] },
      hi,
      { role: 'assistant', content: 'Ho' },
      { role: 'system', content: 'C' },
      { role: 'user', content: 'D' },
    ]
    expect(written({ messages })).toEqual({
      systemInstruction: { parts: [{ text: 'A\n\nB' }] },
      contents: [user(text('Hi')), model(text('Ho')), user(text('C'), text('D'))],
    })
    expect(written({ messages: [{ role: 'system', content: 'A' }] })).toEqual({ contents: [user(text('A'))] })
  })

  it('merges what one side says, and begins and ends with the user', () => {
    const told = { role: 'assistant', content: 'Ho' }
    expect(contents([hi, hi, told, { role: 'assistant', content: '' }, told])).toEqual([
      user(text('Hi'), text('Hi')),
      model(text('Ho'), text('Ho')),
    ])
    expect(contents([told, hi], newest)).toEqual([user(expect.anything()), model(text('Ho')), user(text('Hi'))])
    expect(contents([hi, told], newest).at(-1)).toEqual(user(text('Continue.')))
    expect(contents([{ role: 'user', content: '' }])).toEqual([user(text(''))])
  })

  it('answers each call under its name, all at once and right behind them', () => {
    const parts = ['12', 'h'].map(piece => ({ type: 'text', text: piece }))
    const messages = [hi, turn(call('a'), call('b', 'time')), result('b', parts), { ...hi }, result('a'), hi]
    expect(contents(messages)).toEqual([
      user(text('Hi')),
      model(called('a'), called('b', 'time')),
      user(response('a'), response('b', '12\nh', 'time')),
      user(text('Hi'), text('Hi')),
    ])
  })

  it('leaves no call without a result and no result without a call', () => {
    const nothing = { functionResponse: { id: 'a', name: 'weather', response: { error: 'No result.' } } }
    expect(contents([hi, turn(call('a')), hi])).toEqual([
      user(text('Hi')),
      model(called('a')),
      user(nothing),
      user(text('Hi')),
    ])
    expect(contents([result('x'), turn(call('a')), result('x')])).toEqual([
      user(text('The result of a tool:'), text('Sunny')),
      model(called('a')),
      user(nothing),
      user(text('The result of a tool:'), text('Sunny')),
    ])
  })

  it('wraps results as they are, and shows their pictures beside them', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const parts = [{ type: 'text', text: '{"n":12345678901234567890}' }, picture]
    expect(contents([hi, turn(call('a')), result('a', parts)]).slice(2)).toEqual([
      user(response('a', '{"n":12345678901234567890}')),
      user({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
    ])
  })

  it('refuses arguments that are no object, as they could not be sent', () => {
    expect(contents([hi, turn(call('a', 'weather', ''))])[1]).toMatchObject(model({ functionCall: { args: {} } }))
    for (const args of ['{"city":"Ro', '[]', '"x"']) {
      expect(() => contents([hi, turn(call('a', 'weather', args))])).toThrow(/not a JSON object/)
    }
  })

  it('gives media inline or by their address, and refuses what Google does not take', () => {
    const part = (content: unknown) => contents([{ role: 'user', content: [content] }])[0]?.parts[0]
    const image = (url: string) => part({ type: 'image_url', image_url: { url } })
    const file = (value: unknown) => part({ type: 'file', file: value })
    expect(image('data:image/jpg;base64,AA==')).toEqual({ inlineData: { mimeType: 'image/jpeg', data: 'AA==' } })
    expect(image('https://x.example/a.PNG?w=1')).toEqual({
      fileData: { fileUri: 'https://x.example/a.PNG?w=1', mimeType: 'image/png' },
    })
    expect(image('https://x.example/a')).toMatchObject({ fileData: { mimeType: 'image/jpeg' } })
    expect(file({ file_data: 'data:application/pdf;base64,AA==' })).toMatchObject({
      inlineData: { mimeType: 'application/pdf' },
    })
    expect(file({ file_data: 'https://x.example/a.pdf' })).toMatchObject({ fileData: { mimeType: 'application/pdf' } })
    expect(file({ file_data: 'data:,a%20b' })).toEqual({ inlineData: { mimeType: 'text/plain', data: 'YSBi' } })
    expect(part({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } })).toEqual({
      inlineData: { mimeType: 'audio/wav', data: 'AA==' },
    })
    for (const url of ['gs://bucket/x', 'file:///etc/passwd', 'nonsense']) expect(() => image(url)).toThrow(/https: or/)
    expect(() => file({ file_id: 'file-1' })).toThrow(/without file_data/)
    expect(() => part({ type: 'video_url' })).toThrow(/of type video_url/)
  })
})

describe('§8.9 thought signatures', () => {
  const parts = (message: JsonObject, name: string) => contents([hi, message, hi], name)[1]?.parts

  it('go back with their calls', () => {
    const signed = turn(call('a', 'weather', '{"city":"Rome"}', 'sig+/9=='), call('b'))
    for (const name of [budget, level]) {
      expect(parts(signed, name)).toEqual([{ ...called('a'), thoughtSignature: 'sig+/9==' }, called('b')])
    }
  })

  it('are stood in for where they got lost and the model would refuse the call', () => {
    const unsigned = turn(call('a'), call('b', 'weather', '{"city":"Rome"}', 'no signature!'))
    const standIn = 'skip_thought_signature_validator'
    expect(parts(unsigned, level)).toEqual([{ ...called('a'), thoughtSignature: standIn }, called('b')])
    expect(parts(unsigned, budget)).toEqual([called('a'), called('b')])
    const twice = contents([hi, turn(call('a')), result('a'), turn(call('b')), result('b')], newest)
    expect([twice[1]?.parts[0], twice[3]?.parts[0]]).toMatchObject([
      { thoughtSignature: standIn },
      { thoughtSignature: standIn },
    ])
  })

  it('go back with text and thoughts, where they are of this provider', () => {
    const ours = (detail: JsonObject) => ({ index: 0, format: 'google-gemini-v1', ...detail })
    const details = [
      ours({ type: 'reasoning.text', text: 'Hm', signature: 'thought' }),
      ours({ type: 'reasoning.encrypted', data: 'text' }),
      ours({ type: 'reasoning.encrypted', data: 'call', id: 'a' }),
      { type: 'reasoning.encrypted', data: 'foreign', format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: 'unsigned' },
    ]
    const message = { ...turn(call('a')), reasoning_content: 'Hm', reasoning_details: details }
    const thought = { text: 'Hm', thought: true, thoughtSignature: 'thought' }
    const signedCall = { ...called('a'), thoughtSignature: 'call' }
    expect(parts({ ...message, content: 'Ho' }, level)).toEqual([
      thought,
      { text: 'Ho', thoughtSignature: 'text' },
      signedCall,
    ])
    expect(parts(message, level)).toEqual([thought, { text: '', thoughtSignature: 'text' }, signedCall])
  })
})
