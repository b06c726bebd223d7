// What a protocol of another wire format than the client's is given of its prompt, and what is refused.
import { describe, expect, test } from 'vitest'
import type { Prompt } from '../../../src/domain/conversation/prompt.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { translatePrompt } from '../../../src/providers/protocols/translate-prompt.ts'
import { promptOf } from '../../inference/guard/open-guard.ts'

const prompt: Prompt = {
  ...promptOf([{ role: 'user', content: [{ type: 'text', text: 'Hello', extra: { cache_control: {} } }] }]),
  format: 'messages',
  extra: { service_tier: 'auto' },
}

function refusalOf(asked: Prompt): Refusal {
  try {
    translatePrompt(asked, 'gemini')
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a prompt for another format', () => {
  test('has no unknown fields, which stay in its own format', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
    expect(translatePrompt(prompt, 'gemini')).toMatchObject({ messages, extra: {}, source: null })
    expect(JSON.stringify(translatePrompt(prompt, 'gemini'))).not.toContain('cache_control')
    expect(translatePrompt(prompt, 'messages')).toBe(prompt)
  })

  test.each([
    ['mcp_servers', [{ type: 'url', url: 'https://mcp.example.com' }]],
    ['container', 'container_1'],
  ])('is refused with %s', (field, value) => {
    const refusal = refusalOf({ ...prompt, extra: { [field]: value } })
    expect(refusal).toMatchObject({ code: 'unsupported_tool', details: { param: field } })
    expect(refusal.message).toBe(`The model's provider does not take ${field}`)
  })

  test('is not refused where such a field is empty', () => {
    expect(translatePrompt({ ...prompt, extra: { mcp_servers: [], container: null } }, 'gemini').extra).toEqual({})
  })

  test("is refused with a tool or a part of its own format's kinds", () => {
    const tool = refusalOf({ ...prompt, otherTools: [{ type: 'web_search_20250305', name: 'web_search' }] })
    expect(tool).toMatchObject({ code: 'unsupported_tool', details: { param: 'tools' } })
    const value = { type: 'container_upload', file_id: 'file_1' }
    const part = refusalOf({
      ...prompt,
      messages: [{ role: 'user', content: [{ type: 'other', kind: 'container_upload', value }] }],
    })
    expect(part).toMatchObject({ code: 'invalid_request', details: { param: 'messages' } })
  })
})
