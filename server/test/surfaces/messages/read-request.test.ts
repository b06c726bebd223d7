// Tests how requests of /v1/messages are read: into prompts with everything that the client said, or refused in the words
// of Anthropic.
import { describe, expect, it } from 'vitest'
import type { Prompt } from '../../../src/domain/conversation/prompt.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { JsonText } from '../../../src/domain/json/json-text.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { messages as surface } from '../../../src/surfaces/messages/messages.ts'

const rules = defaultSettings('http://localhost')
const [endpoint, count] = surface.endpoints as [(typeof surface.endpoints)[0], (typeof surface.endpoints)[0]]
const base = { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }

function read(body: object, settings: Partial<typeof rules> = {}): Prompt {
  const bytes = Buffer.from(JSON.stringify(body))
  return endpoint.estimate(JSON.parse(bytes.toString()), bytes).read({ ...rules, ...settings }).prompt
}

const asUser = (...content: object[]) => ({ ...base, messages: [{ role: 'user', content }] })
const asAssistant = (...content: object[]) => ({
  ...base,
  messages: [...base.messages, { role: 'assistant', content }],
})
const partsOf = (body: object) => read(body).messages[0]?.content
const cache = { cache_control: { type: 'ephemeral' } }

function refusalOf(body: object): string {
  try {
    read(body)
  } catch (error) {
    if (error instanceof Refusal && error.row.status === 400) return error.message
    throw error
  }
  return 'no refusal'
}

describe('a request', () => {
  it('keeps its bytes until a rule changes it', () => {
    const prompt = read(base)
    expect(prompt).toMatchObject({ format: 'messages', maxOutputTokens: 100, stream: false, stop: [], extra: {} })
    expect(prompt.source?.messages).toBe(prompt.messages)
    expect(Buffer.from(prompt.source?.body ?? []).toString()).toBe(JSON.stringify(base))
    expect(read(base, { client_fields: 'known' }).source).toBeNull()
  })

  it('has instructions as the first message, with what belongs to their blocks', () => {
    expect(read({ ...base, system: 'Be brief.' }).messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    const system = [{ type: 'text', text: 'a', ...cache }]
    expect(read({ ...base, system }).messages[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'a', extra: cache }],
    })
    const later = [...base.messages, { role: 'system', content: 'Now in French.' }]
    expect(read({ ...base, messages: later }).messages[1]).toEqual({ role: 'system', content: 'Now in French.' })
  })

  it('has sampling, stop sequences and unknown fields', () => {
    const more = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
      service_tier: 'auto',
      metadata: {},
    }
    expect(read({ ...base, ...more })).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topK: 40 },
      stop: ['END'],
      extra: { service_tier: 'auto' },
    })
    expect(read({ ...base, ...more }).extra).not.toHaveProperty('metadata')
  })

  it.each([
    [{ type: 'auto' }, { toolChoice: 'auto' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
    [
      { type: 'tool', name: 'x', disable_parallel_tool_use: false },
      { toolChoice: { name: 'x' }, parallelToolCalls: true },
    ],
    [{ type: 'none' }, { toolChoice: 'none' }],
  ])('chooses tools by %j', (tool_choice, expected) => {
    expect(read({ ...base, tool_choice })).toMatchObject(expected)
  })

  it("has the client's tools and the provider's own", () => {
    const own = { type: 'web_search_20250305', name: 'web_search' }
    const tool = { name: 'x', description: 'd', input_schema: { type: 'object' }, strict: true, ...cache }
    expect(read({ ...base, tools: [own, tool] })).toMatchObject({
      tools: [{ name: 'x', description: 'd', parameters: JsonText.of({ type: 'object' }), strict: true, extra: cache }],
      otherTools: [own],
    })
  })

  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { maxTokens: 2048 }],
    [{ thinking: { type: 'enabled', budget_tokens: 2048, display: 'omitted' } }, { maxTokens: 2048, isHidden: true }],
    [{ thinking: { type: 'adaptive' } }, {}],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { effort: 'max' }],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, { effort: 'none' }],
    [{ output_config: { effort: 'low' } }, { effort: 'low' }],
    [{}, undefined],
  ])('thinks as %j says', (fields, expected) => {
    const prompt = read({ ...base, ...fields })
    expect(prompt.reasoning).toEqual(expected)
    expect(prompt.extra).toEqual(fields)
  })

  it('asks for JSON by a schema', () => {
    const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } }
    expect(read({ ...base, output_config }).responseFormat).toEqual({
      type: 'json_schema',
      name: 'output',
      schema: JsonText.of({ type: 'object' }),
    })
  })
})

describe('the content of messages', () => {
  it.each([
    [
      { type: 'text', text: 'a', ...cache },
      { type: 'text', text: 'a', extra: cache },
    ],
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YQ==' } },
      { type: 'image', url: 'data:image/png;base64,YQ==' },
    ],
    [
      { type: 'image', source: { type: 'url', url: 'https://x/a.png' } },
      { type: 'image', url: 'https://x/a.png' },
    ],
    [
      {
        type: 'document',
        title: 't',
        source: { type: 'base64', media_type: 'application/pdf', data: 'YQ==' },
        ...cache,
      },
      { type: 'file', data: 'data:application/pdf;base64,YQ==', filename: 't', extra: cache },
    ],
    [
      { type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } },
      { type: 'file', data: 'https://x/a.pdf' },
    ],
    [
      { type: 'document', title: 't', context: 'c', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
      { type: 'document', content: 'a', title: 't', context: 'c' },
    ],
    [
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'a' }] } },
      { type: 'document', content: [{ type: 'text', text: 'a' }] },
    ],
    [
      { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'a' }] },
      { type: 'document', content: [{ type: 'text', text: 'a' }], title: 't', searchSource: 's' },
    ],
    [
      { type: 'container_upload', file_id: 'f' },
      { type: 'other', kind: 'container_upload', value: { type: 'container_upload', file_id: 'f' } },
    ],
  ])('%j', (block, part) => {
    expect(partsOf(asUser(block))).toEqual([part])
  })

  it('has results of tools as messages of their own, in order', () => {
    const result = (id: string, more: object) => ({ type: 'tool_result', tool_use_id: id, ...more })
    const body = asUser(
      result('a', { content: 'one', ...cache }),
      result('b', { content: [{ type: 'text', text: 'two' }], is_error: true }),
      { type: 'text', text: 'and' },
      { type: 'text', text: 'more' },
      result('c', {}),
    )
    expect(read(body).messages).toEqual([
      { role: 'tool', toolCallId: 'a', content: 'one', extra: cache },
      { role: 'tool', toolCallId: 'b', content: [{ type: 'text', text: 'two' }], isError: true },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and' },
          { type: 'text', text: 'more' },
        ],
      },
      { role: 'tool', toolCallId: 'c', content: '' },
    ])
  })

  it('has calls, signed thinking and the order of all blocks', () => {
    const use = { type: 'tool_use', id: 'a', name: 'x', input: { b: 1 }, ...cache }
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
    const redacted = { type: 'redacted_thinking', data: 'ZA==' }
    const usual = read(asAssistant(thinking, { type: 'text', text: 't' }, use)).messages[1]
    expect(usual).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 't' }],
      toolCalls: [{ id: 'a', name: 'x', arguments: '{"b":1}', extra: cache }],
      reasoningDetails: [
        { type: 'reasoning.text', text: 'Hm', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
      ],
    })
    const mixed = read(asAssistant({ type: 'text', text: 't' }, redacted, use, thinking)).messages[1]
    expect(mixed).toMatchObject({ order: ['part', 'reasoning', 'call', 'reasoning'] })
  })

  it('has unsigned thinking as text that no provider gets back as its own', () => {
    const message = read(asAssistant({ type: 'thinking', thinking: 'Hm', signature: '' })).messages[1]
    expect(message).toMatchObject({ reasoning: 'Hm', reasoningDetails: [], content: null })
  })
})

describe('a refusal', () => {
  it.each([
    [{ ...base, max_tokens: '5' }, 'max_tokens: Input should be a valid integer'],
    [{ ...base, stream: 1 }, 'stream: Input should be a valid boolean'],
    [{ ...base, model: 1 }, 'model: Input should be a valid string'],
    [{ max_tokens: 5 }, 'messages: Field required'],
    [{ ...base, messages: 'x' }, 'messages: Input should be a valid array'],
    [{ ...base, messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    [{ ...base, messages: [{ role: 'user', content: 5 }] }, 'messages.0.content: Input should be a valid array'],
    [{ ...base, system: 5 }, 'system: Input should be a valid array'],
    [
      { ...base, system: [{ type: 'image' }] },
      "system.0: Input tag 'image' found using 'type' does not match any of the expected tags: 'text'",
    ],
    [{ ...base, stop_sequences: [1] }, 'stop_sequences: Input should be a valid string'],
    [{ ...base, tool_choice: { type: 'tool' } }, 'tool_choice.name: Field required'],
    [{ ...base, thinking: { type: 'enabled' } }, 'thinking.enabled.budget_tokens: Field required'],
    [
      { ...base, thinking: { type: 'enabled', budget_tokens: 5 } },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      { ...base, output_config: { effort: 'huge' } },
      "output_config.effort: Input should be one of 'low', 'medium', 'high', 'xhigh', 'max'",
    ],
    [
      asUser({ type: 'tool_use', id: 'a', name: 'x', input: {} }),
      'messages.0.content.0: `tool_use` blocks are not allowed here',
    ],
    [asUser({ type: 'image' }), 'messages.0.content.0.source: Field required'],
    [
      asUser({ type: 'image', source: { type: 'file', file_id: 'f' } }),
      'messages.0.content.0.source: Files stored at the provider are not available here: send their content',
    ],
    [
      asUser({ type: 'image', source: { type: 'ftp' } }),
      "messages.0.content.0.source: Input tag 'ftp' found using 'type' does not match any of the expected tags: 'base64', 'url'",
    ],
    [asUser({ type: 'tool_result' }), 'messages.0.content.0.tool_use_id: Field required'],
    [
      asAssistant({ type: 'tool_result', tool_use_id: 'a' }),
      'messages.1.content.0: `tool_result` blocks can only be in `user` messages',
    ],
    [asAssistant({ type: 'tool_use', id: 'a', name: 'x' }), 'messages.1.content.0.input: Field required'],
  ])('of %j says %s', (body, message) => {
    expect(refusalOf(body)).toBe(message)
  })

  it('of tools also covers servers of tools', () => {
    for (const field of ['tools', 'tool_choice', 'mcp_servers']) {
      expect(() => read({ ...base, [field]: [] }, { client_tools: 'reject' }), field).toThrow('tools')
    }
  })
})

describe('the estimate', () => {
  const promptOf = (body: object) => endpoint.estimate(body).estimate
  it('counts texts in all blocks, and media by their number', () => {
    const plain = promptOf(base).prompt
    const long = 'x'.repeat(400)
    const blocks = [
      { type: 'text', text: long },
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: long }] },
      { type: 'document', source: { type: 'text', data: long } },
      { type: 'document', source: { type: 'content', content: long } },
      { type: 'search_result', content: [{ type: 'text', text: long }] },
      { type: 'thinking', thinking: long },
      { type: 'tool_use', input: { a: long.slice(8) } },
    ]
    for (const block of blocks) expect(promptOf(asUser(block)).prompt, JSON.stringify(block)).toBe(plain + 100 - 1)
    for (const type of ['image', 'document']) {
      expect(promptOf(asUser({ type, source: { type: 'base64', data: long } })).prompt).toBe(plain + 1_000 - 1)
    }
    expect(promptOf({ ...base, system: long }).prompt).toBe(plain + 100)
    expect(promptOf({ ...base, tools: [long] }).prompt).toBe(plain + 101)
  })

  it('has the limit of the answer, and none for a count', () => {
    expect(promptOf(base).completion).toBe(100)
    expect(count.estimate({ messages: base.messages }).estimate.completion).toBe(0)
  })
})
