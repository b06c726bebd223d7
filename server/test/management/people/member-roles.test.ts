// Another role for a member, and the open invitations of a tenant: who may see and change what, and the last owner
// under a race.
import { beforeAll, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'
import { expectOk, expectRefusal, unknownId } from '../requests.ts'

interface Invitation {
  id: string
  email: string
  invite_url: string
}

describeEachBackend('members and invitations', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })
  const owned = () => ({ session: plane.owner.session })
  const change = (tenantId: string, userId: string, role: unknown, session = plane.owner.session) =>
    plane.call('PATCH', `/auth/v1/tenants/${tenantId}/members/${userId}`, { session, body: { role } })
  const rolesIn = async (tenantId: string) => {
    const members = await plane.call('GET', `/auth/v1/tenants/${tenantId}/members`, owned())
    return Object.fromEntries(expectOk<{ id: string; role: string }[]>(members).map(({ id, role }) => [id, role]))
  }
  const invite = async (tenantId: string, email: string, session = plane.owner.session) =>
    expectOk<Invitation>(
      await plane.call('POST', `/auth/v1/tenants/${tenantId}/members`, { session, body: { email, role: 'member' } }),
      201,
    )
  const accept = ({ invite_url }: Invitation) =>
    plane.call('POST', '/auth/v1/invitations/accept', {
      body: { token: new URL(invite_url).hash.slice('#token='.length), password: 'correct horse battery staple' },
    })
  const open = async (tenantId: string) =>
    expectOk<Invitation[]>(await plane.call('GET', `/auth/v1/tenants/${tenantId}/invitations`, owned()))

  test('a role is changed by an owner, and counts at once', async () => {
    const { id } = await plane.makeTenant({ plan: 'pro' })
    const person = await plane.makePerson({ tenantId: id, role: 'viewer' })
    const create = () =>
      plane.call('POST', `/auth/v1/tenants/${id}/projects`, { session: person.session, body: { name: 'x' } })
    expect((await create()).status).toBe(403)
    expect(expectOk(await change(id, person.id, 'member'))).toEqual({
      id: person.id,
      email: person.email,
      role: 'member',
    })
    expect((await create()).status).toBe(201)
    expectOk(await change(id, person.id, 'viewer'))
    expect((await create()).status).toBe(403)
    expectOk(
      await plane.call('PATCH', `/v1/tenants/${id}/members/${person.id}`, { ...owned(), body: { role: 'owner' } }),
    )
    expect((await rolesIn(id))[person.id]).toBe('owner')
  })

  test('only an owner changes roles, of members alone, to known ones', async () => {
    const { id } = await plane.makeTenant()
    const people: Person[] = []
    for (const role of ['member', 'viewer'] as const) people.push(await plane.makePerson({ tenantId: id, role }))
    for (const { id: own, session } of people) {
      expectRefusal(await change(id, own, 'owner', session), 403, 'Forbidden')
      expectRefusal(await change(id, plane.owner.id, 'viewer', session), 403, 'Forbidden')
    }
    const stranger = await plane.makePerson()
    const invited = await invite(id, `roles-${id}@example.com`)
    for (const whom of [stranger.id, invited.id, unknownId, 'no-uuid']) {
      expectRefusal(await change(id, whom, 'viewer'), 404, 'Not found')
    }
    for (const role of [undefined, null, 'admin', 7]) {
      expectRefusal(await change(id, people[0]?.id ?? '', role), 400, 'role must be one of: owner, member, viewer')
    }
  })

  test('the last owner stays one, also where two demote each other at once', async () => {
    const { id } = await plane.makeTenant()
    const words = 'A tenant must keep at least one owner'
    expectRefusal(await change(id, plane.owner.id, 'member'), 409, words)
    expectOk(await change(id, plane.owner.id, 'owner'))
    for (let round = 0; round < 5; round++) {
      const tenant = await plane.makeTenant()
      const rival = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
      await Promise.all([
        change(tenant.id, rival.id, 'member'),
        change(tenant.id, plane.owner.id, 'viewer', rival.session),
      ])
      const owners = await plane.query("select user_id from memberships where tenant_id = ? and role = 'owner'", [
        tenant.id,
      ])
      expect(owners).toHaveLength(1)
    }
  })

  test('the links that a demoted owner has seen are dead', async () => {
    const { id } = await plane.makeTenant()
    const second = await plane.makePerson({ tenantId: id, role: 'owner' })
    const kept = await invite(id, `kept-${id}@example.com`, second.session)
    expectOk(await change(id, second.id, 'owner'))
    expect(await open(id)).toHaveLength(1)
    expectOk(await change(id, second.id, 'member'))
    expect(await open(id)).toEqual([])
    expectRefusal(await accept(kept), 404, 'Invitation not found')
  })

  test('open invitations are listed without their links, and withdrawn', async () => {
    const { id } = await plane.makeTenant()
    const [first, second, used] = [
      await invite(id, `first-${id}@example.com`),
      await invite(id, `second-${id}@example.com`),
      await invite(id, `used-${id}@example.com`),
    ]
    expectOk(await accept(used))
    await invite(id, `old-${id}@example.com`)
    await plane.query('update invitations set expires_at = 1 where email = ?', [`old-${id}@example.com`])
    const listed = await open(id)
    const [expired] = listed.splice(2)
    expect(expired).toMatchObject({ email: `old-${id}@example.com`, expires_at: '1970-01-01T00:00:00.001Z' })
    expect(listed).toEqual(
      [first, second].map(({ id: invitationId, email }) => ({
        id: invitationId,
        email,
        role: 'member',
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      })),
    )
    const path = `/auth/v1/tenants/${id}/invitations`
    const withdrawn = await plane.call('DELETE', `${path}/${first.id}`, owned())
    expect([withdrawn.status, withdrawn.text]).toEqual([204, ''])
    expectOk(await plane.call('DELETE', `${path}/${expired?.id}`, owned()), 204)
    expect((await open(id)).map(({ email }) => email)).toEqual([second.email])
    expectRefusal(await accept(first), 404, 'Invitation not found')
    const other = await plane.makeTenant()
    for (const [at, invitationId] of [
      [path, first.id],
      [path, used.id],
      [path, unknownId],
      [path, 'no-uuid'],
      [`/auth/v1/tenants/${other.id}/invitations`, second.id],
    ]) {
      expectRefusal(await plane.call('DELETE', `${at}/${invitationId}`, owned()), 404, 'Invitation not found')
    }
    for (const role of ['member', 'viewer'] as const) {
      const { session } = await plane.makePerson({ tenantId: id, role })
      expectRefusal(await plane.call('GET', path, { session }), 403, 'Forbidden')
      expectRefusal(await plane.call('DELETE', `${path}/${second.id}`, { session }), 403, 'Forbidden')
    }
  })
})
