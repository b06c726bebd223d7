// What the operator does with the admin secret: kill switches in three scopes, their status, and plans; and that
// nothing but the secret opens these routes.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId, type Words } from '../requests.ts'

const noTenant = { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' }

describeEachBackend('the operator', start => {
  let plane: ManagementHarness
  let tenant: { id: string; name: string }
  let project: { id: string }

  beforeAll(async () => {
    plane = await start({ own: true })
    tenant = await plane.makeTenant()
    project = await plane.makeProject(tenant.id)
  })

  const asAdmin = (method: string, path: string, body?: unknown) =>
    plane.call(method, path, { adminSecret: plane.adminSecret, body })
  const switchTo = (place: string, body: unknown) => asAdmin('POST', `/v1/admin/killswitch/${place}`, body)
  const readStatus = async () => expectOk(await asAdmin('GET', '/v1/admin/killswitch/status'))

  describe('switches off and on again', () => {
    test('everything', async () => {
      expect(expectOk(await switchTo('global', { enabled: true }))).toEqual({ killswitch: 'global', enabled: true })
      expect(await readStatus()).toEqual({ global: true, tenants: [], projects: [] })
      expect(expectOk(await switchTo('global', { enabled: false }))).toEqual({ killswitch: 'global', enabled: false })
      expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [] })
    })

    test('a tenant', async () => {
      const answer = await switchTo(`tenant/${tenant.id}`, { enabled: true })
      expect(expectOk(answer)).toEqual({ killswitch: 'tenant', tenantId: tenant.id, enabled: true })
      expect(await readStatus()).toEqual({ global: false, tenants: [tenant.id], projects: [] })
      expectOk(await switchTo(`tenant/${tenant.id}`, { enabled: false }))
      expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [] })
    })

    test('a project, twice the same', async () => {
      for (let round = 0; round < 2; round++) {
        const answer = await switchTo(`project/${project.id}`, { enabled: true })
        expect(expectOk(answer)).toEqual({ killswitch: 'project', projectId: project.id, enabled: true })
      }
      expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [project.id] })
      expectOk(await switchTo(`project/${project.id}`, { enabled: false }))
      expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [] })
    })
  })

  test('the mint goes on while everything is switched off', async () => {
    const { api_key } = await plane.makeApiKey(project.id)
    expectOk(await switchTo('global', { enabled: true }))
    expectOk(await plane.call('POST', '/auth/v1/auth/mint', { apiKey: api_key, body: { user_id: 'u' } }))
    expectOk(await switchTo('global', { enabled: false }))
  })

  test.each<[string, () => Promise<Answer>, number, Words]>([
    ['no body', () => switchTo('global', undefined), 400, 'enabled must be a boolean'],
    ['an empty body', () => switchTo('global', {}), 400, 'enabled must be a boolean'],
    ['text', () => switchTo('global', { enabled: 'true' }), 400, 'enabled must be a boolean'],
    ['a number', () => switchTo(`tenant/${tenant.id}`, { enabled: 1 }), 400, 'enabled must be a boolean'],
    ['null', () => switchTo(`project/${project.id}`, { enabled: null }), 400, 'enabled must be a boolean'],
    ['an unknown tenant', () => switchTo(`tenant/${unknownId}`, { enabled: true }), 404, noTenant],
    ['a tenant that is no id', () => switchTo('tenant/acme', { enabled: true }), 404, noTenant],
    ['an unknown project', () => switchTo(`project/${unknownId}`, { enabled: true }), 404, 'Project not found'],
    ['a project that is no id', () => switchTo('project/app', { enabled: true }), 404, 'Project not found'],
    ["a project's id as a tenant", () => switchTo(`tenant/${project.id}`, { enabled: true }), 404, noTenant],
  ])('a switch refuses %s', async (_what, call, status, words) => {
    expectRefusal(await call(), status, words)
    expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [] })
  })

  describe('puts a tenant on a plan', () => {
    const put = (body: unknown, tenantId = tenant.id) => asAdmin('PUT', `/v1/admin/tenants/${tenantId}/plan`, body)

    test('and the tenant says so', async () => {
      for (const plan of ['pro', 'pro', 'free']) {
        expect(expectOk(await put({ plan }))).toEqual({ id: tenant.id, name: tenant.name, plan })
        const read = await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, { session: plane.owner.session })
        expect(expectOk(read)).toMatchObject({ plan })
      }
    })

    test.each<[string, () => Promise<Answer>, number, Words]>([
      ['no plan', () => put({}), 400, 'plan must be one of: free, pro'],
      ['another plan', () => put({ plan: 'enterprise' }), 400, 'plan must be one of: free, pro'],
      ['an unknown tenant', () => put({ plan: 'pro' }, unknownId), 404, noTenant],
      ['an id that is none', () => put({ plan: 'pro' }, 'acme'), 404, noTenant],
    ])('but refuses %s', async (_what, call, status, words) => {
      expectRefusal(await call(), status, words)
    })
  })

  describe('is nobody without the secret', () => {
    const routes = (): [string, string, unknown][] => [
      ['POST', '/v1/admin/killswitch/global', { enabled: true }],
      ['POST', `/v1/admin/killswitch/tenant/${tenant.id}`, { enabled: true }],
      ['POST', `/v1/admin/killswitch/project/${project.id}`, { enabled: true }],
      ['GET', '/v1/admin/killswitch/status', undefined],
      ['PUT', `/v1/admin/tenants/${tenant.id}/plan`, { plan: 'pro' }],
    ]

    test('on any route, whatever else comes along', async () => {
      const { session } = plane.owner
      for (const [method, path, body] of routes()) {
        expectRefusal(await plane.call(method, path, { body }), 401, 'Invalid admin secret')
        const almost = { adminSecret: plane.adminSecret.slice(0, -1), session, body }
        expectRefusal(await plane.call(method, path, almost), 401, 'Invalid admin secret')
        const asBearer = { session: plane.adminSecret, body }
        expectRefusal(await plane.call(method, path, asBearer), 401, 'Invalid admin secret')
      }
      expect(await readStatus()).toEqual({ global: false, tenants: [], projects: [] })
    })

    test('however often it is tried, and the right one opens all the while', async () => {
      const read = (adminSecret: string) => plane.call('GET', '/v1/admin/killswitch/status', { adminSecret })
      const answers = await Promise.all(Array.from({ length: 100 }, (_, nth) => read(`${plane.adminSecret}${nth}`)))
      for (const answer of answers) expectRefusal(answer, 401, 'Invalid admin secret')
      expectOk(await read(plane.adminSecret))
    })
  })
})
