// Tests the choice of model and key (the project's, a tier's, the platform's), to which addresses keys are sent, the
// circuit breaker, allowed models, and a tier's prompt and memory.
import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { errorResponse, say } from '../../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../support/simulated/scripted-upstream.ts'
import { roomFor } from '../../support/slowness.ts'
import {
  oneConnection,
  openStage,
  openStageOfTest,
  platformKey,
  type Stage,
  type TestProject,
  tenantKey,
} from '../inference-stage.ts'

let stage: Stage
let elsewhere: ScriptedUpstream

beforeAll(async () => {
  elsewhere = await startUpstream()
  stage = await openStage(
    'sqlite',
    {
      PLATFORM_OPENAI_API_KEY: platformKey,
      PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o',
      OUTBOUND_ALLOW: '127.0.0.1',
    },
    { own: true },
  )
})
afterAll(async () => {
  await stage.stop()
  await elsewhere.close()
})
beforeEach(() => {
  stage.upstream.requests.length = 0
  stage.script(({ body }) => say('openai', { text: ['ok'] }, JSON.parse(body).stream === true))
})

const models = async (project: TestProject, token?: string) => {
  const { body } = await project.ask('GET', '/v1/models', token === undefined ? {} : { token })
  return (body as { data: { id: string }[] }).data.map(({ id }) => id)
}
const keyUsed = () => stage.upstream.requests.at(-1)?.headers.authorization
const put = (project: TestProject, provider: string, body: object) =>
  stage.harness.call('PUT', `/auth/v1/tenants/${project.tenantId}/providers/${provider}`, {
    session: stage.harness.owner.session,
    body,
  })

test('without a model of its own a project uses the platform\u2019s, with its key, and no other', async () => {
  const project = await stage.makeProject({ model: null, hasKey: false })
  expect((await project.complete({ model: 'openai/gpt-4o-mini' })).status).toBe(200)
  expect(stage.asked()).toMatchObject([{ model: 'gpt-4o' }])
  expect(keyUsed()).toBe(`Bearer ${platformKey}`)
  expect(await models(project)).toEqual(['openai/gpt-4o'])
})

test.each(['sqlite', 'postgres'] as const)(
  'a model that a sync added may be named within a second, listed or not, on %s',
  async backend => {
    const own = backend === 'sqlite' ? stage : await openStageOfTest(backend)
    own.script(({ body }) => say('openai', { text: ['ok'] }, JSON.parse(body).stream === true))
    const project = await own.makeProject()
    expect(await models(project)).not.toContain('openai/gpt-9-turbo')
    own.upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-9-turbo', object: 'model' }] } })
    const { call, adminSecret } = own.harness
    const { body } = await call('GET', '/auth/v1/admin/providers', { adminSecret })
    const { providers } = body as { providers: { id: string; slug: string }[] }
    const openai = providers.find(({ slug }) => slug === 'openai')
    const synced = await call('POST', `/auth/v1/admin/providers/${openai?.id}/sync-models`, { adminSecret })
    expect(synced).toMatchObject({ status: 200, body: { added: 1 } })
    const usedNow = async () => {
      expect((await project.complete({ model: 'gpt-9-turbo' })).status).toBe(200)
      return own.asked().at(-1)?.model
    }
    await expect.poll(usedNow, { interval: 100 }).toBe('gpt-9-turbo')
    expect(await models(project)).toContain('openai/gpt-9-turbo')
  },
)

test('a request may pick another model of the same provider, with or without the prefix; any other name is ignored', async () => {
  const project = await stage.makeProject()
  for (const [named, used] of [
    ['gpt-4o', 'gpt-4o'],
    ['openai/gpt-4o', 'gpt-4o'],
    ['anthropic/claude-sonnet-4-5', 'gpt-4o-mini'],
    ['nobody-knows', 'gpt-4o-mini'],
    [undefined, 'gpt-4o-mini'],
  ]) {
    expect((await project.complete({ model: named })).status).toBe(200)
    expect(stage.asked().at(-1)?.model).toBe(used)
    expect(keyUsed()).toBe(`Bearer ${tenantKey}`)
  }
  const usable = await models(project)
  expect(usable[0]).toBe('openai/gpt-4o-mini')
  expect(usable.length).toBeGreaterThan(3)
  expect(usable.every(id => id.startsWith('openai/'))).toBe(true)
})

test('a deleted key is not used any more, and is said to be missing', async () => {
  const project = await stage.makeProject()
  expect((await project.complete()).status).toBe(200)
  const path = `/auth/v1/tenants/${project.tenantId}/providers/openai`
  expect((await stage.harness.call('DELETE', path, { session: stage.harness.owner.session })).status).toBe(204)
  await expect.poll(async () => (await project.complete()).status, { interval: 50 }).toBe(422)
  const answer = await project.complete()
  expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', code: 'provider_not_configured' } })
  expect(answer.headers['x-should-retry']).toBe('false')
  expect(await models(project)).toEqual(['openai/gpt-4o'])
  // The platform's model still uses the platform's key.
  expect((await project.complete({ model: 'gpt-4o' })).status).toBe(200)
  expect(keyUsed()).toBe(`Bearer ${platformKey}`)
})

test('a key that cannot be opened is no missing one: nobody else\u2019s is used', async () => {
  const project = await stage.makeProject()
  expect((await project.complete()).status).toBe(200)
  const { tenantId } = project
  await stage.harness.query('update provider_keys set ciphertext = ? where tenant_id = ?', ['v1.lost', tenantId])
  // Adding and deleting another key pushes all keys of the tenant to the store.
  const columns = 'tenant_id, ciphertext, base_url_override, key_last4, key_set_at'
  await stage.harness.query(
    `insert into provider_keys (id, provider_type, ${columns}) select ?, 'mistral', ${columns} from provider_keys where tenant_id = ?`,
    [randomUUID(), tenantId],
  )
  const { session } = stage.harness.owner
  const other = `/auth/v1/tenants/${tenantId}/providers/mistral`
  expect((await stage.harness.call('DELETE', other, { session })).status).toBe(204)
  await expect.poll(async () => (await project.complete()).status, { interval: 50 }).toBe(503)
  const answer = await project.complete({ model: 'gpt-4o' })
  expect(answer.body).toEqual({
    error: {
      message: 'The stored provider key cannot be read',
      type: 'server_error',
      param: null,
      code: 'provider_key_unavailable',
    },
  })
  expect(keyUsed()).toBe(`Bearer ${tenantKey}`)
  expect(await models(project)).toContain('openai/gpt-4o-mini')
  expect((await put(project, 'openai', { api_key: tenantKey })).status).toBe(200)
  await expect.poll(async () => (await project.complete()).status, { interval: 50 }).toBe(200)
})

test('an address of the tenant\u2019s gets the tenant\u2019s key alone', async () => {
  const project = await stage.makeProject()
  elsewhere.on('GET /v1/models', { body: { object: 'list', data: [] } })
  elsewhere.on('POST /v1/chat/completions', say('openai', { text: ['there'] }, false))
  const set = await put(project, 'openai', { api_key: tenantKey, base_url_override: `${elsewhere.url}/v1` })
  expect(set.status, set.text).toBe(200)
  await expect.poll(async () => (await project.complete()).text).toContain('there')
  for (const model of [undefined, 'gpt-4o']) await project.complete({ model })
  expect((await project.complete({ stream: false })).text).toContain('there')
  const keys = new Set(elsewhere.requests.map(({ headers }) => headers.authorization))
  expect([...keys]).toEqual([`Bearer ${tenantKey}`])
})

test('a tier has its own model, prompt and memory', async () => {
  const project = await stage.makeProject({
    settings: { system_prompt: 'For all.' },
    tiers: [
      {
        name: 'gold',
        overrides: { provider_model: 'openai/gpt-4o', system_prompt: 'For gold.', memory_enabled: false },
      },
    ],
  })
  const gold = await project.mint({ tier: 'gold' })
  for (const _ of [1, 2]) await project.complete({}, { token: gold, headers: { 'x-thread-id': 't' } })
  expect(stage.asked().at(-1)).toMatchObject({
    model: 'gpt-4o',
    messages: [{ role: 'system', content: 'For gold.' }, { role: 'user' }],
  })
  for (const _ of [1, 2]) await project.complete({}, { headers: { 'x-thread-id': 't' } })
  expect(stage.asked().at(-1)).toMatchObject({ model: 'gpt-4o-mini', messages: [{ content: 'For all.' }, {}, {}, {}] })
  expect((await models(project, gold))[0]).toBe('openai/gpt-4o')
})

/** Fails often and long enough to open the breaker. */
async function sufferOutage(project: TestProject, agent: Agent): Promise<void> {
  stage.script(errorResponse('openai', 500, 'down'))
  for (let round = 0; round < 19; round++) {
    const answer = await project.complete({}, { agent })
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
  }
  await sleep(5_000)
  await project.complete({}, { agent })
  expect(stage.asked()).toHaveLength(20)
}

test('the breaker opens on outages, and closes when the provider is back', async () => {
  const project = await stage.makeProject()
  // Each process has its own breakers.
  const agent = oneConnection()
  const complete = () => project.complete({}, { agent })
  await sufferOutage(project, agent)
  for (let round = 0; round < 10; round++) {
    const answer = await complete()
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
  }
  expect(stage.asked().length).toBeLessThan(24)
  // The breaker of another tenant is closed.
  stage.script(say('openai', { text: ['ok'] }, false))
  const other = await stage.makeProject()
  expect((await other.complete()).status).toBe(200)
  await expect.poll(async () => (await complete()).status, { interval: 200 }).toBe(200)
  for (let round = 0; round < 5; round++) expect((await complete()).status).toBe(200)
})

test('what one provider or address suffers says nothing of another', async () => {
  const project = await stage.makeProject()
  await sufferOutage(project, oneConnection())
  /** An open breaker would let one of these requests through and reject the others. */
  const allAnswer = async (words: string) => {
    // A change is in force within a second.
    await sleep(roomFor(1_500))
    const answers = await Promise.all(Array.from({ length: 5 }, () => project.complete()))
    for (const answer of answers) expect(answer, answer.text).toMatchObject({ status: 200 })
    expect(answers.every(({ text }) => text.includes(words))).toBe(true)
  }
  const slowly = <Answer extends object>(answer: Answer) => ({ ...answer, delayMs: 500 })
  stage.upstream.on('POST /v1/messages', slowly(say('anthropic', { text: ['another provider'] }, false)))
  expect(await put(project, 'anthropic', { api_key: 'sk-ant-0123456789abcdef0123' })).toMatchObject({ status: 200 })
  const { session } = stage.harness.owner
  const choose = (provider_model: string) =>
    stage.harness.call('PUT', `/auth/v1/projects/${project.id}/settings/model`, { session, body: { provider_model } })
  expect(await choose('anthropic/claude-sonnet-4-5')).toMatchObject({ status: 200 })
  await allAnswer('another provider')
  elsewhere.on('GET /v1/models', { body: { object: 'list', data: [] } })
  elsewhere.on('POST /v1/chat/completions', slowly(say('openai', { text: ['another address'] }, false)))
  const body = { api_key: tenantKey, base_url_override: `${elsewhere.url}/v1` }
  expect(await put(project, 'openai', body)).toMatchObject({ status: 200 })
  expect(await choose('openai/gpt-4o-mini')).toMatchObject({ status: 200 })
  await allAnswer('another address')
})
