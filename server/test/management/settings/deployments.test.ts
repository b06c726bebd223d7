// Deploy, discard, list and roll back: what becomes live, what stays a draft, and what a failed push leaves behind.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { holdLocks } from '../../support/postgres-locks.ts'
import { makeKey, type ProviderStage, startProviders } from '../providers/provider-stage.ts'
import { expectRefusal } from '../requests.ts'

type Body = Record<string, unknown>
interface Live {
  deployed: boolean
  settings: Body
  tiers: { name: string; overrides: Body }[]
  retired_tiers: { name: string }[]
}

const model = 'openai/gpt-4o-mini'
const other = 'openai/gpt-4o'
const noKey = { error: 'The provider key for OpenAI must be configured', code: 'PROVIDER_NOT_CONFIGURED' }

describeEachBackend('deployments', (start, backend) => {
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
  const post = (projectId: string, path: string) =>
    plane.call('POST', `/auth/v1/projects/${projectId}/settings/${path}`, owner())
  const put = (projectId: string, body: Body) =>
    plane.call('PUT', `/auth/v1/projects/${projectId}/settings`, { ...owner(), body })
  const settingsOf = async (projectId: string) =>
    (await plane.call('GET', `/auth/v1/projects/${projectId}/settings`, owner())).body as Body
  const list = async (projectId: string, query = '') =>
    (await plane.call('GET', `/auth/v1/projects/${projectId}/settings/deployments${query}`, owner())).body as {
      data: (Body & { number: number; changes: Body[] })[]
      next_cursor: string | null
    }
  async function liveOf(projectId: string): Promise<Live & { revision: number }> {
    const [row] = await plane.query<{ body: string; revision: number }>(
      'select body, revision from live_configs where project_id = ?',
      [projectId],
    )
    return { ...JSON.parse(row?.body ?? 'null'), revision: Number(row?.revision) }
  }
  const makeTier = (projectId: string, name: string, overrides: Body) =>
    plane.call('POST', `/auth/v1/projects/${projectId}/tiers`, { ...owner(), body: { name, overrides } })
  const tiersOf = async (projectId: string) =>
    (await plane.call('GET', `/auth/v1/projects/${projectId}/tiers`, owner())).body as (Body & { name: string })[]

  test('a draft is live with the deploy and not before', async () => {
    const { id } = await plane.makeProject(tenantId)
    await put(id, { rpm_limit: 7, pii_mode: 'enforce', pii_entities: { PERSON: 'BLOCK' } })
    expect(await liveOf(id)).toMatchObject({ deployed: false, settings: { rpm_limit: 60, pii_mode: 'disabled' } })
    const { status, body } = await post(id, 'deploy')
    expect(status).toBe(200)
    const deployedAt = (body as Body)['deployed_at']
    expect(body).toEqual({ deployed: true, project_id: id, deployed_at: expect.stringMatching(/Z$/) })
    expect(await settingsOf(id)).toMatchObject({ deployed_at: deployedAt })
    expect(await liveOf(id)).toMatchObject({
      deployed: true,
      settings: { rpm_limit: 7, pii_mode: 'enforce', pii_entities: { PERSON: 'BLOCK' } },
    })
    await put(id, { rpm_limit: 8 })
    expect(await liveOf(id)).toMatchObject({ settings: { rpm_limit: 7 } })
  })

  test('discarding needs a deploy, and then takes the draft back but leaves the deployed model alone', async () => {
    const { id } = await plane.makeProject(tenantId)
    expect(await post(id, 'discard-draft')).toMatchObject({ status: 409, body: { code: 'NO_DEPLOYED_SNAPSHOT' } })
    await put(id, { rpm_limit: 7 })
    await post(id, 'deploy')
    await plane.call('PUT', `/auth/v1/projects/${id}/settings/model`, { ...owner(), body: { provider_model: model } })
    await put(id, { rpm_limit: 9, system_prompt: 'x', provider_model: other })
    const { status, body } = await post(id, 'discard-draft')
    expect(status).toBe(200)
    const expected = { rpm_limit: 7, system_prompt: null, provider_model: model, draft_provider_model: null }
    expect(body).toMatchObject(expected)
    expect(await settingsOf(id)).toEqual(body)
  })

  test('setting the model is no deploy in the sense of discarding', async () => {
    const { id } = await plane.makeProject(tenantId)
    await plane.call('PUT', `/auth/v1/projects/${id}/settings/model`, { ...owner(), body: { provider_model: model } })
    expect(await post(id, 'discard-draft')).toMatchObject({ status: 409, body: { code: 'NO_DEPLOYED_SNAPSHOT' } })
  })

  test('a draft model goes live with the deploy; without its key nothing is deployed', async () => {
    const { id } = await plane.makeProject(tenantId)
    await put(id, { provider_model: model })
    expect(await post(id, 'deploy')).toMatchObject({ status: 200 })
    expect(await settingsOf(id)).toMatchObject({ provider_model: model, draft_provider_model: null })
    expect(await liveOf(id)).toMatchObject({ settings: { provider_model: model } })
    const poor = await plane.makeTenant({ plan: 'pro' })
    const keyless = await plane.makeProject(poor.id)
    await put(keyless.id, { provider_model: model, rpm_limit: 5 })
    expect(await post(keyless.id, 'deploy')).toMatchObject({ status: 422, body: noKey })
    expect(await settingsOf(keyless.id)).toMatchObject({ deployed_at: null, draft_provider_model: model })
    expect(await liveOf(keyless.id)).toMatchObject({ deployed: false, revision: 1, settings: { rpm_limit: 60 } })
    expect((await list(keyless.id)).data).toEqual([])
  })

  test('deployments are numbered from one, listed newest first with their changes, and paged', async () => {
    const { id } = await plane.makeProject(tenantId)
    for (const rpm_limit of [1, 2, 3]) {
      await put(id, { rpm_limit })
      await post(id, 'deploy')
    }
    const { data } = await list(id)
    expect(data.map(row => row.number)).toEqual([3, 2, 1])
    expect(data[0]).toMatchObject({
      deployed_by: plane.owner.email,
      deployed_at: expect.stringMatching(/Z$/),
      rolled_back_to: null,
      changes: [{ field: 'rpm_limit', from: 2, to: 3 }],
    })
    expect(data[2]).toMatchObject({ changes: [{ field: 'rpm_limit', from: 60, to: 1 }] })
    const first = await list(id, '?limit=2')
    expect(first.data.map(row => row.number)).toEqual([3, 2])
    const second = await list(id, `?limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ next_cursor: null })
    expect(second.data.map(row => row.number)).toEqual([1])
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=bad']) {
      const answer = await plane.call('GET', `/auth/v1/projects/${id}/settings/deployments?${query}`, owner())
      expect(answer.status).toBe(400)
    }
    // A number of another project's deployments is none of this one's.
    const other = await plane.makeProject(tenantId)
    await post(other.id, 'deploy')
    const path = `/auth/v1/projects/${other.id}/settings/deployments?cursor=${first.next_cursor}`
    expectRefusal(await plane.call('GET', path, owner()), 400, 'cursor is not valid')
  })

  describe('the changes of a deploy before it happens', () => {
    const changes = async (projectId: string, query = '') =>
      (await plane.call('GET', `/auth/v1/projects/${projectId}/settings/changes${query}`, owner())).body

    test('are those of the draft and its tiers against what is live, in full, and none after the deploy', async () => {
      const { id } = await plane.makeProject(tenantId)
      expect(await changes(id)).toEqual([])
      const prompt = 'x'.repeat(600)
      await put(id, { rpm_limit: 7, system_prompt: prompt, provider_model: model })
      await makeTier(id, 'gold', { rpm_limit: 5 })
      expect(await changes(id)).toEqual([
        { field: 'system_prompt', from: null, to: prompt },
        { field: 'rpm_limit', from: 60, to: 7 },
        { field: 'provider_model', from: null, to: model },
        { field: 'tiers.gold', from: null, to: { rpm_limit: 5 } },
      ])
      await post(id, 'deploy')
      expect(await changes(id)).toEqual([])
      // A model that was set at once is live: a deploy would not change it.
      await plane.call('PUT', `/auth/v1/projects/${id}/settings/model`, { ...owner(), body: { provider_model: other } })
      expect(await changes(id)).toEqual([])
    })

    test('with the number of a deployment are those of a rollback', async () => {
      const { id } = await plane.makeProject(tenantId)
      await put(id, { rpm_limit: 7 })
      await post(id, 'deploy')
      await put(id, { rpm_limit: 8 })
      await post(id, 'deploy')
      await put(id, { rpm_limit: 9 })
      expect(await changes(id, '?deployment=1')).toEqual([{ field: 'rpm_limit', from: 8, to: 7 }])
      expect(await changes(id, '?deployment=2')).toEqual([])
      const call = (query: string) =>
        plane.call('GET', `/auth/v1/projects/${id}/settings/changes?deployment=${query}`, owner())
      expectRefusal(await call('1&deployment=2'), 400, 'deployment must be the number of a deployment')
      for (const unknown of ['3', '01', 'x']) expect(await call(unknown)).toMatchObject({ status: 404 })
    })
  })

  describe('rollback', () => {
    test('deploys the old snapshot as a new one and reverts draft and tiers', async () => {
      const { id } = await plane.makeProject(tenantId)
      await makeTier(id, 'gold', { rpm_limit: 5 })
      await put(id, { rpm_limit: 11 })
      await post(id, 'deploy')
      const [gold] = await tiersOf(id)
      await plane.call('DELETE', `/auth/v1/projects/${id}/tiers/${gold?.['id']}`, owner())
      await makeTier(id, 'silver', { rpm_limit: 3 })
      await put(id, { rpm_limit: 12, system_prompt: 'later' })
      await post(id, 'deploy')
      expect(await liveOf(id)).toMatchObject({ tiers: [{ name: 'silver' }], retired_tiers: [{ name: 'gold' }] })
      const { status, body } = await post(id, 'deployments/1/rollback')
      expect(status).toBe(200)
      expect(body).toMatchObject({ deployed: true, project_id: id })
      expect(await settingsOf(id)).toMatchObject({ rpm_limit: 11, system_prompt: null })
      expect(await tiersOf(id)).toMatchObject([{ id: gold?.['id'], name: 'gold', overrides: { rpm_limit: 5 } }])
      expect(await liveOf(id)).toMatchObject({
        settings: { rpm_limit: 11 },
        tiers: [{ name: 'gold', overrides: { rpm_limit: 5 } }],
        retired_tiers: [{ name: 'silver' }],
      })
      const { data } = await list(id)
      expect(data.map(row => [row.number, row['rolled_back_to']])).toEqual([
        [3, 1],
        [2, null],
        [1, null],
      ])
    })

    test('leaves tiers as old as they were, those that were deleted meanwhile too', async () => {
      const { id } = await plane.makeProject(tenantId)
      for (const name of ['gold', 'silver']) await makeTier(id, name, {})
      const before = (await tiersOf(id)).map(({ id: tierId, created_at }) => ({ id: tierId, created_at }))
      await post(id, 'deploy')
      await plane.call('DELETE', `/auth/v1/projects/${id}/tiers/${before[1]?.id}`, owner())
      await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(String(before[1]?.created_at)))
      expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 200 })
      expect(await tiersOf(id)).toMatchObject(before)
    })

    test('leaves tiers as old as they are where the snapshot does not say', async () => {
      const { id } = await plane.makeProject(tenantId)
      await makeTier(id, 'gold', {})
      const [gold] = await tiersOf(id)
      await post(id, 'deploy')
      const [row] = await plane.query<{ snapshot: string }>('select snapshot from deployments where project_id = ?', [
        id,
      ])
      const snapshot = JSON.parse(row?.snapshot ?? '')
      for (const tier of snapshot.tiers) delete tier.created_at
      await plane.query('update deployments set snapshot = ? where project_id = ?', [JSON.stringify(snapshot), id])
      await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(String(gold?.['created_at'])))
      expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 200 })
      expect(await tiersOf(id)).toMatchObject([{ id: gold?.['id'], created_at: gold?.['created_at'] }])
    })

    test.each(['0', '2', '-1', 'x', '1.5', '99999999999999999999', '2147483648', '01', '1.0', '1e0', '0x1', '+1'])(
      'number %s is unknown',
      async number => {
        const { id } = await plane.makeProject(tenantId)
        await post(id, 'deploy')
        const answer = await post(id, `deployments/${number}/rollback`)
        expect(answer).toMatchObject({ status: 404 })
      },
    )

    test('to a model whose key is gone: 422, nothing changed', async () => {
      const lender = await stage.makeTenant()
      await stage.put(lender, 'openai', { api_key: makeKey() })
      const { id } = await plane.makeProject(lender)
      await put(id, { provider_model: model })
      await post(id, 'deploy')
      await plane.call('DELETE', `/auth/v1/projects/${id}/settings/model`, owner())
      await put(id, { rpm_limit: 9 })
      await plane.call('DELETE', `/auth/v1/tenants/${lender}/providers/openai`, owner())
      const before = await settingsOf(id)
      expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 422, body: noKey })
      expect(await settingsOf(id)).toEqual(before)
      expect((await list(id)).data).toHaveLength(1)
    })

    test("to a tier's model whose key is gone: 422, nothing changed; with its key it goes back", async () => {
      const lender = await stage.makeTenant()
      await stage.put(lender, 'openai', { api_key: makeKey() })
      const { id } = await plane.makeProject(lender)
      await makeTier(id, 'gold', { provider_model: model })
      await post(id, 'deploy')
      const [tier] = await tiersOf(id)
      await plane.call('DELETE', `/auth/v1/projects/${id}/tiers/${tier?.['id']}`, owner())
      await post(id, 'deploy')
      await plane.call('DELETE', `/auth/v1/tenants/${lender}/providers/openai`, owner())
      expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 422, body: noKey })
      expect(await tiersOf(id)).toEqual([])
      expect((await list(id)).data).toHaveLength(2)
      await stage.put(lender, 'openai', { api_key: makeKey() })
      expect(await post(id, 'deployments/1/rollback')).toMatchObject({ status: 200 })
      expect(await tiersOf(id)).toMatchObject([{ name: 'gold', overrides: { provider_model: model } }])
    })

    test("a deploy goes out although a tier's key is gone", async () => {
      const lender = await stage.makeTenant()
      await stage.put(lender, 'openai', { api_key: makeKey() })
      const { id } = await plane.makeProject(lender)
      await makeTier(id, 'gold', { provider_model: model })
      await plane.call('DELETE', `/auth/v1/tenants/${lender}/providers/openai`, owner())
      expect(await post(id, 'deploy')).toMatchObject({ status: 200 })
    })
  })

  test('twenty deploys at once are twenty snapshots, the last of them live', async () => {
    const { id } = await plane.makeProject(tenantId)
    const before = (await liveOf(id)).revision
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(id, 'deploy')))
    expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(200))
    expect((await list(id)).data.map(row => row.number)).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index))
    expect((await liveOf(id)).revision).toBe(before + 20)
  })

  // On SQLite transactions run one after the other, and the store is in the process.
  if (backend === 'sqlite') return

  test('a discard that runs beside a deploy returns to what that deploy made live', async () => {
    const { id } = await plane.makeProject(tenantId)
    await put(id, { rpm_limit: 7 })
    await post(id, 'deploy')
    await put(id, { rpm_limit: 8, provider_model: model })
    const settings = await holdLocks(
      plane.env['DATABASE_URL'] ?? '',
      'select id from settings where project_id = $1 for update',
      [id],
    )
    const deploying = post(id, 'deploy')
    await expect.poll(settings.countWaiting).toBe(1)
    const discarding = post(id, 'discard-draft')
    await expect.poll(settings.countWaiting).toBe(2)
    await settings.release()
    expect([await deploying, await discarding]).toMatchObject([{ status: 200 }, { status: 200 }])
    const wanted = { rpm_limit: 8, provider_model: model }
    expect(await settingsOf(id)).toMatchObject({ ...wanted, draft_provider_model: null, draft_saved_at: null })
    expect(await liveOf(id)).toMatchObject({ settings: wanted })
    expect((await list(id)).data.map(row => row.number)).toEqual([2, 1])
  })

  test('a push that fails answers 502 and keeps the data; a retry heals', async () => {
    const own = await start({ own: true })
    const tenant = await own.makeTenant()
    const { id } = await own.makeProject(tenant.id)
    const session = own.owner.session
    await own.call('PUT', `/auth/v1/projects/${id}/settings`, { session, body: { rpm_limit: 5 } })
    await own.redis?.kill()
    const path = `/auth/v1/projects/${id}/settings/deploy`
    const failed = await own.call('POST', path, { session })
    expect(failed).toMatchObject({ status: 502, body: { code: 'REDIS_SYNC_FAILED', retryable: true } })
    const stored = (await own.call('GET', `/auth/v1/projects/${id}/settings`, { session })).body as Body
    expect(stored['deployed_at']).not.toBeNull()
    await own.redis?.restart()
    await expect.poll(async () => (await own.call('POST', path, { session })).status).toBe(200)
  })
})
