// Tests what the operator sets for all tenants: who creates tenants, and the maxima of settings, wherever they apply.
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

const refused = 'Only the operator creates tenants on this installation'
const env = { TENANT_CREATION: 'operator', MAX_TIERS: '4', MAX_RPM_LIMIT: '250000' }

describeEachBackend('an installation', start => {
  let plane: ManagementHarness
  let tenantId: string
  let session: string
  beforeAll(async () => {
    plane = await start({ env, own: true })
    session = plane.owner.session
  })
  const call = (method: string, path: string, body?: unknown) => plane.call(method, path, { session, body })

  describe('whose tenants the operator creates', () => {
    test('refuses a session, and nothing is created', async () => {
      const before = expectOk<unknown[]>(await call('GET', '/auth/v1/tenants'))
      expectRefusal(await call('POST', '/auth/v1/tenants', { name: 'Mine' }), 403, refused)
      expect(expectOk(await call('GET', '/auth/v1/tenants'))).toEqual(before)
    })

    test('has an owner for it who accepts the invitation', async () => {
      const { adminSecret } = plane
      const body = { name: 'Theirs', owner_email: plane.owner.email }
      const created = await plane.call('POST', '/v1/admin/tenants', { adminSecret, body })
      expect(created.status).toBe(201)
      const { id, invite_url } = created.body as { id: string; invite_url: string }
      tenantId = id
      expect((await call('GET', `/auth/v1/tenants/${id}`)).status).toBe(403)
      const token = new URL(invite_url).hash.replace('#token=', '')
      expect((await call('POST', '/auth/v1/invitations/accept', { token })).status).toBeLessThan(300)
      expect(expectOk(await call('GET', `/auth/v1/tenants/${id}/members`))).toEqual([
        { id: plane.owner.id, email: plane.owner.email, role: 'owner' },
      ])
    })

    test('needs an operator, a name and an email', async () => {
      const path = '/v1/admin/tenants'
      const body = { name: 'Theirs', owner_email: 'owner@example.com' }
      expect((await plane.call('POST', path, { body })).status).toBe(401)
      const { adminSecret } = plane
      for (const wrong of [{ ...body, name: '' }, { ...body, owner_email: 'nobody' }, {}]) {
        expect((await plane.call('POST', path, { adminSecret, body: wrong })).status).toBe(400)
      }
    })
  })

  test('says what it allows', async () => {
    expect(expectOk(await call('GET', '/auth/v1/installation'))).toEqual({
      tenant_creation: 'operator',
      max_tiers: 4,
      max_rpm_limit: 250_000,
    })
    expect((await plane.call('GET', '/auth/v1/installation', {})).status).toBe(401)
  })

  test('lifts the maximum of requests a minute, of projects, users and tiers, live too', async () => {
    const { id } = await plane.makeProject(tenantId)
    const own = `/auth/v1/projects/${id}`
    const limits = { rpm_limit: 250_000, user_rpm_limit: 200_000 }
    expectOk(await call('PUT', `${own}/settings`, limits))
    expect((await call('POST', `${own}/tiers`, { name: 'gold', overrides: { rpm_limit: 240_000 } })).status).toBe(201)
    expectOk(await call('POST', `${own}/settings/deploy`))
    expect(expectOk(await call('GET', `${own}/settings`))).toMatchObject(limits)
    const { api_key: apiKey } = await plane.makeApiKey(id)
    const minted = await plane.call('POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'a' } })
    const { access_token: token } = minted.body as { access_token: string }
    const { slug } = expectOk<{ slug: string }>(await call('GET', own))
    const answer = await plane.call('GET', `/p/${slug}/v1/models`, { session: token })
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('200000')
    for (const field of ['rpm_limit', 'user_rpm_limit']) {
      const message = `${field} must be an integer 1-250000${field === 'rpm_limit' ? '' : ' or null'}`
      expectRefusal(await call('PUT', `${own}/settings`, { [field]: 250_001 }), 400, message)
      const overrides = { [field]: 250_001 }
      expectRefusal(await call('POST', `${own}/tiers`, { name: 'x', overrides }), 400, message)
    }
  })

  test('lifts the maximum of tiers', async () => {
    const { id } = await plane.makeProject(tenantId)
    const path = `/auth/v1/projects/${id}/tiers`
    for (const name of ['a', 'b', 'c', 'd']) expect((await call('POST', path, { name })).status).toBe(201)
    expectRefusal(await call('POST', path, { name: 'e' }), 409, 'Maximum of 4 tiers per project')
  })

  test('describes its own maxima in the OpenAPI document', async () => {
    const { body } = await plane.call('GET', '/auth/v1/openapi.json', {})
    const { paths } = body as { paths: Record<string, Record<string, unknown>> }
    const put = JSON.stringify(paths['/auth/v1/projects/{projectId}/settings']?.['put'])
    expect(put).toContain('"maximum":250000')
  })
})
