// Tests the requests of Cohere: body, tools and conversation.
import { describe, expect, it, test } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { cohere } from '../../../../src/providers/protocols/cohere/cohere.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { asSent, testTarget } from '../protocol-suite.ts'
import { call } from './cohere-stage.ts'

const hi = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', function: { name: 'weather', description: 'd', parameters } }
const time = { type: 'function', function: { name: 'time' } }

function written(body: JsonObject, facts: Partial<ModelFacts> = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  const target = testTarget({ model: 'command-x', facts: { ...unknownModelFacts, ...facts } })
  return asSent(cohere.render(prompt, target)).body as JsonObject & { messages: JsonObject[] }
}
const messagesFor = (messages: unknown[]) => written({ messages }).messages
const result = (id: string, content: unknown = 'Sunny') => ({ role: 'tool', tool_call_id: id, content })

describe('the body', () => {
  it('says no more than was asked, and nothing that Cohere does not know', () => {
    const dropped = { logit_bias: { 5: 1 }, store: true, user: 'me', n: 1, parallel_tool_calls: false }
    expect(written({ ...dropped, tool_choice: 'auto', anything: 1 })).toEqual({ model: 'command-x', messages: [hi] })
    expect(written({ stream: true, stream_options: { include_usage: true } })).toEqual({
      model: 'command-x',
      messages: [hi],
      stream: true,
    })
  })

  it('renames what Cohere calls by other names, within what it takes', () => {
    const asked = { temperature: 1.7, top_p: 1, top_k: 900, seed: 3, stop: 'x', max_tokens: 9999, logprobs: true }
    expect(written({ ...asked, frequency_penalty: 2, presence_penalty: 1 }, { maxOutputTokens: 4000 })).toEqual({
      model: 'command-x',
      messages: [hi],
      temperature: 1,
      p: 0.99,
      k: 500,
      seed: 3,
      stop_sequences: ['x'],
      max_tokens: 4000,
      logprobs: true,
      frequency_penalty: 1,
    })
    const stop = ['a', '', 'b', 'c', 'd', 'e', 'f']
    expect(written({ stop })['stop_sequences']).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(written({ top_p: 0, presence_penalty: 0.5, frequency_penalty: -1 })).toEqual({
      model: 'command-x',
      messages: [hi],
      p: 0.01,
      presence_penalty: 0.5,
    })
    expect(written({ temperature: 1, seed: 1 }, { temperature: false })).not.toHaveProperty('temperature')
  })

  it('cannot ask for several choices', () => {
    expect(() => written({ n: 2 })).toThrow(/one choice/)
  })

  it('asks to think only those who can', () => {
    const thinking = (body: JsonObject, reasoning: boolean | null = true) => written(body, { reasoning })['thinking']
    expect(thinking({ reasoning_effort: 'low' })).toEqual({ type: 'enabled', token_budget: 1024 })
    expect(thinking({ reasoning_effort: 'high' })).toEqual({ type: 'enabled' })
    // Thoughts count as output: half of what is allowed is left to the answer.
    expect(thinking({ reasoning_effort: 'medium', max_tokens: 500 })).toEqual({ type: 'enabled', token_budget: 250 })
    expect(thinking({ reasoning_effort: 'high', max_tokens: 500 })).toEqual({ type: 'enabled', token_budget: 250 })
    expect(written({ reasoning_effort: 'high', max_tokens: 500 }, { reasoning: true })['max_tokens']).toBe(500)
    expect(thinking({ reasoning: { max_tokens: 77 } })).toEqual({ type: 'enabled', token_budget: 77 })
    expect(thinking({ reasoning_effort: 'none' })).toEqual({ type: 'disabled' })
    expect(thinking({})).toBe(undefined)
    expect(thinking({ reasoning_effort: 'low' }, false)).toBe(undefined)
    expect(thinking({ reasoning_effort: 'low' }, null)).toBe(undefined)
  })

  it('asks for JSON, in words where tools or the model leave no other way', () => {
    const schema = { type: 'object', title: 'T' }
    const asked = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } }
    expect(written(asked)['response_format']).toEqual({ type: 'json_object', json_schema: schema })
    expect(written({ response_format: { type: 'json_object' } })['response_format']).toEqual({ type: 'json_object' })
    expect(written({ response_format: { type: 'text' } })).toEqual({ model: 'command-x', messages: [hi] })
    for (const body of [written({ ...asked, tools: [weather] }), written(asked, { structuredOutput: false })]) {
      expect(body).not.toHaveProperty('response_format')
      expect(body.messages[0]).toEqual({ role: 'system', content: expect.stringContaining('"title":"T"') })
    }
    const [system] = written({ response_format: { type: 'json_object' }, tools: [weather] }).messages
    expect(system).toMatchObject({ content: expect.stringMatching(/one JSON object(?!.*Schema)/) })
  })
})

describe('tools', () => {
  const choose = (tool_choice: unknown, tools = [weather, time]) => written({ tools, tool_choice })

  test('§8.25 a tool that is named is demanded by offering no other', () => {
    expect(choose({ type: 'function', function: { name: 'weather' } })).toMatchObject({
      tool_choice: 'REQUIRED',
      tools: [weather],
    })
    expect(() => choose({ type: 'function', function: { name: 'none' } })).toThrow(/tool_choice/)
  })

  it('are offered, demanded and forbidden', () => {
    const empty = { type: 'object', properties: {} }
    expect(choose('required')).toMatchObject({
      tool_choice: 'REQUIRED',
      tools: [weather, { type: 'function', function: { name: 'time', parameters: empty } }],
    })
    expect(choose('none')).toMatchObject({ tool_choice: 'NONE', tools: { length: 2 } })
    expect(choose('auto')).not.toHaveProperty('tool_choice')
    expect(written({ tools: [], tool_choice: 'required' })).not.toHaveProperty('tool_choice')
  })

  it('are strict where all of them are and may be', () => {
    const strict = (tool: typeof weather | typeof time) => ({
      ...tool,
      function: { ...tool.function, strict: true },
    })
    expect(written({ tools: [strict(weather)] })).toMatchObject({ strict_tools: true, tools: [weather] })
    const optional = { type: 'function', function: { name: 'f', strict: true, parameters: { required: [] } } }
    for (const tools of [[weather], [strict(weather), weather], [strict(weather), strict(time)], [optional]]) {
      expect(written({ tools })).not.toHaveProperty('strict_tools')
    }
  })
})

describe('the conversation', () => {
  test('§8.25 has one system message with all that stands in front, and late ones where they stand', () => {
    const messages = [
      { role: 'system', content: 'A' },
      { role: 'developer', content: [{ type: 'text', text: 'B' }] },
      hi,
      { role: 'assistant', content: 'Ho' },
      { role: 'system', content: 'C' },
    ]
    expect(messagesFor(messages)).toEqual([
      { role: 'system', content: 'A\n\nB' },
      hi,
      { role: 'assistant', content: 'Ho' },
      { role: 'user', content: 'C' },
    ])
    expect(messagesFor([{ role: 'system', content: 'A' }])).toEqual([{ role: 'user', content: 'A' }])
  })

  test('§8.25 has no text beside calls', () => {
    const turn = { role: 'assistant', tool_calls: [call('a')] }
    const plan = (message: JsonObject) => messagesFor([hi, { ...turn, ...message }, result('a')])[1]
    expect(plan({ content: 'I look.' })).toEqual({ ...turn, tool_plan: 'I look.' })
    expect(
      plan({
        content: [
          { type: 'text', text: 'I ' },
          { type: 'text', text: 'look.' },
        ],
      }),
    ).toEqual({
      ...turn,
      tool_plan: 'I look.',
    })
    expect(plan({ content: null, reasoning_content: 'Hm' })).toEqual({ ...turn, tool_plan: 'Hm' })
    for (const content of [null, '', []]) expect(plan({ content })).toEqual(turn)
    expect(messagesFor([hi, { role: 'assistant', tool_calls: [call('a', '')] }])[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    })
  })

  it('has results right behind their calls, each of them, and none without', () => {
    const turn = { role: 'assistant', tool_calls: [call('a'), call('b')] }
    const parts = ['12', 'h'].map(text => ({ type: 'text', text }))
    expect(messagesFor([hi, turn, hi, result('b', parts)])).toEqual([
      hi,
      turn,
      result('a', 'No result.'),
      result('b', '12\nh'),
      hi,
    ])
    expect(messagesFor([hi, result('x')])[1]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'The result of a tool:\n' },
        { type: 'text', text: 'Sunny' },
      ],
    })
  })

  it('shows pictures, and refuses files and sounds', () => {
    const url = 'https://x.example/a.png'
    const image = { type: 'image_url', image_url: { url, detail: 'low' } }
    const user = (part: unknown) => messagesFor([{ role: 'user', content: [part] }])
    expect(user(image)).toEqual([{ role: 'user', content: [image] }])
    expect(messagesFor([hi, { role: 'assistant', tool_calls: [call('a')] }, result('a', [image])]).slice(2)).toEqual([
      result('a', ''),
      { role: 'user', content: [image] },
    ])
    const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }
    expect(() => user(pdf)).toThrow(/of type file/)
    expect(() => user({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })).toThrow(/of type audio/)
    expect(() => user({ type: 'video_url' })).toThrow(/of type video_url/)
  })
})
