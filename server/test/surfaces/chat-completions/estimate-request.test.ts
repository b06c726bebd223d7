// What is known of a completion's body before it is admitted: its faults with the field they name, and its estimate.
import { describe, expect, test } from 'vitest'
import type { TokenEstimate } from '../../../src/domain/conversation/token-estimate.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { chatCompletionsEndpoint } from '../../../src/surfaces/chat-completions/chat-completions.ts'

const user = (content: unknown) => ({ role: 'user', content })
const messages = [user('hi')]

function refusalOf(body: unknown): Refusal {
  try {
    chatCompletionsEndpoint.estimate(body)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('was weighed')
}

describe('faults', () => {
  test.each<[unknown, string | null]>([
    [null, null],
    ['text', null],
    [[], null],
    [{}, 'messages'],
    [{ messages: null }, 'messages'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [null] }, 'messages[0]'],
    [{ messages: [user('hi'), 'hi'] }, 'messages[1]'],
    [{ messages: [{ content: 'hi' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'User', content: 'hi' }] }, 'messages[0].role'],
    [{ messages: [user(7)] }, 'messages[0].content'],
    [{ messages: [user({ text: 'hi' })] }, 'messages[0].content'],
    [{ messages, model: 7 }, 'model'],
    [{ messages, stream: 'true' }, 'stream'],
    [{ messages, stream: 1 }, 'stream'],
    [{ messages, max_tokens: 0 }, 'max_tokens'],
    [{ messages, max_tokens: -1 }, 'max_tokens'],
    [{ messages, max_tokens: 1.5 }, 'max_tokens'],
    [{ messages, max_tokens: '10' }, 'max_tokens'],
    [{ messages, max_completion_tokens: 1e300 }, 'max_completion_tokens'],
    [{ messages, n: 0 }, 'n'],
    [{ messages, n: 129 }, 'n'],
  ])('%j: %s', (body, param) => {
    expect(refusalOf(body).code).toBe('invalid_request')
    expect(refusalOf(body).details.param ?? null).toBe(param)
  })
})

describe('estimates', () => {
  test.each<[unknown, TokenEstimate]>([
    [{ messages }, { prompt: 5, completion: 1_024, isUnlimited: true }],
    [{ messages: [user('x'.repeat(4_000))] }, { prompt: 1_004, completion: 1_024, isUnlimited: true }],
    [{ messages: [user(''), user(null), { role: 'assistant' }] }, { prompt: 12, completion: 1_024, isUnlimited: true }],
    [
      { messages: [user([{ type: 'text', text: 'x'.repeat(40) }])] },
      { prompt: 14, completion: 1_024, isUnlimited: true },
    ],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: `data:${'x'.repeat(99_999)}` } }])] },
      { prompt: 1_004, completion: 1_024, isUnlimited: true },
    ],
    [
      { messages, max_tokens: 7 },
      { prompt: 5, completion: 7 },
    ],
    [
      { messages, max_tokens: 7, max_completion_tokens: 9 },
      { prompt: 5, completion: 9 },
    ],
    [
      { messages, max_tokens: null, stream: null, n: null, model: null },
      { prompt: 5, completion: 1_024, isUnlimited: true },
    ],
    [
      { messages, max_tokens: 7, n: 3 },
      { prompt: 5, completion: 21, choices: 3 },
    ],
    [
      { messages, max_tokens: Number.MAX_SAFE_INTEGER, n: 128 },
      { prompt: 5, completion: 1_000_000_000, choices: 128 },
    ],
    [
      { messages, tools: ['x'.repeat(396)] },
      { prompt: 105, completion: 1_024, isUnlimited: true },
    ],
  ])('%#', (body, estimate) => {
    expect(chatCompletionsEndpoint.estimate(body).estimate).toEqual(estimate)
  })

  test('every known role is taken', () => {
    for (const role of ['system', 'developer', 'user', 'assistant', 'tool', 'function']) {
      expect(chatCompletionsEndpoint.estimate({ messages: [{ role, content: 'x' }] }).estimate.prompt).toBe(5)
    }
  })
})
