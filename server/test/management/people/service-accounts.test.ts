// Service accounts: their life, and that nobody makes one that holds more than they do. What each permission and each
// project opens to them on every route is in ../idor-matrix.full.test.ts.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Permission, permissionNames } from '../../../src/domain/access/permissions.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

interface Made {
  id: string
  key: string
}

const needs = (permission: Permission) => ({
  error: `Needs the permission ${permission}`,
  code: 'permission_missing',
})

describeEachBackend('service accounts', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const pathOf = (tenantId: string) => `/auth/v1/tenants/${tenantId}/service-accounts`
  const create = (tenantId: string, body: object, session = plane.owner.session) =>
    plane.call('POST', pathOf(tenantId), { session, body: { name: 'Deploys', permissions: ['project:read'], ...body } })
  const make = async (tenantId: string, body: object = {}): Promise<Made> =>
    expectOk<Made>(await create(tenantId, body), 201)
  const change = (tenantId: string, id: string, body: object, session = plane.owner.session) =>
    plane.call('PATCH', `${pathOf(tenantId)}/${id}`, { session, body })
  const rotate = (tenantId: string, id: string, body: object = {}, session = plane.owner.session) =>
    plane.call('POST', `${pathOf(tenantId)}/${id}/rotate`, { session, body })
  const list = async (tenantId: string, query = '') =>
    expectOk<{ data: Record<string, unknown>[]; next_cursor: string | null }>(
      await plane.call('GET', pathOf(tenantId) + query, plane.owner),
    )
  const getTenant = (tenantId: string, session: string) =>
    plane.call('GET', `/auth/v1/tenants/${tenantId}`, { session })

  describe('an account', () => {
    test('is created with a key that is shown once, listed, changed and deleted', async () => {
      const { id: tenantId } = await plane.makeTenant()
      const { id, key } = await make(tenantId)
      expect(key).toMatch(/^svc_[A-Za-z0-9_-]{43}$/)
      const shown = {
        id,
        name: 'Deploys',
        permissions: ['project:read'],
        projects: null,
        hint: key.slice(-4),
        previous_key_until: null,
        expires_at: null,
        created_at: expect.any(String),
        created_by: plane.owner.email,
        last_used_at: null,
      }
      expect(await list(tenantId)).toEqual({ data: [shown], next_cursor: null })
      expect((await getTenant(tenantId, key)).status).toBe(200)
      const [used] = (await list(tenantId)).data
      expect(used?.['last_used_at']).toMatch(/:00\.000Z$/)
      const body = { name: 'Reads', permissions: ['billing:read'], expires_at: '2999-01-01T00:00:00Z' }
      expect(expectOk(await change(tenantId, id, body))).toMatchObject({
        ...body,
        expires_at: '2999-01-01T00:00:00.000Z',
      })
      expectRefusal(await getTenant(tenantId, key), 403, needs('project:read'))
      expect((await plane.call('DELETE', `${pathOf(tenantId)}/${id}`, plane.owner)).status).toBe(204)
      expectRefusal(await getTenant(tenantId, key), 401, 'Invalid session')
      expectRefusal(await change(tenantId, id, {}), 404, 'Service account not found')
      const rows = await plane.query('select * from service_accounts where tenant_id = ?', [tenantId])
      expect(JSON.stringify(rows)).not.toContain(key.slice(4))
    })

    test('stores its key as a digest only', async () => {
      const { id: tenantId } = await plane.makeTenant()
      const { key } = await make(tenantId)
      const rows = await plane.query('select * from service_accounts where tenant_id = ?', [tenantId])
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(key.slice(4))
    })

    test.each([
      [{ name: ' ' }, 'name is required'],
      [{ permissions: [] }, 'permissions must be a list of at least one permission'],
      [{ projects: [] }, 'projects must be null or a list of 1-100 ids of projects'],
      [{ projects: [unknownId] }, `projects must be of the tenant; ${unknownId} is not`],
      [{ expires_at: '2001-01-01' }, 'expires_at must be null or an ISO 8601 time in the future'],
    ])('is refused with %j', async (body, words) => {
      const { id } = await plane.makeTenant()
      expectRefusal(await create(id, body), 400, words)
    })

    test('lists in pages', async () => {
      const { id } = await plane.makeTenant()
      for (let index = 0; index < 3; index++) await make(id)
      const all = await list(id)
      const first = await list(id, '?limit=2')
      const second = await list(id, `?limit=2&cursor=${first.next_cursor}`)
      expect([...first.data, ...second.data]).toEqual(all.data)
      expect([first.data.length, second.next_cursor]).toEqual([2, null])
    })
  })

  describe('a key', () => {
    test('is replaced by a rotation, at once or after an overlap', async () => {
      const { id: tenantId } = await plane.makeTenant()
      const first = await make(tenantId)
      const status = async (key: string) => (await getTenant(tenantId, key)).status
      const second = expectOk<Made>(await rotate(tenantId, first.id, { overlap_seconds: 3600 }))
      expect([await status(first.key), await status(second.key)]).toEqual([200, 200])
      const [shown] = (await list(tenantId)).data
      expect(shown).toMatchObject({ hint: second.key.slice(-4), previous_key_until: expect.any(String) })
      await plane.query('update service_accounts set previous_until = 1 where id = ?', [first.id])
      expect([await status(first.key), await status(second.key)]).toEqual([401, 200])
      const third = expectOk<Made>(await rotate(tenantId, first.id))
      expect([await status(second.key), await status(third.key)]).toEqual([401, 200])
      expectRefusal(
        await rotate(tenantId, first.id, { overlap_seconds: 604_801 }),
        400,
        'overlap_seconds must be an integer 0-604800',
      )
    })

    test('ends when it expires, and with the tenant', async () => {
      const tenant = await plane.makeTenant()
      const { id, key } = await make(tenant.id)
      await plane.query('update service_accounts set expires_at = 1 where id = ?', [id])
      expectRefusal(await getTenant(tenant.id, key), 401, 'Service account key expired')
      const other = await make(tenant.id)
      const body = { confirm: tenant.name }
      expect((await plane.call('DELETE', `/auth/v1/tenants/${tenant.id}`, { ...plane.owner, body })).status).toBe(204)
      expectRefusal(await getTenant(tenant.id, other.key), 401, 'Invalid session')
    })

    test('reaches no other tenant, and lists its own', async () => {
      const tenant = await plane.makeTenant()
      const other = await plane.makeTenant()
      const { key } = await make(tenant.id, { permissions: permissionNames })
      expectRefusal(await getTenant(other.id, key), 403, 'Forbidden')
      const tenants = expectOk<{ id: string }[]>(await plane.call('GET', '/auth/v1/tenants', { session: key }))
      expect(tenants).toMatchObject([{ id: tenant.id, role: 'service-account' }])
    })
  })

  test('nobody makes, changes or gets the key of one that holds more than they do', async () => {
    const { id: tenantId } = await plane.makeTenant()
    const held: Permission[] = ['project:read', 'service_accounts:write']
    const maker = await make(tenantId, { permissions: held })
    const strong = await make(tenantId, { permissions: ['tenant:write'] })
    expectOk(await create(tenantId, {}, maker.key), 201)
    expectRefusal(await create(tenantId, { permissions: ['audit:read'] }, maker.key), 403, needs('audit:read'))
    expectRefusal(
      await change(tenantId, maker.id, { permissions: ['audit:read'] }, maker.key),
      403,
      needs('audit:read'),
    )
    expectRefusal(await change(tenantId, strong.id, { name: 'x' }, maker.key), 403, needs('tenant:write'))
    expectRefusal(await rotate(tenantId, strong.id, {}, maker.key), 403, needs('tenant:write'))
    const path = `${pathOf(tenantId)}/${strong.id}`
    expectRefusal(await plane.call('DELETE', path, { session: maker.key }), 403, needs('tenant:write'))
  })

  test('what it makes names it, and never a person', async () => {
    const { id: tenantId } = await plane.makeTenant()
    const project = await plane.makeProject(tenantId)
    const { key } = await make(tenantId, { name: plane.owner.email, permissions: ['project:read', 'keys:write'] })
    const keys = `/auth/v1/projects/${project.id}/api-keys`
    expectOk(await plane.call('POST', keys, { session: key, body: { name: 'Made' } }), 201)
    const [made] = expectOk<{ created_by: string }[]>(await plane.call('GET', keys, { session: key }))
    expect(made?.created_by).toBe(`service account ${plane.owner.email}`)
  })
})
