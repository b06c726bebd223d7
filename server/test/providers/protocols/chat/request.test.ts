// Tests the request bodies of Chat Completions: what each provider that speaks it gets, and what it is not told.
import { describe, expect, it } from 'vitest'
import { type ModelFacts, unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { chatCompletions } from '../../../../src/providers/protocols/chat/chat-completions.ts'
import { openrouterDialect } from '../../../../src/providers/protocols/chat/dialects.ts'
import type { Target } from '../../../../src/providers/protocols/protocol.ts'
import { readCompletionRequest } from '../../../surfaces/chat-completions/read-body.ts'
import { asSent, testTarget } from '../protocol-suite.ts'
import { mistral, openai } from './chat-stage.ts'

const openrouter = chatCompletions(openrouterDialect)
const messages = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const reasoningModel: Partial<ModelFacts> = { reasoning: true, temperature: false }

function written(protocol: typeof openai, body: JsonObject, facts: Partial<ModelFacts> = {}, target?: Partial<Target>) {
  const { prompt } = readCompletionRequest({ messages, ...body })
  return asSent(protocol.render(prompt, testTarget({ ...target, facts: { ...unknownModelFacts, ...facts } }))).body
}

describe('requests', () => {
  it('§8.22 renames and drops what a reasoning model refuses', () => {
    const asked = {
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['x'],
      presence_penalty: 1,
      logprobs: true,
      seed: 3,
    }
    const others = { ...asked, reasoning_effort: 'low', logit_bias: { 5: 1 } }
    expect(written(openai, others, reasoningModel)).toEqual({
      model: 'model-1',
      messages,
      max_completion_tokens: 100,
      seed: 3,
      reasoning_effort: 'low',
    })
    expect(written(openai, asked, { reasoning: false, temperature: true })).toMatchObject({
      max_completion_tokens: 100,
      temperature: 0.5,
      stop: ['x'],
      logprobs: true,
    })
  })

  it('asks a model for reasoning only where it can', () => {
    expect(written(openai, { reasoning_effort: 'low' }, { reasoning: false })).not.toHaveProperty('reasoning_effort')
    expect(written(openai, { reasoning_effort: 'max' }).reasoning_effort).toBe('xhigh')
    expect(written(openrouter, { reasoning_effort: 'low' }).reasoning).toEqual({ effort: 'low' })
    expect(written(openrouter, { reasoning: { max_tokens: 9, exclude: true } }).reasoning).toEqual({
      max_tokens: 9,
      exclude: true,
    })
    expect(written(mistral, { reasoning_effort: 'low' }).reasoning_effort).toBe('high')
    expect(written(mistral, { reasoning_effort: 'minimal' }).reasoning_effort).toBe('none')
  })

  it('asks for no more than the model can write', () => {
    expect(written(openai, { max_tokens: 99_999 }, { maxOutputTokens: 4096 }).max_completion_tokens).toBe(4096)
    expect(written(mistral, { max_tokens: 99_999 }, { maxOutputTokens: 9000, contextWindow: 9000 })).not.toHaveProperty(
      'max_tokens',
    )
  })

  it('asks always for the usage of a stream, of those who can be asked', () => {
    expect(written(openai, { stream: true }).stream_options).toEqual({ include_usage: true })
    expect(written(openrouter, { stream: true }).stream_options).toEqual({ include_usage: true })
    expect(written(openai, { stream: true, stream_options: { include_usage: false, x: 1 } }).stream_options).toEqual({
      include_usage: true,
      x: 1,
    })
    expect(written(mistral, { stream: true, stream_options: { include_usage: true } })).toEqual({
      model: 'model-1',
      messages,
      stream: true,
    })
    expect(written(openai, { stream_options: { include_usage: true } })).not.toHaveProperty('stream_options')
  })

  it('says nothing of tools where there are none', () => {
    const body = written(openai, { tools: [], tool_choice: 'auto', parallel_tool_calls: true })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })

  it('gives no more stop sequences than are taken', () => {
    const stop = ['a', 'b', 'c', 'd', 'e']
    expect(written(openrouter, { stop })['stop']).toEqual(['a', 'b', 'c', 'd'])
    for (const protocol of [openai, mistral]) expect(written(protocol, { stop })['stop']).toEqual(stop)
  })

  it('passes unknown fields to those who may know them', () => {
    const asked = {
      verbosity: 'low',
      tools: [...tools, { type: 'x:search' }],
      messages: [{ ...messages[0], cache: 1 }],
    }
    for (const protocol of [openai, openrouter]) expect(written(protocol, asked)).toMatchObject(asked)
  })

  it('names the end user by a hash, in the field that is there for it', () => {
    const target = { endUserHash: 'h' }
    expect(written(openai, { user: 'ann' }, {}, target)).toMatchObject({ safety_identifier: 'h' })
    expect(written(openrouter, { user: 'ann' }, {}, target).user).toBe('h')
    expect(written(openai, { user: 'ann' })).not.toHaveProperty('user')
    expect(written(mistral, { user: 'ann' }, {}, target)).not.toHaveProperty('user')
  })

  it('writes for whoever stands at an address of the customer what most of them take', () => {
    const asked = { max_tokens: 5, messages: [{ role: 'developer', content: 'x' }, ...messages] }
    const body = written(openai, asked, {}, { hasBaseUrlOverride: true, endUserHash: 'h' })
    expect(body).toMatchObject({ max_tokens: 5, user: 'h', messages: [{ role: 'system' }, { role: 'user' }] })
    const reasoning = written(openai, asked, reasoningModel, { hasBaseUrlOverride: true })
    expect(reasoning.max_completion_tokens).toBe(5)
  })

  it('tells a model that takes no schema about it in words', () => {
    const format = { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } }
    const body = written(openai, { response_format: format }, { structuredOutput: false })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([
      { role: 'system', content: expect.stringContaining('"object"') },
      { role: 'user' },
    ])
    expect(written(openai, { response_format: format }).response_format).toEqual(format)
  })

  it('gives reasoning back to those who want it, and to no others', () => {
    const details = [{ type: 'reasoning.text', text: 't', signature: 's' }]
    const turn = { role: 'assistant', content: 'a', reasoning_content: 't', reasoning_details: details }
    expect(written(openai, { messages: [turn, ...messages] })['messages']).toEqual([
      { role: 'assistant', content: 'a' },
      ...messages,
    ])
    expect(written(openrouter, { messages: [turn, ...messages] })['messages']).toMatchObject([
      { reasoning_details: details },
      {},
    ])
  })
})

describe('Mistral', () => {
  const call = { id: 'call_aDdJTteHrpMdhdkEkyxjxEHH', type: 'function', function: { name: 'f', arguments: '' } }
  const conversation = [
    { role: 'user', content: 'Hi', name: 'ann', cache_control: {} },
    { role: 'assistant', content: null, refusal: null, reasoning_content: 'r', tool_calls: [{ ...call, x: 1 }] },
    { role: 'tool', tool_call_id: call.id, content: 'done', name: 'f' },
  ]

  it('§8.18 gets tool ids of nine characters, the same in call and result', () => {
    const [, turn, result] = written(mistral, { messages: conversation, tools })['messages'] as JsonObject[]
    const [sent] = (turn?.['tool_calls'] ?? []) as { id: string }[]
    expect(sent?.id).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(result?.['tool_call_id']).toBe(sent?.id)
    const own = { ...call, id: 'KikbB849t' }
    const again = written(mistral, { messages: [{ role: 'assistant', tool_calls: [own] }] })['messages']
    expect(again).toMatchObject([{ tool_calls: [{ id: 'KikbB849t' }] }])
    const other = { ...call, id: 'call_other' }
    const [different] = written(mistral, { messages: [{ role: 'assistant', tool_calls: [other] }] })[
      'messages'
    ] as JsonObject[]
    expect(different?.['tool_calls']).not.toMatchObject([{ id: sent?.id }])
  })

  it('§8.19 gets no field that it does not know', () => {
    const asked = {
      messages: conversation,
      tools: [...tools, { type: 'x' }],
      seed: 1,
      logprobs: true,
      top_k: 3,
      verbosity: 'low',
    }
    const body = written(mistral, { ...asked, metadata: {}, tool_choice: 'required' })
    expect(body).toEqual({
      model: 'model-1',
      random_seed: 1,
      tools,
      tool_choice: 'any',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: expect.any(String), type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: expect.any(String), content: 'done' },
      ],
    })
  })

  it('gets what an assistant refused to do as what it said', () => {
    const refused = { role: 'assistant', content: null, refusal: 'I will not.' }
    const sent = (message: JsonObject) =>
      written(mistral, { messages: [...messages, message, ...messages] })['messages']
    expect(sent(refused)).toMatchObject([{}, { role: 'assistant', content: 'I will not.' }, {}])
    expect(sent({ ...refused, content: '' })).toMatchObject([{}, { content: 'I will not.' }, {}])
    expect(sent({ ...refused, content: 'Said.' })).toMatchObject([{}, { content: 'Said.' }, {}])
  })

  it('§8.20 gets an assistant between a tool and a user, and goes on with what an assistant began', () => {
    const roles = (asked: JsonObject) => (written(mistral, asked)['messages'] as JsonObject[]).map(({ role }) => role)
    const interrupted = [...conversation, { role: 'user', content: 'Stop' }]
    expect(roles({ messages: interrupted, tools })).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    const begun = [...messages, { role: 'assistant', content: 'Once' }]
    expect(written(mistral, { messages: begun })['messages']).toMatchObject([{}, { content: 'Once', prefix: true }])
    expect(written(mistral, { messages: conversation })['messages']).not.toMatchObject([{}, { prefix: true }, {}])
    const late = [...begun, { role: 'developer', content: 'Be brief' }]
    expect(roles({ messages: late })).toEqual(['user', 'assistant', 'user'])
    const brief = { role: 'system', content: 'Be brief' }
    expect(roles({ messages: [brief, ...messages, brief] })).toEqual(['system', 'user', 'user'])
    expect(roles({ messages: [brief] })).toEqual(['user'])
  })

  it('gets documents in its own form and refuses what it cannot be told', () => {
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } }
    expect(written(mistral, { messages: [{ role: 'user', content: [file] }] })['messages']).toEqual([
      {
        role: 'user',
        content: [{ type: 'document_url', document_url: 'data:application/pdf;base64,AA==', document_name: 'a.pdf' }],
      },
    ])
    const video = { type: 'video_url', video_url: {} }
    expect(() => written(mistral, { messages: [{ role: 'user', content: [video] }] })).toThrow('video_url')
  })
})
