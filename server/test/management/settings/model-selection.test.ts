// The five routes of model selection: every status and code, what goes live at once, what stays a draft.
import { beforeAll, describe, expect, test } from 'vitest'
import { createRedisStore } from '../../../src/kv/redis/store.ts'
import { createLog } from '../../../src/log/log.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { makeKey, type ProviderStage, startProviders } from '../providers/provider-stage.ts'

type Body = Record<string, unknown>

const model = 'openai/gpt-4o-mini'
const other = 'openai/gpt-4o'
const missing = { error: 'provider_model is required', code: 'MISSING_MODEL' }
const unknown = { error: 'provider_model must be a known model ID', code: 'UNKNOWN_MODEL' }
const noKey = (name: string) => ({
  error: `The provider key for ${name} must be configured`,
  code: 'PROVIDER_NOT_CONFIGURED',
})

/** As the gateway would read it. */
async function modelInStore(url: string, projectId: string): Promise<unknown> {
  const store = await createRedisStore({ url, log: createLog({ level: 'silent' }) })
  try {
    return JSON.parse((await store.findConfig(projectId))?.body ?? 'null').settings.provider_model
  } finally {
    await store.close()
  }
}

describeEachBackend('model selection', (start, backend) => {
  let stage: ProviderStage
  let plane: ManagementHarness
  let tenantId: string
  beforeAll(async () => {
    stage = await startProviders(start)
    plane = stage.plane
    tenantId = await stage.makeTenant()
    await stage.put(tenantId, 'openai', { api_key: makeKey() })
  })
  const owner = () => ({ session: plane.owner.session })
  const modelPath = (projectId: string) => `/auth/v1/projects/${projectId}/settings/model`
  const set = (projectId: string, provider_model: unknown, part = '') =>
    plane.call('PUT', `${modelPath(projectId)}${part}`, { ...owner(), body: { provider_model } })
  const draft = (projectId: string, provider_model: unknown) => set(projectId, provider_model, '/draft')
  const publish = (projectId: string) => plane.call('POST', `${modelPath(projectId)}/publish`, owner())
  const drop = (projectId: string, part = '') => plane.call('DELETE', `${modelPath(projectId)}${part}`, owner())
  const settingsOf = async (projectId: string) =>
    (await plane.call('GET', `/auth/v1/projects/${projectId}/settings`, owner())).body as Body
  async function liveModel(projectId: string): Promise<unknown> {
    const [row] = await plane.query<{ body: string }>('select body from live_configs where project_id = ?', [projectId])
    return JSON.parse(row?.body ?? 'null').settings.provider_model
  }

  describe.each([
    ['set', ''],
    ['draft', '/draft'],
  ])('%s refuses', (_name, part) => {
    test.each([
      ['nothing', {}, missing],
      ['null', { provider_model: null }, missing],
      ['a number', { provider_model: 5 }, missing],
      ['blank', { provider_model: ' ' }, missing],
      ['a model nobody knows', { provider_model: 'openai/no-such' }, unknown],
      ['a name without provider', { provider_model: 'gpt-4o' }, unknown],
      ['a NUL', { provider_model: 'openai/\0' }, unknown],
    ])('%s', async (_case, body, expected) => {
      const { id } = await plane.makeProject(tenantId)
      const answer = await plane.call('PUT', `${modelPath(id)}${part}`, { ...owner(), body })
      expect(answer).toMatchObject({ status: 400, body: expected })
    })
  })

  test('a model is live at once, without a deploy', async () => {
    const { id } = await plane.makeProject(tenantId)
    const answer = await set(id, model)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ configured: true, provider_model: model, provider_type: 'openai' })
    expect(await liveModel(id)).toBe(model)
    expect(await settingsOf(id)).toMatchObject({ provider_model: model, deployed_at: null })
  })

  test.each([
    ['anthropic/claude-sonnet-4-5', 'Anthropic'],
    ['openrouter/meta-llama/llama-3.3-70b-instruct', 'OpenRouter'],
  ])('%s without its key: 422 that names the provider', async (wanted, name) => {
    const { id } = await plane.makeProject(tenantId)
    expect(await set(id, wanted)).toMatchObject({ status: 422, body: noKey(name) })
    expect(await liveModel(id)).toBeNull()
    expect(await draft(id, wanted)).toMatchObject({ status: 200 })
    expect(await publish(id)).toMatchObject({ status: 422, body: noKey(name) })
    expect(await liveModel(id)).toBeNull()
  })

  test('removing goes back to the default, once', async () => {
    const { id } = await plane.makeProject(tenantId)
    expect(await drop(id)).toMatchObject({ status: 404, body: { error: 'No model is configured' } })
    await set(id, model)
    const removed = await drop(id)
    expect(removed).toMatchObject({ status: 204, text: '' })
    expect(await liveModel(id)).toBeNull()
    expect(await drop(id)).toMatchObject({ status: 404 })
  })

  test('a draft stays in the database until it is published', async () => {
    const { id } = await plane.makeProject(tenantId)
    await set(id, model)
    const drafted = await draft(id, other)
    expect(drafted.body).toEqual({ draft_provider_model: other, draft_saved_at: expect.stringMatching(/Z$/) })
    expect(await liveModel(id)).toBe(model)
    const published = await publish(id)
    expect(published).toMatchObject({ status: 200 })
    expect(published.body).toEqual({ provider_model: other, deployed_at: expect.stringMatching(/Z$/) })
    expect(await liveModel(id)).toBe(other)
    expect(await settingsOf(id)).toMatchObject({ provider_model: other, draft_provider_model: null, deployed_at: null })
    expect(await publish(id)).toMatchObject({ status: 409, body: { error: 'No draft to publish', code: 'NO_DRAFT' } })
  })

  test('a draft that equals the deployed model is no draft', async () => {
    const { id } = await plane.makeProject(tenantId)
    await set(id, model)
    await draft(id, other)
    expect(await draft(id, model)).toMatchObject({
      status: 200,
      body: { draft_provider_model: null, draft_saved_at: null },
    })
    expect(await publish(id)).toMatchObject({ status: 409 })
  })

  test('deleting a draft is always 204', async () => {
    const { id } = await plane.makeProject(tenantId)
    expect(await drop(id, '/draft')).toMatchObject({ status: 204 })
    await draft(id, model)
    expect(await drop(id, '/draft')).toMatchObject({ status: 204 })
    expect(await settingsOf(id)).toMatchObject({ draft_provider_model: null, draft_saved_at: null })
  })

  test('publishing twice at once publishes once', async () => {
    const { id } = await plane.makeProject(tenantId)
    await draft(id, model)
    const answers = await Promise.all(Array.from({ length: 10 }, () => publish(id)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(409)])
  })

  // In the process there is no store that could be away.
  if (backend === 'sqlite') return

  describe('while the store cannot be told', () => {
    let own: ProviderStage
    let ownTenant: string
    let at: Record<'set' | 'removed' | 'published', string>
    const call = (method: string, projectId: string, part = '', body?: unknown) =>
      own.plane.call(method, `${modelPath(projectId)}${part}`, { session: own.plane.owner.session, body })
    const body = { provider_model: model }
    beforeAll(async () => {
      own = await startProviders(start, { own: true })
      ownTenant = await own.makeTenant()
      await own.put(ownTenant, 'openai', { api_key: makeKey() })
      const made = async () => (await own.plane.makeProject(ownTenant)).id
      at = { set: await made(), removed: await made(), published: await made() }
      await call('PUT', at.removed, '', body)
      await call('PUT', at.published, '/draft', body)
      await own.plane.redis?.kill()
    })
    const failed = {
      status: 502,
      body: {
        error: 'Saved, but the gateway could not be updated. Repeat the request.',
        code: 'REDIS_SYNC_FAILED',
        retryable: true,
      },
    }
    const rows = [
      ['PUT', 'set', '', body, model, { status: 200 }],
      ['DELETE', 'removed', '', undefined, null, { status: 404, body: { error: 'No model is configured' } }],
      ['POST', 'published', '/publish', undefined, model, { status: 409, body: { code: 'NO_DRAFT' } }],
    ] as const

    test.each(rows)('%s of what is to be %s answers 502 each time, and the database keeps it', async (...row) => {
      const [method, project, part, sent, stored] = row
      for (let time = 0; time < 2; time++) expect(await call(method, at[project], part, sent)).toMatchObject(failed)
      const sql = 'select s.provider_model, l.body from settings s join live_configs l on l.project_id = s.project_id'
      const [kept] = await own.plane.query<{ provider_model: string | null; body: string }>(
        `${sql} where s.project_id = ?`,
        [at[project]],
      )
      expect(kept?.provider_model).toBe(stored)
      expect(JSON.parse(kept?.body ?? '').settings.provider_model).toBe(stored)
    })

    test('a repetition heals as soon as the store is back', async () => {
      await own.plane.redis?.restart()
      for (const [method, project, part, sent, stored, expected] of rows) {
        const repeated = () => call(method, at[project], part, sent)
        await expect.poll(async () => (await repeated()).status).toBe(expected.status)
        expect(await repeated()).toMatchObject(expected)
        expect(await modelInStore(own.plane.redis?.url ?? '', at[project])).toBe(stored)
      }
    })
  })
})
