// What Claude Code asks of a gateway in front of Anthropic, point by point, as raw requests: headers and bodies pass as
// open lists, errors keep their words, answers stream as they come, and models are found.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { say } from '../support/simulated/provider-answers.ts'
import { roomFor } from '../support/slowness.ts'
import { type ClientStage, startClientStage } from './client-stage.ts'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage.end())
beforeEach(() => {
  stage.upstream.requests.length = 0
  stage.answers('anthropic', say('anthropic', { text: ['Hello'] }, false))
})

const attribution = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cc_entrypoint=cli;' }
const body = {
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  system: [attribution, { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
  metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  a_field_of_tomorrow: { deep: [1, 'two', null] },
}
const address = () => stage.projects.anthropic.baseURL.replace(/\/v1$/, '')
const bearer = () => ({ authorization: `Bearer ${stage.projects.anthropic.token}` })
const agent = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27,a-beta-of-tomorrow',
  'x-claude-code-session-id': '0f0c1d6e-0000-4000-8000-000000000001',
  'x-claude-code-agent-id': 'agent-1',
  'x-claude-code-parent-agent-id': 'agent-0',
  'x-app': 'cli',
}

const ask = async (more: { path?: string; headers?: Record<string, string>; body?: object } = {}) =>
  await fetch(address() + (more.path ?? '/v1/messages?beta=true'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...agent, ...(more.headers ?? bearer()) },
    body: JSON.stringify(more.body ?? body),
  })
async function sent() {
  const [request] = stage.upstream.requests
  if (request === undefined) throw new Error('the provider was asked nothing')
  return { headers: request.headers, body: JSON.parse(request.body) as Record<string, unknown> }
}

test('1: the address has the version segment and a query, and the answer is Anthropic’s', async () => {
  const response = await ask()
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'Hello' }] })
})

test('2: anthropic-version and anthropic-beta reach the provider as they were written', async () => {
  await (await ask()).text()
  const { headers } = await sent()
  expect(headers['anthropic-version']).toBe(agent['anthropic-version'])
  expect(headers['anthropic-beta']).toBe(agent['anthropic-beta'])
})

test('3: fields of the body that nobody knows yet reach it, too', async () => {
  await (await ask()).text()
  const { system: _, metadata, ...fields } = body
  const reached = (await sent()).body
  expect(reached).toMatchObject(fields)
  // The provider gets a name of the end user that is no personal value, in place of the client's.
  expect(reached['metadata']).toEqual({ user_id: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(JSON.stringify(reached)).not.toContain(metadata.user_id)
})

test('4: the system blocks stay as they are, the attribution in one of its own, first', async () => {
  await (await ask()).text()
  expect((await sent()).body['system']).toEqual(body.system)
})

test('5: neither the token nor the headers of the agent reach the provider', async () => {
  await (await ask()).text()
  const { headers } = await sent()
  expect(JSON.stringify(headers)).not.toContain(stage.projects.anthropic.token)
  expect(Object.keys(headers).filter(name => name.startsWith('x-claude-code'))).toEqual([])
})

test('6: an error of the provider keeps its status, type and words, by which the client decides on a retry', async () => {
  const error = { type: 'invalid_request_error', message: 'prompt is too long: 212345 tokens > 200000 maximum' }
  stage.answers('anthropic', { status: 400, body: { type: 'error', error } })
  const response = await ask()
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ type: 'error', error })
})

test('7: an answer streams event by event, before it has ended', async () => {
  stage.answers('anthropic', say('anthropic', { text: ['One', ' two'] }, true))
  const response = await ask({ body: { ...body, stream: true } })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const names = (await response.text()).match(/^event: \w+$/gm) ?? []
  expect(names[0]).toBe('event: message_start')
  expect(names.at(-1)).toBe('event: message_stop')
  expect(names.filter(name => name === 'event: content_block_delta').length).toBeGreaterThan(1)
})

test('8: tokens are counted with the same address and headers', async () => {
  stage.upstream.on('POST /v1/messages/count_tokens', { body: { input_tokens: 12 } })
  const { max_tokens: _, ...counted } = body
  const response = await ask({ path: '/v1/messages/count_tokens?beta=true', body: counted })
  expect([response.status, await response.json()]).toEqual([200, { input_tokens: 12 }])
  expect((await sent()).headers['anthropic-beta']).toContain('a-beta-of-tomorrow')
})

test.each(['x-api-key', 'authorization'])('9: the token is taken in %s', async name => {
  const { token } = stage.projects.anthropic
  const response = await ask({ headers: { [name]: name === 'x-api-key' ? token : `Bearer ${token}` } })
  expect(response.status).toBe(200)
})

test('10: models are listed within three seconds, without a redirect, with the key that the helper gave', async () => {
  const startedAt = performance.now()
  const headers = { 'x-api-key': stage.projects.anthropic.token, 'anthropic-version': '2023-06-01' }
  const response = await fetch(`${address()}/v1/models?limit=1000`, { headers, redirect: 'manual' })
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: { id: string }[] }
  expect(performance.now() - startedAt).toBeLessThan(roomFor(3_000))
  expect(data.length).toBeGreaterThan(0)
})

test('11: the ids of Anthropic’s models begin as the client looks for them', async () => {
  const response = await fetch(`${address()}/v1/models?limit=1000`, { headers: bearer() })
  const { data } = (await response.json()) as { data: { id: string }[] }
  const claude = data.filter(({ id }) => id.includes('claude'))
  expect(claude.length).toBeGreaterThan(0)
  for (const { id } of claude) expect(id).toMatch(/^(claude|anthropic)/)
})

test('12: a probe with HEAD and an expired token are answered in Anthropic’s form, and nothing is asked', async () => {
  const probe = await fetch(`${address()}/`, { method: 'HEAD' })
  expect(probe.status).toBeLessThan(500)
  const expired = await ask({ headers: { authorization: `Bearer ${stage.expiredToken(stage.projects.anthropic)}` } })
  expect(expired.status).toBe(401)
  expect(await expired.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
  expect(stage.upstream.requests).toEqual([])
})
