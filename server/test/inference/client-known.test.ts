// Tests what `client_fields: known`, `client_tools: reject` and `client_system_messages: reject` do with what only a
// provider knows, and that guardrails read numbers and files wherever a request has them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answerOf, messageItem } from '../providers/protocols/responses/responses-wire.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { openStage, type Stage, type TestProject } from './inference-stage.ts'
import { makeProjectOf, type ProviderWire, scriptKeyChecks, sixWires } from './six-wires.ts'

const hello = { role: 'user', content: 'Hello' }
const wireOf = (name: string) => sixWires.find(({ provider }) => provider === name) as ProviderWire

let stage: Stage
const makeProject = (provider: string, settings: Record<string, unknown>) =>
  makeProjectOf(stage, wireOf(provider), settings)

beforeAll(async () => {
  stage = await openStage('sqlite', {}, { own: true })
  scriptKeyChecks(stage)
})
afterAll(() => stage.stop())
beforeEach(() => {
  stage.upstream.on('POST /v1/chat/completions', say('openai', { text: ['ok'] }, false))
  stage.upstream.on('POST /v1/messages', say('anthropic', { text: ['ok'] }, false))
  stage.upstream.on('POST /v1/responses', { body: answerOf([messageItem('msg_1', 'ok')]) })
})
const asked = () => stage.upstream.requests.at(-1)

async function bodyAsked(project: TestProject, path: string, body: object): Promise<Record<string, unknown>> {
  const { status, text } = await project.ask('POST', path, { body })
  expect(status, text).toBe(200)
  return JSON.parse(asked()?.body ?? '') as Record<string, unknown>
}

describe('client_fields: known', () => {
  test('keeps the fields that the format names, and drops those that cost, store or bring tools', async () => {
    const project = await makeProject('openai', { client_fields: 'known' })
    const kept = {
      logit_bias: { 1: 5 },
      verbosity: 'low',
      prompt_cache_key: 'a',
      prediction: { type: 'content', content: 'b' },
    }
    const dropped = { service_tier: 'priority', store: true, web_search_options: {}, plugins: [], zz: 1 }
    const chat = await bodyAsked(project, '/v1/chat/completions', { messages: [hello], ...kept, ...dropped })
    expect(chat).toMatchObject(kept)
    expect(Object.keys(chat).filter(name => name in dropped && name !== 'store')).toEqual([])
    const input = { input: 'Hello', truncation: 'auto', text: { verbosity: 'low', zz: 1 }, service_tier: 'flex' }
    const response = await bodyAsked(project, '/v1/responses', input)
    expect(response).toMatchObject({ truncation: 'auto', text: { verbosity: 'low' } })
    expect(JSON.stringify(response)).not.toMatch(/zz|service_tier/)
  })

  test('drops items and blocks of unknown type, and keeps those of the format', async () => {
    const openai = await makeProject('openai', { client_fields: 'known' })
    const call = { type: 'custom_tool_call', call_id: 'c1', name: 'note', input: 'x' }
    const unknown = { type: 'agent_message', role: 'user', content: [{ type: 'input_text', text: 'unread' }] }
    const input = [{ ...hello, type: 'message' }, call, unknown]
    const response = await bodyAsked(openai, '/v1/responses', { input })
    expect(JSON.stringify(response['input'])).toContain('custom_tool_call')
    expect(JSON.stringify(response['input'])).not.toContain('unread')
    expect((await openai.ask('POST', '/v1/responses', { body: { input: [unknown] } })).status).toBe(400)
    const anthropic = await makeProject('anthropic', { client_fields: 'known' })
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'container_upload', file_id: 'f' },
      { type: 'zz', a: 'unread' },
    ]
    const message = await bodyAsked(anthropic, '/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content }] })
    expect(JSON.stringify(message['messages'])).toContain('container_upload')
    expect(JSON.stringify(message['messages'])).not.toContain('unread')
  })

  test.each([
    ['known', undefined],
    ['all', 'context-1m-2025-08-07'],
  ])('%s passes anthropic-beta as %s', async (client_fields, expected) => {
    const project = await makeProject('anthropic', { client_fields })
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07' }
    const body = { max_tokens: 9, messages: [hello] }
    expect((await project.ask('POST', '/v1/messages', { body, headers })).status).toBe(200)
    expect(asked()?.headers['anthropic-beta']).toBe(expected)
  })
})

test.each(['system', 'developer', 'Developer'])(
  'an item with the role %s is an instruction, whatever its type',
  async role => {
    const project = await makeProject('openai', { client_system_messages: 'reject' })
    const body = {
      input: [
        { type: 'message', ...hello },
        { type: 'agent_message', role, content: [] },
      ],
    }
    const { status, text } = await project.ask('POST', '/v1/responses', { body })
    expect(status).toBe(403)
    expect(text).toContain('client_system_message_rejected')
  },
)

test.each([
  ['/v1/chat/completions', { web_search_options: {} }],
  ['/v1/chat/completions', { plugins: [{ id: 'web' }] }],
  ['/v1/chat/completions', { search_parameters: { mode: 'on' } }],
  ['/v1/chat/completions', { Tools: [{}] }],
  ['/v1/chat/completions', { TOOL_CHOICE: 'auto' }],
  ['/v1/responses', { Tools: [{}] }],
])('client_tools: reject on %s covers %o', async (path, field) => {
  const project = await makeProject('openai', { client_tools: 'reject' })
  const body = path === '/v1/responses' ? { input: 'Hello' } : { messages: [hello] }
  const { status, text } = await project.ask('POST', path, { body: { ...body, ...field } })
  expect(status).toBe(403)
  expect(text).toContain('client_tools_rejected')
})

test.each<[name: string, body: Record<string, unknown>]>([
  ['a number in an unknown field', { zz: { card: 4_111_111_111_111_111 } }],
  ['a number in a list', { zz: [4_111_111_111_111_111] }],
  [
    "a number in a tool's schema",
    { tools: [{ type: 'function', function: { name: 'f', parameters: { const: 4_111_111_111_111_111 } } }] },
  ],
  [
    'a file as plain base64',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', file: { file_data: Buffer.from('card 4111 1111 1111 1111 ').toString('base64') } }],
        },
      ],
    },
  ],
])('guardrails read %s', async (_name, body) => {
  const project = await makeProject('openai', { pii_mode: 'enforce', pii_entities: { CREDIT_CARD: 'BLOCK' } })
  const { status, text } = await project.ask('POST', '/v1/chat/completions', { body: { messages: [hello], ...body } })
  expect(status, text).toBe(403)
  expect(text).toContain('SERVICE_PII_BLOCKED')
})

test.each<[path: string, model: string, body: Record<string, unknown>]>([
  ['/v1/responses', 'openai', { input: [{ ...hello, Content: 'card 4111 1111 1111 1111' }] }],
  ['/v1/messages', 'anthropic', { max_tokens: 50, messages: [{ ...hello, Content: 'card 4111 1111 1111 1111' }] }],
])(
  'guardrails on %s read a field of a message whose name is a known one in another letter case',
  async (path, model, body) => {
    const project = await makeProject(model, { pii_mode: 'enforce', pii_entities: { CREDIT_CARD: 'BLOCK' } })
    const { status, text } = await project.ask('POST', path, { body })
    expect(status, text).toBe(403)
  },
)
