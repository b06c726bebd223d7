// Tests which messages of a stored conversation may be replayed: calls only with their results, and results only with
// their calls.
import { expect, test } from 'vitest'
import type {
  AssistantMessage,
  Message,
  ReasoningDetail,
  ToolMessage,
  UserMessage,
} from '../../../src/domain/conversation/prompt.ts'
import { withAnsweredCalls } from '../../../src/inference/memory/arrange-messages.ts'

const thought: ReasoningDetail = { type: 'reasoning.text', text: 'hm', signature: 'c2ln', format: 'x' }
const user = (content: string): UserMessage => ({ role: 'user', content })
const result = (toolCallId: string): ToolMessage => ({ role: 'tool', toolCallId, content: 'rain' })
const calling = (ids: string[], content: string | null = null): AssistantMessage => ({
  role: 'assistant',
  content,
  toolCalls: ids.map(id => ({ id, name: 'weather', arguments: '{}' })),
  reasoningDetails: [thought],
})
const bare = (message: AssistantMessage, ids: string[]): AssistantMessage => ({
  ...message,
  toolCalls: message.toolCalls.filter(({ id }) => ids.includes(id)),
  reasoningDetails: [],
})

test.each<[string, Message[], Message[], Message[]]>([
  [
    'a whole exchange stays',
    [user('?'), calling(['a', 'b']), result('a'), result('b')],
    [user('!')],
    [user('?'), calling(['a', 'b']), result('a'), result('b')],
  ],
  [
    'the request brings the results',
    [user('?'), calling(['a', 'b'])],
    [result('a'), result('b'), user('!')],
    [user('?'), calling(['a', 'b'])],
  ],
  [
    'a call without a result goes, and thinking with it',
    [user('?'), calling(['a', 'b']), result('b')],
    [user('!')],
    [user('?'), bare(calling(['a', 'b']), ['b']), result('b')],
  ],
  ['a message of such calls alone goes whole', [user('?'), calling(['a'])], [user('!')], [user('?')]],
  [
    'its text stays',
    [user('?'), calling(['a'], 'I look.')],
    [user('!')],
    [user('?'), bare(calling(['a'], 'I look.'), [])],
  ],
  ['results whose call the window cut off go', [result('a'), user('?')], [user('!')], [user('?')]],
  [
    'a result behind another message answers nothing',
    [calling(['a']), user('!'), result('a')],
    [user('?')],
    [user('!')],
  ],
  [
    'a result in the request behind its words answers nothing',
    [user('?'), calling(['a'])],
    [user('!'), result('a')],
    [user('?')],
  ],
  [
    'a result that comes again behind another message goes',
    [calling(['a']), result('a'), user('!'), result('a')],
    [user('?')],
    [calling(['a']), result('a'), user('!')],
  ],
  [
    'a result of an earlier call goes',
    [calling(['a']), result('a'), calling(['b']), result('a'), result('b')],
    [user('!')],
    [calling(['a']), result('a'), calling(['b']), result('b')],
  ],
])('%s', (_name, recalled, said, replayed) => {
  expect(withAnsweredCalls(recalled, said)).toEqual(replayed)
})

test('a refusal and an empty text are told apart', () => {
  const empty = calling(['a'], '')
  expect(withAnsweredCalls([{ ...empty, refusal: 'No.' }, empty], [user('!')])).toEqual([
    { ...empty, refusal: 'No.', toolCalls: [], reasoningDetails: [] },
  ])
})

test('takes no longer for a long request', () => {
  const recalled = Array.from({ length: 500 }, (_, index) => calling([`${index}`], 'text'))
  const said = Array.from({ length: 300_000 }, () => user('x'))
  const begun = process.cpuUsage()
  expect(withAnsweredCalls(recalled, said)).toHaveLength(500)
  expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000)
})
