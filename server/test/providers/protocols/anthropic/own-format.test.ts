// Tests how requests of Anthropic's own format are sent to Anthropic: as the client's bytes, or rendered with everything
// that the client said where something has changed.
import { describe, expect, it } from 'vitest'
import { unknownModelFacts } from '../../../../src/domain/conversation/model-facts.ts'
import type { Prompt } from '../../../../src/domain/conversation/prompt.ts'
import { defaultSettings } from '../../../../src/domain/settings/settings.ts'
import { anthropic, anthropicCount } from '../../../../src/providers/protocols/anthropic/anthropic.ts'
import type { Target } from '../../../../src/providers/protocols/protocol.ts'
import { messages as surface } from '../../../../src/surfaces/messages/messages.ts'
import { asSent, testReading, testTarget } from '../protocol-suite.ts'

const rules = defaultSettings('http://localhost')
const base = { max_tokens: 4000, messages: [{ role: 'user', content: 'Hi' }] }

function read(body: object | string): Prompt {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const [endpoint] = surface.endpoints
  if (endpoint === undefined) throw new Error('no endpoint')
  return endpoint.estimate(JSON.parse(text), Buffer.from(text)).read(rules).prompt
}

/** As if a guardrail had looked at the messages and changed something. */
const changed = (prompt: Prompt): Prompt => ({ ...prompt, messages: [...prompt.messages] })
const target = (model: string, more: Partial<Target> = {}) => testTarget({ model, facts: unknownModelFacts, ...more })
const rendered = (body: object, model = 'claude-sonnet-4-5') =>
  asSent(anthropic.render(changed(read(body)), target(model))).body

describe('a request that nothing has changed', () => {
  it('is the bytes of the client, with what the gateway sets', () => {
    const text = '{"messages":[ {"role":"user","content":"\\u0048i"}],"max_tokens":4000, "top_k": 1e1}'
    const { bytes, reading } = anthropic.render(read(text), target('claude-x', { endUserHash: 'hash' }))
    expect(Buffer.from(bytes ?? []).toString()).toBe(
      `${text.slice(0, -1)},"model":"claude-x","metadata":{"user_id":"hash"}}`,
    )
    expect(reading).toEqual({ jsonTool: null })
  })

  it('is rendered if it names a field twice, because a provider may read the other one', () => {
    const twice = '{"messages":[{"role":"user","content":"a","content":"Hi"}],"max_tokens":4000}'
    const { bytes, body } = anthropic.render(read(twice), target('claude-x'))
    expect(bytes).toBeUndefined()
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
  })

  it('of another format is never passed on', () => {
    const foreign: Prompt = { ...read(base), format: 'chat-completions' }
    expect(anthropic.render(foreign, target('claude-x')).bytes).toBeUndefined()
  })
})

describe('a changed request', () => {
  it.each([
    ['claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' } }, 'same'],
    [
      'claude-opus-4-8',
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'xhigh' } },
      'same',
    ],
    ['claude-opus-4-8', { thinking: { type: 'disabled' } }, 'same'],
    ['claude-opus-4-8', { output_config: { effort: 'low', task_budget: { total: 5 } } }, 'same'],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }, 'same'],
    ['claude-sonnet-4-5', { thinking: { type: 'adaptive' } }, { type: 'enabled', budget_tokens: 2000 }],
    [
      'claude-opus-4-8',
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      { type: 'adaptive', display: 'summarized' },
    ],
  ])('of %s thinks as %j, if the model takes it so', (model, fields, expected) => {
    const body = rendered({ ...base, ...fields }, model)
    const sent = { thinking: body['thinking'], output_config: body['output_config'] }
    if (expected === 'same') expect(sent).toEqual({ thinking: undefined, output_config: undefined, ...fields })
    else expect(sent.thinking).toMatchObject(expected as object)
  })

  it('lowers a budget that does not fit under the limit of the project', () => {
    const fields = { thinking: { type: 'enabled', budget_tokens: 3000 } }
    const lowered = { ...changed(read({ ...base, ...fields })), maxOutputTokens: 2000 }
    const { thinking, max_tokens: limit } = anthropic.render(lowered, target('claude-sonnet-4-5')).body
    expect(Number((thinking as { budget_tokens: number }).budget_tokens)).toBeLessThan(Number(limit))
  })

  it('adds its own beta to those of the client', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
    const turns = [
      ...base.messages,
      { role: 'assistant', content: [thought, { type: 'text', text: 'a' }] },
      ...base.messages,
    ]
    const fields = { ...base, thinking: { type: 'adaptive' }, messages: turns }
    const prompt = { ...changed(read(fields)), headers: { 'anthropic-beta': 'mine', 'anthropic-version': 'v' } }
    const { headers, body } = anthropic.render(prompt, target('claude-opus-5-5'))
    expect(headers).toEqual({
      'anthropic-beta': 'mine,thinking-binding-controls-2026-08-01',
      'anthropic-version': 'v',
    })
    expect(body['thinking']).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } })
    expect((body['messages'] as { content: object[] }[])[1]?.content[0]).toEqual(thought)
  })

  it('asks for JSON as the client does, whatever the model', () => {
    const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } }
    const body = rendered({ ...base, output_config }, 'claude-3-5-sonnet')
    expect(body['output_config']).toEqual(output_config)
    expect(body['tools']).toBeUndefined()
  })

  it('keeps instructions in blocks only if they are more than text', () => {
    expect(
      rendered({
        ...base,
        system: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      })['system'],
    ).toBe('a\n\nb')
    const system = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b' },
    ]
    expect(rendered({ ...base, system })['system']).toEqual(system)
  })

  it('keeps the order of blocks, with reasoning that was added since in front', () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'x', input: {} })
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: 'r' }] })
    const content = [use('a'), { type: 'text', text: 't' }, use('b')]
    const turns = [
      ...base.messages,
      { role: 'assistant', content },
      { role: 'user', content: [result('a'), result('b')] },
    ]
    const tools = [{ name: 'x', input_schema: { type: 'object' } }]
    const fields = { ...base, messages: turns, tools, thinking: { type: 'enabled', budget_tokens: 2000 } }
    const detail = { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1' }
    const prompt = read(fields)
    const filled = prompt.messages.map(one => (one.role === 'assistant' ? { ...one, reasoningDetails: [detail] } : one))
    const { body } = asSent(anthropic.render({ ...prompt, messages: filled }, target('claude-sonnet-4-5')))
    expect((body['messages'] as { content: object[] }[])[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      ...content,
    ])
  })

  it('drops what only another format knows', () => {
    const part = { type: 'text' as const, text: 'Hi', extra: { cache_control: {}, invented: 1 } }
    const prompt: Prompt = { ...read(base), format: 'chat-completions', messages: [{ role: 'user', content: [part] }] }
    expect(anthropic.render(prompt, target('claude-x')).body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ])
  })
})

describe('a count', () => {
  const fields = { temperature: 0.5, stop_sequences: ['END'], stream: true, metadata: { user_id: 'me' } }
  it('is of the bytes of the client, without what concerns the answer', () => {
    const { path, bytes } = anthropicCount.render(
      read({ ...base, ...fields }),
      target('claude-x', { endUserHash: 'h' }),
    )
    expect(path).toEqual(['messages', 'count_tokens'])
    const { max_tokens: _, stream: _stream, metadata: _metadata, ...counted } = { ...base, ...fields }
    expect(JSON.parse(Buffer.from(bytes ?? []).toString())).toEqual({ ...counted, model: 'claude-x' })
  })

  it('is of the changed messages', () => {
    const { body } = anthropicCount.render(
      changed(read({ ...base, ...fields })),
      target('claude-sonnet-4-5', { endUserHash: 'h' }),
    )
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
  })
})

describe('an answer', () => {
  it('is passed on unless it has a tool that the client does not know', () => {
    const message = {
      type: 'message',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const bytes = Buffer.from(JSON.stringify(message))
    expect(anthropic.decodeAnswer(bytes, testReading()).raw).toEqual(bytes)
    expect(anthropic.decodeAnswer(bytes, testReading({ jsonTool: 'json_output' })).raw).toBeNull()
    expect(anthropic.decodeAnswer(bytes, testReading({ passes: false })).raw).toBeNull()
    const failed = Buffer.from(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'no' } }))
    expect(anthropic.decodeAnswer(failed, testReading()).raw).toBeNull()
  })
})
