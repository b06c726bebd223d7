// Tests which stored reasoning a request gets: that of the same end user, project and provider, and for Anthropic only
// while the model thinks.
import { expect, test } from 'vitest'
import type { Verified } from '../../../src/domain/caller.ts'
import type { AssistantMessage, Message, Prompt } from '../../../src/domain/conversation/prompt.ts'
import type { ProviderSlug } from '../../../src/domain/provider.ts'
import { createReasoningCarrier } from '../../../src/inference/memory/carry-reasoning.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { readCompletionRequest } from '../../surfaces/chat-completions/read-body.ts'

const alice: Verified = {
  requestId: 'r',
  tenantId: 't',
  projectId: 'p',
  userId: 'alice',
  role: 'user',
  tier: null,
  scopes: [],
  authProvider: 'service',
  sessionId: null,
  threadId: null,
}
const call = (id: string) => ({ id, name: 'f', arguments: '{}' })
const answer = (id: string): AssistantMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: [{ ...call(id), signature: 'c2ln' }],
  reasoningDetails: [{ type: 'reasoning.text', text: 'hm', signature: 'c2ln' }],
})
const returned = (id: string): AssistantMessage => ({
  role: 'assistant',
  content: null,
  toolCalls: [call(id)],
  reasoningDetails: [],
})
const user: Message = { role: 'user', content: '?' }
const { prompt: bare } = readCompletionRequest({ messages: [{ role: 'user', content: '?' }] })
const promptOf = (messages: Message[], more: Partial<Prompt> = {}): Prompt => ({ ...bare, messages, ...more })

function openCarrier() {
  const { log } = createMemoryLog()
  const kv = createProcessStore({ now: Date.now, log })
  let asked = 0
  const counting = {
    forgetConversations: kv.forgetConversations,
    appendTurn: kv.appendTurn.bind(kv),
    recallTurns(...all: Parameters<typeof kv.recallTurns>) {
      asked++
      return kv.recallTurns(...all)
    },
  }
  const carrier = createReasoningCarrier(counting, log)
  /** Returns the messages that the provider would get. */
  const fill = async (verified: Verified, providers: ProviderSlug | ProviderSlug[], prompt: Prompt) => {
    const targets = [providers].flat().map(provider => ({ provider }))
    return ((await carrier.fill(verified, targets, prompt)) ?? prompt).messages
  }
  return { carrier, fill, asked: () => asked }
}

test('is found by the same user, in the same project, for the same provider', async () => {
  const { carrier, fill } = openCarrier()
  await carrier.keep(alice, 'google', answer('a'))
  const prompt = promptOf([user, returned('a')])
  expect(await fill(alice, 'google', prompt)).toEqual([user, answer('a')])
  for (const other of [{ userId: 'bob' }, { projectId: 'q' }]) {
    expect(await fill({ ...alice, ...other }, 'google', prompt)).toEqual(prompt.messages)
  }
  const thinking = { ...prompt, reasoning: { effort: 'low' as const } }
  expect(await fill(alice, 'anthropic', thinking)).toEqual(prompt.messages)
  expect(await fill(alice, 'google', promptOf([user, returned('b')]))).toEqual([user, returned('b')])
})

test('is found if one of several targets made it', async () => {
  const { carrier, fill } = openCarrier()
  await carrier.keep(alice, 'google', answer('a'))
  const prompt = promptOf([user, returned('a')])
  expect(await fill(alice, ['openai', 'google'], prompt)).toEqual([user, answer('a')])
  expect(await fill(alice, ['openai', 'anthropic'], prompt)).toEqual(prompt.messages)
})

test('of Anthropic only while the model thinks, and never in the place of what the client brings', async () => {
  const { carrier, fill, asked } = openCarrier()
  await carrier.keep(alice, 'anthropic', answer('a'))
  expect(await fill(alice, 'anthropic', promptOf([returned('a')]))).toEqual([returned('a')])
  const own = { ...returned('a'), toolCalls: [{ ...call('a'), signature: 'b3du' }] }
  expect(await fill(alice, 'google', promptOf([own]))).toEqual([own])
  expect(asked()).toBe(0)
  const thinking = promptOf([returned('a')], { reasoning: { effort: 'low' } })
  expect(await fill(alice, 'anthropic', thinking)).toEqual([answer('a')])
})

test('is looked up for the newest calls alone, however many a request brings', async () => {
  const { carrier, fill, asked } = openCarrier()
  await carrier.keep(alice, 'google', answer('last'))
  const messages = [...Array.from({ length: 5_000 }, (_, index) => returned(`${index}`)), returned('last')]
  const filled = await fill(alice, 'google', promptOf(messages))
  expect(filled).toHaveLength(5_001)
  expect(filled.at(-1)).toEqual(answer('last'))
  expect(asked()).toBeLessThanOrEqual(200)
})

test('is not kept if it would fill the store', async () => {
  const { carrier, fill } = openCarrier()
  const long = (length: number) => ({ ...answer('a'), reasoningDetails: [{ type: 'x', text: 'a'.repeat(length) }] })
  await carrier.keep(alice, 'google', long(256 * 1024))
  expect(await fill(alice, 'google', promptOf([user, returned('a')]))).toEqual([user, returned('a')])
  await carrier.keep(alice, 'google', long(250_000))
  expect(await fill(alice, 'google', promptOf([user, returned('a')]))).toEqual([user, long(250_000)])
})
