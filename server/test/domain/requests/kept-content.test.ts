// What the request log keeps of messages: texts and tool calls as they are, images and files by their size, and of too
// long requests the newest messages.
import { expect, test } from 'vitest'
import { keepAnswer, keepMessages } from '../../../src/domain/requests/kept-content.ts'

test('texts, tool calls and results are kept, and media by type and size', () => {
  const { messages, left_out } = keepMessages([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', url: 'data:image/png;base64,AAAA' },
        { type: 'document', content: 'A page', title: 'Title' },
      ],
    },
    {
      role: 'assistant',
      content: null,
      toolCalls: [{ id: 'call_1', name: 'find', arguments: '{"a":1}' }],
      reasoningDetails: [],
    },
    { role: 'tool', toolCallId: 'call_1', content: 'found' },
  ])
  expect(left_out).toBe(0)
  expect(messages).toEqual([
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', bytes: 26 },
        { type: 'text', text: 'A page' },
      ],
    },
    { role: 'assistant', content: [], tool_calls: [{ id: 'call_1', name: 'find', arguments: '{"a":1}' }] },
    { role: 'tool', content: [{ type: 'text', text: 'found' }], tool_call_id: 'call_1' },
  ])
  expect(JSON.stringify(messages)).not.toContain('AAAA')
})

test('of too long requests the newest messages are kept, and the others counted', () => {
  const long = 'x'.repeat(1_500_000)
  const given = ['a', 'b', 'c'].map(name => ({ role: 'user' as const, content: name + long }))
  const { messages, left_out } = keepMessages(given)
  expect(messages.map(({ content: [part] }) => (part !== undefined && 'text' in part ? part.text[0] : ''))).toEqual([
    'b',
    'c',
  ])
  expect(left_out).toBe(1)
})

test('an answer without text and calls is none', () => {
  const answer = { role: 'assistant' as const, content: null, toolCalls: [], reasoningDetails: [] }
  expect(keepAnswer(answer)).toBeNull()
  expect(keepAnswer({ ...answer, refusal: 'No' })?.content).toEqual([{ type: 'refusal', text: 'No' }])
})
