// What becomes of a project after its creation: read, renamed, reactivated, deleted. Deleted, it is gone for everybody
// at once, nothing of it is left in the database or the store, and its slug is never given to another.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { callHost, expectOk, expectRefusal, mint, unknownId, type Words } from '../requests.ts'

interface Project {
  id: string
  slug: string
  name: string
  status: string
  dns_status: string
}

describeEachBackend('a project', start => {
  let plane: ManagementHarness
  let tenant: { id: string }
  let member: { session: string }
  let viewer: { session: string }
  beforeAll(async () => {
    plane = await start({ env: { PUBLIC_DOMAIN: 'gate.test', INTERNAL_DOMAIN: 'dev.gate.test', SYNC_INTERVAL: '1' } })
    tenant = await plane.makeTenant({ plan: 'pro' })
    member = await plane.makePerson({ tenantId: tenant.id, role: 'member' })
    viewer = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
  })
  const owned = () => ({ session: plane.owner.session })
  const at = (method: string, id: string, more: object = owned(), suffix = '') =>
    plane.call(method, `/auth/v1/projects/${id}${suffix}`, more)
  const suspend = async (id: string) => expectOk(await at('POST', id, owned(), '/suspend'))
  const remove = (id: string, confirm: unknown, more: object = owned()) =>
    at('DELETE', id, { ...more, body: { confirm } })
  const rowsOf = (table: string, id: string) =>
    plane.query(`select project_id from ${table} where project_id = ?`, [id])

  test('is read by every member, by both paths', async () => {
    const made = await plane.makeProject(tenant.id)
    const expected = {
      id: made.id,
      tenant_id: tenant.id,
      name: 'Project',
      slug: made.slug,
      status: 'active',
      dns_status: 'READY',
      managed_by: null,
      fqdn_dev: `${made.slug}.dev.gate.test`,
      fqdn_prod: `${made.slug}.gate.test`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    }
    for (const who of [owned(), member, viewer]) expect(expectOk(await at('GET', made.id, who))).toEqual(expected)
    expect(expectOk(await plane.call('GET', `/v1/projects/${made.id}`, viewer))).toEqual(expected)
  })

  test('is renamed, and keeps its slug', async () => {
    const made = await plane.makeProject(tenant.id)
    const renamed = expectOk<Project>(await at('PATCH', made.id, { ...member, body: { name: '  Sökning ' } }))
    expect(renamed).toMatchObject({ id: made.id, name: 'Sökning', slug: made.slug })
    expect(expectOk(await at('GET', made.id))).toEqual(renamed)
    expectRefusal(await at('PATCH', made.id, { ...viewer, body: { name: 'x' } }), 403, 'Forbidden')
  })

  test.each<[string, unknown, string]>([
    ['no name', {}, 'name is required'],
    ['a blank name', { name: ' ' }, 'name is required'],
    ['a number', { name: 1 }, 'name must be a string'],
    ['256 characters', { name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
  ])('is not renamed to %s', async (_what, body, words) => {
    const made = await plane.makeProject(tenant.id)
    expectRefusal(await at('PATCH', made.id, { ...owned(), body }), 400, words)
  })

  describe('reactivated', () => {
    const reactivate = (id: string, more: object = owned()) => at('POST', id, more, '/reactivate')

    test('is active again on the data plane; its keys stay revoked, and a repetition changes nothing', async () => {
      const made = await plane.makeProject(tenant.id)
      const key = await plane.makeApiKey(made.id)
      await suspend(made.id)
      expectRefusal(await reactivate(made.id, viewer), 403, 'Forbidden')
      expect(expectOk(await reactivate(made.id, member))).toEqual({ status: 'active', dns_status: 'READY' })
      expectRefusal(await mint(plane, key.api_key), 401, 'API key revoked')
      expect(expectOk(await at('GET', made.id, owned(), '/api-keys'))).toEqual([])
      const live = () => plane.query('select revision from live_configs where project_id = ?', [made.id])
      const before = await live()
      expect(expectOk(await reactivate(made.id))).toEqual({ status: 'active', dns_status: 'READY' })
      expect(await live()).toEqual(before)
      const fresh = await plane.makeApiKey(made.id)
      const minted = expectOk<{ access_token: string }>(await mint(plane, fresh.api_key))
      const models = await plane.call('GET', `/p/${made.slug}/v1/models`, { session: minted.access_token })
      expect(models.status).toBe(200)
    })

    test('counts toward the free plan as a new one does', async () => {
      const free = await plane.makeTenant()
      const made = [
        await plane.makeProject(free.id),
        await plane.makeProject(free.id),
        await plane.makeProject(free.id),
      ]
      await suspend(made[0]?.id ?? '')
      await plane.makeProject(free.id)
      const full = {
        error: 'Free plan is limited to 3 projects',
        upgrade_url: `http://localhost:${plane.product.port}/upgrade`,
      }
      expectRefusal(await reactivate(made[0]?.id ?? ''), 403, full)
      // An active one is active already.
      expectOk(await reactivate(made[1]?.id ?? ''))
      await suspend(made[1]?.id ?? '')
      expectOk(await reactivate(made[0]?.id ?? ''))
    })

    test('eight times at once beside three new ones, never exceeds the free plan', async () => {
      const free = await plane.makeTenant()
      const made = [await plane.makeProject(free.id), await plane.makeProject(free.id)]
      for (const { id } of made) await suspend(id)
      const create = () =>
        plane.call('POST', `/auth/v1/tenants/${free.id}/projects`, { ...owned(), body: { name: 'x' } })
      await Promise.all([
        ...Array.from({ length: 8 }, (_, at) => reactivate(made[at % 2]?.id ?? '')),
        create(),
        create(),
        create(),
      ])
      const active = await plane.query("select id from projects where tenant_id = ? and status = 'active'", [free.id])
      expect(active).toHaveLength(3)
    })

    test('has its host names provisioned again where there is no wildcard record', async () => {
      const made = await plane.makeProject(tenant.id)
      await suspend(made.id)
      await plane.query("update projects set dns_status = 'FAILED', dns_last_error = 'x' where id = ?", [made.id])
      expect(expectOk(await reactivate(made.id))).toMatchObject({ dns_status: 'READY' })
      expect(expectOk(await at('GET', made.id, owned(), '/provisioning'))).toMatchObject({ dns_last_error: null })
    })
  })

  describe('deleted', () => {
    test.each<[string, (id: string, slug: string) => Promise<Answer>, number, Words]>([
      ['while it is active', (id, slug) => remove(id, slug), 409, 'Suspend the project first'],
      ['by a member', (id, slug) => remove(id, slug, member), 403, 'Forbidden'],
      ['by a viewer', (id, slug) => remove(id, slug, viewer), 403, 'Forbidden'],
      ['by nobody', (id, slug) => remove(id, slug, {}), 401, 'Bearer token required'],
      ['without a body', id => at('DELETE', id), 400, 'confirm must be the slug of the project'],
      ['under another slug', id => remove(id, 'amber-falcon-1'), 400, 'confirm must be the slug of the project'],
      ['under no text', id => remove(id, 7), 400, 'confirm must be the slug of the project'],
      ['under an unknown id', () => remove(unknownId, 'x'), 404, 'Project not found'],
    ])('is refused %s', async (_how, call, status, words) => {
      const made = await plane.makeProject(tenant.id)
      expectRefusal(await call(made.id, made.slug), status, words)
      expectOk(await at('GET', made.id))
    })

    test('is gone for everybody, everywhere, and the worker erases what it had', async () => {
      const made = await plane.makeProject(tenant.id)
      const key = await plane.makeApiKey(made.id)
      expectOk(await at('POST', made.id, { ...owned(), body: { name: 'gold', overrides: {} } }, '/tiers'), 201)
      expectOk(await at('POST', made.id, owned(), '/settings/deploy'))
      const minted = expectOk<{ access_token: string }>(await mint(plane, key.api_key))
      const models = () => plane.call('GET', `/p/${made.slug}/v1/models`, { session: minted.access_token })
      expect((await models()).status).toBe(200)
      await suspend(made.id)
      const removed = await remove(made.id, made.slug)
      expect([removed.status, removed.text]).toEqual([204, ''])
      for (const who of [owned(), viewer]) expectRefusal(await at('GET', made.id, who), 404, 'Project not found')
      expectRefusal(await remove(made.id, made.slug), 404, 'Project not found')
      expectRefusal(await at('POST', made.id, owned(), '/reactivate'), 404, 'Project not found')
      expectRefusal(await at('GET', made.id, owned(), '/settings'), 404, 'Project not found')
      expect((await plane.call('DELETE', `/auth/v1/api-keys/${key.id}`, owned())).status).toBe(404)
      const listed = expectOk<Project[]>(await plane.call('GET', `/auth/v1/tenants/${tenant.id}/projects`, owned()))
      expect(listed.map(({ id }) => id)).not.toContain(made.id)
      const switched = { adminSecret: plane.adminSecret, body: { enabled: true } }
      expectRefusal(
        await plane.call('POST', `/v1/admin/killswitch/project/${made.id}`, switched),
        404,
        'Project not found',
      )
      expectRefusal(await mint(plane, key.api_key), 401, 'Invalid API key')
      for (const table of ['settings', 'tiers', 'deployments', 'live_configs', 'api_keys']) {
        await expect.poll(() => rowsOf(table, made.id)).toEqual([])
      }
      await expect
        .poll(async () => [(await models()).status, (await models()).body])
        .toEqual([404, { error: 'not found', message: 'Unknown project host' }])
      const onHost = await callHost(plane, {
        host: `${made.slug}.gate.test`,
        path: '/v1/auth/mint',
        apiKey: key.api_key,
      })
      expect(onHost).toEqual({ status: 404, body: { error: 'Unknown project host' } })
      const retired = await plane.query('select slug from retired_slugs where slug = ?', [made.slug])
      expect(retired).toEqual([{ slug: made.slug }])
    })

    test('wins or loses against a reactivation, never both', async () => {
      for (let round = 0; round < 5; round++) {
        const made = await plane.makeProject(tenant.id)
        await suspend(made.id)
        const [removed, reactivated] = await Promise.all([
          remove(made.id, made.slug),
          at('POST', made.id, owned(), '/reactivate'),
        ])
        const after = await at('GET', made.id)
        if (removed.status === 204) expect([reactivated.status, after.status]).toEqual([404, 404])
        else expect([removed.status, reactivated.status, after.status]).toEqual([409, 200, 200])
      }
    })

    test('does not count toward the free plan', async () => {
      const free = await plane.makeTenant()
      const made = [
        await plane.makeProject(free.id),
        await plane.makeProject(free.id),
        await plane.makeProject(free.id),
      ]
      await suspend(made[0]?.id ?? '')
      expect((await remove(made[0]?.id ?? '', made[0]?.slug)).status).toBe(204)
      await plane.makeProject(free.id)
    })
  })
})
