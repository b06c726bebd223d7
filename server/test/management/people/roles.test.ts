// A tenant's own roles: their life, and that nobody gains by them what they do not hold. What each permission opens on
// every route is in ../idor-matrix.full.test.ts.
import { beforeAll, describe, expect, test } from 'vitest'
import { builtInRoles, type Permission, permissionNames } from '../../../src/domain/access/permissions.ts'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { expectOk, expectRefusal } from '../requests.ts'

interface ShownRole {
  name: string
  permissions: Permission[]
}

describeEachBackend('own roles', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const rolesOf = (tenantId: string) => `/auth/v1/tenants/${tenantId}/roles`
  const put = (tenantId: string, name: string, body: unknown, session = plane.owner.session) =>
    plane.call('PUT', `${rolesOf(tenantId)}/${name}`, { session, body })
  const remove = (tenantId: string, name: string, session = plane.owner.session) =>
    plane.call('DELETE', `${rolesOf(tenantId)}/${name}`, { session })
  const list = async (tenantId: string, query = '') =>
    expectOk<{ data: ShownRole[]; next_cursor: string | null }>(
      await plane.call('GET', rolesOf(tenantId) + query, plane.owner),
    )
  const invite = (tenantId: string, role: string, session = plane.owner.session, email = 'new@example.com') =>
    plane.call('POST', `/auth/v1/tenants/${tenantId}/members`, { session, body: { email, role } })
  const change = (tenantId: string, userId: string, role: string, session = plane.owner.session) =>
    plane.call('PATCH', `/auth/v1/tenants/${tenantId}/members/${userId}`, { session, body: { role } })

  /** A person who holds these permissions in the tenant, by a role named after the test. */
  async function makeHolder(tenantId: string, name: string, permissions: readonly Permission[]): Promise<Person> {
    expectOk(await put(tenantId, name, { permissions }))
    const person = await plane.makePerson()
    await plane.join(tenantId, person, name)
    return person
  }

  describe('a role', () => {
    test('is created, read, listed after the built-in ones, changed and deleted', async () => {
      const { id } = await plane.makeTenant()
      const body = { permissions: ['billing:read', 'project:read', 'billing:read'], description: 'Reads the bills' }
      const times = { created_at: expect.any(String), updated_at: expect.any(String) }
      const shown = {
        ...body,
        name: 'auditor',
        permissions: ['project:read', 'billing:read'],
        built_in: false,
        ...times,
      }
      expect(expectOk(await put(id, 'auditor', body))).toEqual(shown)
      expect(expectOk(await plane.call('GET', `${rolesOf(id)}/auditor`, plane.owner))).toEqual(shown)
      const all = await list(id)
      expect(all.data.map(({ name }) => name)).toEqual(['owner', 'member', 'viewer', 'auditor'])
      expect(all.data[1]?.permissions).toEqual(builtInRoles.member)
      const first = await list(id, '?limit=3')
      const second = await list(id, `?limit=3&cursor=${first.next_cursor}`)
      expect([...first.data, ...second.data, second.next_cursor]).toEqual([...all.data, null])
      expect(expectOk(await put(id, 'auditor', { permissions: ['audit:read'] }))).toMatchObject({
        permissions: ['audit:read'],
        description: null,
      })
      expect((await remove(id, 'auditor')).status).toBe(204)
      expectRefusal(await remove(id, 'auditor'), 404, 'Role not found')
      expectRefusal(await plane.call('GET', `${rolesOf(id)}/auditor`, plane.owner), 404, 'Role not found')
    })

    test.each([
      ['owner', { permissions: ['project:read'] }, 'name must not be owner, which every tenant has'],
      [
        'Auditor',
        { permissions: ['project:read'] },
        'name must begin with a letter and have at most 40 of: a-z, 0-9, -',
      ],
      ['auditor', {}, 'permissions must be a list of at least one permission'],
      ['auditor', { permissions: [] }, 'permissions must be a list of at least one permission'],
      [
        'auditor',
        { permissions: ['project:read', 'all'] },
        `permissions.1 must be one of: ${permissionNames.join(', ')}`,
      ],
      [
        'auditor',
        { permissions: ['project:read'], description: 'x'.repeat(501) },
        'description must be a string of at most 500 characters',
      ],
    ])('is refused as %s with %j', async (name, body, words) => {
      const { id } = await plane.makeTenant()
      expectRefusal(await put(id, name, body), 400, words)
    })

    test('belongs to its tenant alone, of which there are at most 50', async () => {
      const [one, other] = [await plane.makeTenant(), await plane.makeTenant()]
      for (let index = 0; index < 50; index++)
        expectOk(await put(one.id, `role-${index}`, { permissions: ['audit:read'] }))
      expectRefusal(
        await put(one.id, 'role-50', { permissions: ['audit:read'] }),
        409,
        'A tenant can have at most 50 roles',
      )
      expectOk(await put(one.id, 'role-49', { permissions: ['project:read'] }))
      expectRefusal(await invite(other.id, 'role-1'), 400, 'role must be one of: owner, member, viewer')
    })

    test('works wherever a built-in one does, and is live at once', async () => {
      const { id } = await plane.makeTenant()
      const person = await makeHolder(id, 'billing', ['project:read', 'billing:read'])
      const members = expectOk<{ id: string; role: string }[]>(
        await plane.call('GET', `/auth/v1/tenants/${id}/members`, person),
      )
      expect(members.find(member => member.id === person.id)?.role).toBe('billing')
      const current = async () =>
        expectOk<{ tenants: { id: string; role: string; permissions: string[] }[] }>(
          await plane.call('GET', '/auth/v1/sessions/current', person),
        ).tenants.find(tenant => tenant.id === id)
      expect(await current()).toMatchObject({ role: 'billing', permissions: ['project:read', 'billing:read'] })
      const budgets = () => plane.call('GET', `/auth/v1/tenants/${id}/budgets`, person)
      expect((await budgets()).status).toBe(200)
      expectOk(await put(id, 'billing', { permissions: ['project:read'] }))
      expectRefusal(await budgets(), 403, 'Forbidden')
      expectOk(await change(id, person.id, 'member'))
      expect((await current())?.permissions).toEqual(builtInRoles.member)
      expectOk(await change(id, person.id, 'billing'))
      expectRefusal(await change(id, person.id, 'nobody'), 400, 'role must be one of: owner, member, viewer, billing')
    })

    test('stays while a member or an open invitation has it', async () => {
      const { id } = await plane.makeTenant()
      const person = await makeHolder(id, 'held', ['project:read'])
      const words = 'Members, open invitations or the single sign-on have this role'
      expectRefusal(await remove(id, 'held'), 409, words)
      expectOk(await change(id, person.id, 'viewer'))
      const { id: invitationId } = expectOk<{ id: string }>(await invite(id, 'held'), 201)
      expectRefusal(await remove(id, 'held'), 409, words)
      await plane.call('DELETE', `/auth/v1/tenants/${id}/invitations/${invitationId}`, plane.owner)
      expect((await remove(id, 'held')).status).toBe(204)
    })
  })

  describe('nobody grants what they do not hold', () => {
    const managing: readonly Permission[] = ['project:read', 'roles:write', 'members:write']
    const needs = (permission: Permission) => ({
      error: `Needs the permission ${permission}`,
      code: 'permission_missing',
    })

    test('by a role', async () => {
      const { id } = await plane.makeTenant()
      const { session } = await makeHolder(id, 'manager', managing)
      expectOk(await put(id, 'reader', { permissions: ['project:read'] }, session))
      expectRefusal(await put(id, 'reader', { permissions: ['audit:read'] }, session), 403, needs('audit:read'))
      expectRefusal(
        await put(id, 'manager', { permissions: [...managing, 'content:read'] }, session),
        403,
        needs('content:read'),
      )
      expectOk(await put(id, 'strong', { permissions: ['tenant:write'] }))
      expectRefusal(await put(id, 'strong', { permissions: ['project:read'] }, session), 403, needs('tenant:write'))
      expectRefusal(await remove(id, 'strong', session), 403, needs('tenant:write'))
    })

    test('by an invitation, a member’s role, or what gives them another’s account', async () => {
      const { id } = await plane.makeTenant()
      const { session } = await makeHolder(id, 'manager', managing)
      expectOk(await put(id, 'reader', { permissions: ['project:read'] }))
      const viewer = await plane.makePerson({ tenantId: id, role: 'viewer' })
      const member = `/auth/v1/tenants/${id}/members/${viewer.id}`
      expectOk(await invite(id, 'reader', session), 201)
      expectRefusal(await invite(id, 'viewer', session, 'other@example.com'), 403, needs('billing:read'))
      expectRefusal(await change(id, viewer.id, 'reader', session), 403, needs('billing:read'))
      expectRefusal(await change(id, viewer.id, 'owner', session), 403, needs('project:write'))
      expectRefusal(await plane.call('DELETE', member, { session }), 403, needs('billing:read'))
      expectRefusal(await plane.call('POST', `${member}/reset-link`, { session, body: {} }), 403, needs('billing:read'))
      expect((await plane.call('DELETE', member, viewer)).status).toBe(204)
    })

    test('and links die once their maker may make none', async () => {
      const { id } = await plane.makeTenant()
      const { session } = await makeHolder(id, 'manager', managing)
      expectOk(await put(id, 'reader', { permissions: ['project:read'] }))
      const open = async () =>
        expectOk<unknown[]>(await plane.call('GET', `/auth/v1/tenants/${id}/invitations`, plane.owner)).length
      expectOk(await invite(id, 'reader', session), 201)
      expectOk(await put(id, 'manager', { permissions: ['members:write', 'project:read'] }))
      expect(await open()).toBe(1)
      expectOk(await put(id, 'manager', { permissions: ['project:read'] }))
      expect(await open()).toBe(0)
    })
  })
})
