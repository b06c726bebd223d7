// Tests how much Anthropic's models are asked to think, and which thoughts are shown to them again.
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../src/domain/json-object.ts'
import { adaptive, always, budget, call, hi, request, result, said, use, weather, written } from './request-stage.ts'

const thinksUnasked = 'claude-sonnet-5'

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

  it('leaves half of the limit to the answer if it can, and the limit as it is', () => {
    const asked = (max_tokens: number) => written({ reasoning_effort: 'medium', max_tokens })
    expect(asked(10_000)).toMatchObject({ max_tokens: 10_000, thinking: { budget_tokens: 4096 } })
    expect(asked(4000)).toMatchObject({ max_tokens: 4000, thinking: { budget_tokens: 2000 } })
    expect(asked(1025)).toMatchObject({ max_tokens: 1025, thinking: { budget_tokens: 1024 } })
    expect(asked(1024)).not.toHaveProperty('thinking')
    const limited = written({ reasoning_effort: 'medium', max_tokens: 9000 }, budget, { maxOutputTokens: 4000 })
    expect(limited).toMatchObject({ max_tokens: 4000, thinking: { budget_tokens: 2000 } })
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
