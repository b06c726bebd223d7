// Tests the requests of Bedrock: address, body, turns, tools, structured output and reasoning.
import { describe, expect, it } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { bedrock } from '../../../../src/providers/protocols/bedrock/bedrock.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { asSent, testTarget } from '../protocol-suite.ts'

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const hi = { role: 'user', content: 'hi' }
const hiTurn = { role: 'user', content: [{ text: 'hi' }] }
const weather = {
  type: 'function',
  function: { name: 'weather', description: '', parameters: { type: 'object', properties: {} } },
}
const call = (id: string, args = '{"city":"Rome"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
})

function rendered(body: JsonObject, { model = 'meta.llama4-v1:0', facts = {} as Partial<ModelFacts> } = {}) {
  const { prompt } = readCompletionRequest({ messages: [hi], ...body })
  return asSent(bedrock.render(prompt, testTarget({ model, facts: { ...unknownModelFacts, ...facts } })))
}
const written = (...given: Parameters<typeof rendered>) => rendered(...given).body as JsonObject
const turnsFor = (messages: unknown[], model = claude) => written({ messages }, { model })['messages']

describe('the address', () => {
  it('has the model and the operation', () => {
    expect(rendered({}, { model: claude }).path).toEqual(['model', claude, 'converse'])
    expect(rendered({ stream: true }, { model: claude }).path).toEqual(['model', claude, 'converse-stream'])
  })
})

describe('the body', () => {
  it('says no more than was asked', () => {
    expect(written({})).toEqual({ messages: [hiTurn] })
    expect(written({ stream: true, user: 'me', store: true, logit_bias: { 5: 1 } })).toEqual({ messages: [hiTurn] })
  })

  it('has instructions, limits and sampling under Converse names', () => {
    const asked = { temperature: 1.7, top_p: 0.9, stop: ['x', ' '], max_tokens: 50 }
    const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'developer', content: 'Be kind.' }, hi]
    expect(written({ ...asked, messages })).toEqual({
      messages: [hiTurn],
      system: [{ text: 'Be brief.\n\nBe kind.' }],
      inferenceConfig: { temperature: 1, topP: 0.9, stopSequences: ['x'], maxTokens: 50 },
    })
  })

  it.each([
    [claude, { top_k: 5 }],
    ['amazon.nova-pro-v1:0', { inferenceConfig: { topK: 5 } }],
    ['meta.llama4-v1:0', undefined],
  ])('gives top_k to %s where that vendor expects it', (model, fields) => {
    expect(written({ top_k: 5 }, { model })['additionalModelRequestFields']).toEqual(fields)
  })

  it('limits the answer to what the model can', () => {
    const facts = { maxOutputTokens: 100 }
    expect(written({ max_tokens: 500 }, { facts })['inferenceConfig']).toEqual({ maxTokens: 100 })
  })
})

describe('turns', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo='
  const image = (url: string) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })
  const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } })

  it('have images as bytes', () => {
    const block = { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }
    expect(turnsFor([image(png)])).toEqual([{ role: 'user', content: [block] }])
  })

  it('have documents under names that Bedrock accepts, beside some text', () => {
    const content = [
      file('data:application/pdf;base64,JVBERi0=', 'Q3/report_v2.pdf'),
      file('data:application/pdf;base64,JVBERi0=', 'Q3 report v2 pdf'),
      file('data:text/plain,caf%C3%A9'),
    ]
    const pdf = { format: 'pdf', source: { bytes: 'JVBERi0=' } }
    const text = { format: 'txt', name: 'document', source: { bytes: Buffer.from('café').toString('base64') } }
    expect(turnsFor([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { document: { ...pdf, name: 'Q3 report v2 pdf' } },
          { document: { ...pdf, name: 'Q3 report v2 pdf 2' } },
          { document: text },
          { text: 'See the document.' },
        ],
      },
    ])
    const [turn] = turnsFor([{ role: 'user', content: [content[2], { type: 'text', text: 'Sum up' }] }]) as JsonObject[]
    expect(turn?.['content']).toEqual([{ document: text }, { text: 'Sum up' }])
  })

  it.each([
    ['an image by address', image('https://example.com/a.png'), 'images by address; send the data'],
    ['an image of another type', image('data:image/bmp;base64,Qk0='), 'images of type image/bmp'],
    [
      'a file by address',
      { role: 'user', content: [file('https://example.com/a.pdf')] },
      'files by address; send the data',
    ],
    [
      'a file of another type',
      { role: 'user', content: [file('data:application/zip;base64,UEs=')] },
      'files of type application/zip',
    ],
  ])('reject %s', (_, message, what) => {
    expect(() => turnsFor([message])).toThrow(`The model's provider does not take ${what}`)
  })

  it('pair calls with their results', () => {
    const messages = [
      hi,
      { role: 'assistant', content: 'Looking', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'Sunny' },
    ]
    const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'weather', input: { city: 'Rome' } } })
    expect(turnsFor(messages)).toEqual([
      hiTurn,
      { role: 'assistant', content: [{ text: 'Looking' }, use('a'), use('b')] },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'b', content: [{ text: 'Sunny' }] } },
          { toolResult: { toolUseId: 'a', content: [{ text: 'No result.' }], status: 'error' } },
        ],
      },
    ])
  })

  it('return signed and encrypted reasoning while the model reasons', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'anthropic-claude-v1', index: 1 },
    ]
    const messages = [hi, { role: 'assistant', content: 'Yes', reasoning_details }, hi]
    const body = written({ messages, reasoning_effort: 'low' }, { model: claude })
    expect(body['messages']).toEqual([
      hiTurn,
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
          { text: 'Yes' },
        ],
      },
      hiTurn,
    ])
  })
})

describe('tools', () => {
  const toolSpec = { name: 'weather', inputSchema: { json: { type: 'object', properties: {} } } }
  const asked = (fields: JsonObject, model = claude) => written({ tools: [weather], ...fields }, { model })

  it.each<[unknown, JsonObject]>([
    ['auto', { tools: [{ toolSpec }] }],
    ['required', { tools: [{ toolSpec }], toolChoice: { any: {} } }],
    [
      { type: 'function', function: { name: 'weather' } },
      { tools: [{ toolSpec }], toolChoice: { tool: { name: 'weather' } } },
    ],
  ])('with choice %j', (tool_choice, toolConfig) => {
    expect(asked({ tool_choice })).toEqual({ messages: [hiTurn], toolConfig })
  })

  it('that cannot be forced are asked for', () => {
    expect(asked({ tool_choice: 'required' }, 'meta.llama4-v1:0')).toEqual({
      messages: [hiTurn],
      system: [{ text: 'Answer by calling a tool.' }],
      toolConfig: { tools: [{ toolSpec }] },
    })
  })

  it('that are forbidden are left out, or declared where the history has calls', () => {
    expect(asked({ tool_choice: 'none' })).toEqual({ messages: [hiTurn] })
    const messages = [hi, { role: 'assistant', content: null, tool_calls: [call('a')] }, hi]
    expect(asked({ tool_choice: 'none', messages })).toMatchObject({
      system: [{ text: 'Answer without calling a tool.' }],
      toolConfig: { tools: [{ toolSpec }] },
    })
  })

  it('are asked for one at a time', () => {
    const body = asked({ parallel_tool_calls: false })
    expect(body['system']).toEqual([{ text: 'Call at most one tool at a time.' }])
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const response_format = { type: 'json_schema', json_schema: { name: 'thing', schema, strict: true } }

  it('is bound by Bedrock for models that can', () => {
    const { outputConfig } = written({ response_format }, { model: claude }) as { outputConfig: JsonObject }
    expect(outputConfig).toMatchObject({ textFormat: { type: 'json_schema' } })
    const { structure } = outputConfig['textFormat'] as { structure: { jsonSchema: { name: string; schema: string } } }
    expect(structure.jsonSchema.name).toBe('thing')
    expect(JSON.parse(structure.jsonSchema.schema)).toMatchObject({ type: 'object', required: ['a'] })
  })

  it('is a forced tool for models that can be forced, and an instruction for others', () => {
    const { body, reading } = rendered({ response_format }, { model: 'amazon.nova-pro-v1:0' })
    expect(body).toMatchObject({ toolConfig: { toolChoice: { tool: { name: 'json_output' } } } })
    expect(reading.jsonTool).toBe('json_output')
    const [instruction] = written({ response_format })['system'] as { text: string }[]
    expect(instruction?.text).toContain('JSON Schema')
  })
})

describe('reasoning', () => {
  const fieldsFor = (model: string, effort = 'high') =>
    written({ reasoning_effort: effort, max_tokens: 2000 }, { model })['additionalModelRequestFields']

  it('has the form of the family', () => {
    expect(fieldsFor(claude)).toEqual({ thinking: { type: 'enabled', budget_tokens: 1024 } })
    expect(fieldsFor('global.anthropic.claude-opus-4-6-v1')).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    })
    expect(fieldsFor('us.amazon.nova-2-lite-v1:0')).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    })
    expect(fieldsFor('openai.gpt-oss-120b-1:0', 'minimal')).toEqual({ reasoning_effort: 'low' })
    expect(fieldsFor('openai.gpt-oss-120b-1:0', 'none')).toBeUndefined()
    expect(fieldsFor('meta.llama4-v1:0')).toBeUndefined()
  })

  it('with a budget leaves the limit as it is', () => {
    const { inferenceConfig } = written({ reasoning_effort: 'high', max_tokens: 2000 }, { model: claude }) as {
      inferenceConfig: JsonObject
    }
    expect(inferenceConfig).toEqual({ maxTokens: 2000 })
  })
})
