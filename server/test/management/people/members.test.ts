// Tenants and their members: every status and message, who may do what by role, and the last owner under a race.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness, type Person } from '../../support/management-harness.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

describeEachBackend('tenants and members', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const membersOf = (tenantId: string) => `/auth/v1/tenants/${tenantId}/members`
  const add = (tenantId: string, body: unknown, session = plane.owner.session) =>
    plane.call('POST', membersOf(tenantId), { session, body })
  const remove = (tenantId: string, userId: string, session = plane.owner.session) =>
    plane.call('DELETE', `${membersOf(tenantId)}/${userId}`, { session })
  const list = async (tenantId: string, session = plane.owner.session) =>
    (await plane.call('GET', membersOf(tenantId), { session })).body

  describe('tenants', () => {
    test('are made by anybody signed in, who owns them, on the free plan', async () => {
      const person = await plane.makePerson()
      const { session } = person
      const made = await plane.call('POST', '/auth/v1/tenants', { session, body: { name: '  Ümläut & Söhne ' } })
      expect([made.status, made.body]).toEqual([201, { id: expect.any(String), name: 'Ümläut & Söhne' }])
      const { id } = made.body as { id: string }
      const one = await plane.call('GET', `/auth/v1/tenants/${id}`, { session })
      const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const facts = { id, name: 'Ümläut & Söhne', plan: 'free', require_second_factor: false, created_at }
      expect([one.status, one.body]).toEqual([200, facts])
      const all = await plane.call('GET', '/auth/v1/tenants', { session })
      expect(all.status).toBe(200)
      expect(
        (all.body as { id: string; role: string }[]).map(tenant => [tenant.id === id, tenant.role]),
      ).toContainEqual([true, 'owner'])
      expect(await list(id, session)).toEqual([{ id: person.id, email: person.email, role: 'owner' }])
    })

    test.each([
      [undefined, 'name is required'],
      [{}, 'name is required'],
      [{ name: null }, 'name is required'],
      [{ name: '   ' }, 'name is required'],
      [{ name: 7 }, 'name must be a string'],
      [{ name: 'a'.repeat(256) }, 'name must be at most 255 characters'],
    ])('refuses the body %j', async (body, error) => {
      const answer = await plane.call('POST', '/auth/v1/tenants', { session: plane.owner.session, body })
      expect([answer.status, answer.body]).toEqual([400, { error }])
    })

    test.each([unknownId, 'no-uuid', 'a'.repeat(100)])('are not found as %s', async id => {
      for (const path of [`/auth/v1/tenants/${id}`, `/v1/tenants/${id}`, membersOf(id)]) {
        const answer = await plane.call('GET', path, { session: plane.owner.session })
        expect([answer.status, answer.body]).toEqual([404, { error: 'Tenant not found', code: 'TENANT_NOT_FOUND' }])
      }
    })
  })

  describe('members', () => {
    test.each(['removed', 'signed out'])('who are %s while their body is on its way change nothing', async how => {
      const { id } = await plane.makeTenant()
      const leaving = await plane.makePerson({ tenantId: id, role: 'owner' })
      const friend = await plane.makePerson()
      const answered = Promise.withResolvers<number | undefined>()
      const adding = request(`${plane.baseUrl}${membersOf(id)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${leaving.session}`, 'content-type': 'application/json' },
      })
      adding.on('error', answered.reject)
      adding.on('response', response => answered.resolve(response.resume().statusCode))
      adding.flushHeaders()
      await sleep(200)
      if (how === 'removed') expect((await remove(id, leaving.id)).status).toBe(204)
      else await plane.call('DELETE', '/auth/v1/sessions/current', { session: leaving.session })
      await sleep(1_100)
      adding.end(JSON.stringify({ email: friend.email, role: 'owner' }))
      expect(await answered.promise).toBe(how === 'removed' ? 403 : 401)
      expect(await list(id)).not.toContainEqual(expect.objectContaining({ id: friend.id }))
    })

    test.each([
      [{}, 'email is required'],
      [{ email: 5, role: 'member' }, 'email is required'],
      [{ email: 'nobody', role: 'member' }, 'email must be an email address'],
      [{ email: 'a b@c.d', role: 'member' }, 'email must be an email address'],
      [{ email: `${'a'.repeat(64)}@${'b'.repeat(300)}`, role: 'member' }, 'email must be an email address'],
      [{ email: 'new@example.com' }, 'role must be one of: owner, member, viewer'],
      [{ email: 'new@example.com', role: 'admin' }, 'role must be one of: owner, member, viewer'],
    ])('refuse the body %j', async (body, error) => {
      const { id } = await plane.makeTenant()
      const answer = await add(id, body)
      expect([answer.status, answer.body]).toEqual([400, { error }])
    })

    test('with an account are invited like anybody, and join by accepting, once', async () => {
      const [tenant, person] = [await plane.makeTenant(), await plane.makePerson()]
      const added = await add(tenant.id, { email: person.email.toUpperCase(), role: 'member' })
      const unknown = await add(tenant.id, { email: 'nobody.yet@example.com', role: 'member' })
      const shape = (email: string) => ({
        id: expect.any(String),
        email,
        role: 'member',
        invite_url: expect.any(String),
      })
      expect([added.status, added.body]).toEqual([201, shape(person.email)])
      expect([unknown.status, unknown.body]).toEqual([201, shape('nobody.yet@example.com')])
      expect((await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, person)).status).toBe(403)
      await plane.join(tenant.id, person, 'member')
      expect(await list(tenant.id, person.session)).toContainEqual({
        id: person.id,
        email: person.email,
        role: 'member',
      })
      const again = await add(tenant.id, { email: person.email, role: 'viewer' })
      expect([again.status, again.body]).toEqual([409, { error: 'Already a member of this tenant' }])
    })

    test('invited ten times at once have one link that works', async () => {
      const [tenant, person] = [await plane.makeTenant(), await plane.makePerson()]
      const adding = Array.from({ length: 10 }, () => add(tenant.id, { email: person.email, role: 'member' }))
      const links = (await Promise.all(adding)).map(({ body }) => (body as { invite_url: string }).invite_url)
      const accepting = links.map(link => {
        const body = { token: new URL(link).hash.slice('#token='.length) }
        return plane.call('POST', '/auth/v1/invitations/accept', { ...person, body })
      })
      const statuses = (await Promise.all(accepting)).map(answer => answer.status).sort()
      expect(statuses).toEqual([200, ...Array(9).fill(404)])
    })

    test('are removed and then know nothing of the tenant', async () => {
      const tenant = await plane.makeTenant()
      const person = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
      expect((await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, person)).status).toBe(200)
      const removed = await remove(tenant.id, person.id)
      expect([removed.status, removed.text]).toEqual([204, ''])
      expect((await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, person)).body).toEqual({ error: 'Forbidden' })
      expect((await remove(tenant.id, person.id)).body).toEqual({ error: 'Not found' })
    })

    test.each([unknownId, 'no-uuid'])('are not found as %s', async id => {
      const tenant = await plane.makeTenant()
      const answer = await remove(tenant.id, id)
      expect([answer.status, answer.body]).toEqual([404, { error: 'Not found' }])
    })

    test.each(['viewer', 'member'] as const)('may leave as a %s, and remove nobody else', async role => {
      const tenant = await plane.makeTenant()
      const leaving = await plane.makePerson({ tenantId: tenant.id, role })
      const staying = await plane.makePerson({ tenantId: tenant.id, role })
      const invited = (await add(tenant.id, { email: `invited-by-${tenant.id}@example.com`, role })).body as {
        id: string
      }
      for (const other of [staying.id, plane.owner.id, invited.id, unknownId]) {
        const answer = await remove(tenant.id, other, leaving.session)
        expect([answer.status, answer.body]).toEqual([403, { error: 'Forbidden' }])
      }
      const left = await remove(tenant.id, leaving.id, leaving.session)
      expect([left.status, left.text]).toEqual([204, ''])
      const after = [
        await remove(tenant.id, leaving.id, leaving.session),
        await plane.call('GET', `/auth/v1/tenants/${tenant.id}`, leaving),
      ]
      for (const answer of after) expect([answer.status, answer.body]).toEqual([403, { error: 'Forbidden' }])
      expect(await list(tenant.id)).toEqual([
        expect.objectContaining({ id: plane.owner.id }),
        expect.objectContaining({ id: staying.id, role }),
      ])
      // Only an owner has seen the links that are out.
      expect((await remove(tenant.id, invited.id)).status).toBe(204)
    })

    test('may leave as an owner while there is another, also by the short path', async () => {
      const tenant = await plane.makeTenant()
      const second = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
      const short = `/v1/tenants/${tenant.id}/members/${second.id}`
      expect((await plane.call('DELETE', short, second)).status).toBe(204)
      const last = await remove(tenant.id, plane.owner.id)
      expect([last.status, last.body]).toEqual([409, { error: 'A tenant must keep at least one owner' }])
    })

    test('who are members elsewhere cannot leave where they are none', async () => {
      const [tenant, stranger] = [await plane.makeTenant(), await plane.makePerson()]
      const answer = await remove(tenant.id, stranger.id, stranger.session)
      expect([answer.status, answer.body]).toEqual([403, { error: 'Forbidden' }])
    })

    test('of another tenant are not found', async () => {
      const [tenant, other] = [await plane.makeTenant(), await plane.makeTenant()]
      const person = await plane.makePerson({ tenantId: other.id, role: 'member' })
      expect((await remove(tenant.id, person.id)).status).toBe(404)
      expect(await list(other.id, person.session)).toHaveLength(2)
    })

    test('never lose the last owner', async () => {
      const tenant = await plane.makeTenant()
      await plane.makePerson({ tenantId: tenant.id, role: 'member' })
      const answer = await remove(tenant.id, plane.owner.id)
      expect([answer.status, answer.body]).toEqual([409, { error: 'A tenant must keep at least one owner' }])
    })

    test('keep exactly one of two owners who remove each other at once', async () => {
      const tenant = await plane.makeTenant()
      const rival = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
      const answers = await Promise.all([remove(tenant.id, rival.id), remove(tenant.id, plane.owner.id, rival.session)])
      // 403 where the first removal was done before the second was looked at.
      expect([
        [204, 403],
        [204, 409],
      ]).toContainEqual(answers.map(answer => answer.status).sort())
      expect(await plane.query('select user_id from memberships where tenant_id = ?', [tenant.id])).toHaveLength(1)
    })

    test('keep an owner where eight remove each other in a ring at once', async () => {
      const owners = [plane.owner]
      for (let count = 1; count < 8; count++) owners.push(await plane.makePerson())
      for (let round = 0; round < 5; round++) {
        const tenant = await plane.makeTenant()
        for (const { email } of owners.slice(1)) await add(tenant.id, { email, role: 'owner' })
        await Promise.all(owners.map((by, at) => remove(tenant.id, owners[(at + 1) % 8]?.id ?? '', by.session)))
        const left = await plane.query('select user_id from memberships where tenant_id = ?', [tenant.id])
        expect(left.length).toBeGreaterThanOrEqual(1)
      }
    })
  })

  describe('roles', () => {
    const roles = ['viewer', 'member', 'owner', 'stranger'] as const
    const people = {} as Record<(typeof roles)[number], Person>
    let tenant: { id: string }
    let project: { id: string }
    beforeAll(async () => {
      tenant = await plane.makeTenant({ plan: 'pro' })
      project = await plane.makeProject(tenant.id)
      for (const role of roles) {
        people[role] = await plane.makePerson(role === 'stranger' ? undefined : { tenantId: tenant.id, role })
      }
    })

    // What a good standing gets there; everybody below gets 403. A body that is refused proves the standing as well.
    const rows: [least: string, method: string, path: string, body: unknown, status: number][] = [
      ['viewer', 'GET', '/tenants/:t', undefined, 200],
      ['viewer', 'GET', '/tenants/:t/members', undefined, 200],
      ['viewer', 'GET', '/tenants/:t/projects', undefined, 200],
      ['viewer', 'GET', '/projects/:p/provisioning', undefined, 200],
      ['viewer', 'GET', '/projects/:p/settings', undefined, 200],
      ['viewer', 'GET', '/projects/:p/settings/deployments', undefined, 200],
      ['viewer', 'GET', '/projects/:p/memory', undefined, 200],
      ['viewer', 'GET', '/projects/:p/api-keys', undefined, 200],
      ['viewer', 'GET', '/projects/:p/tiers', undefined, 200],
      ['viewer', 'GET', '/projects/:p/identity-provider', undefined, 404],
      ['member', 'POST', '/tenants/:t/projects', {}, 400],
      ['member', 'PUT', '/projects/:p/settings', {}, 400],
      ['member', 'POST', '/projects/:p/settings/deploy', undefined, 200],
      ['member', 'POST', '/projects/:p/api-keys', {}, 201],
      ['member', 'POST', `/projects/:p/api-keys/${unknownId}/rotate`, undefined, 404],
      ['member', 'POST', '/projects/:p/tiers', {}, 400],
      ['member', 'DELETE', `/projects/:p/tiers/${unknownId}`, undefined, 404],
      ['member', 'PUT', '/projects/:p/settings/model', {}, 400],
      ['member', 'DELETE', '/projects/:p/settings/model', undefined, 404],
      ['member', 'PUT', '/projects/:p/identity-provider', {}, 400],
      ['member', 'DELETE', '/projects/:p/identity-provider', undefined, 404],
      ['member', 'POST', '/projects/:p/provisioning/retry', undefined, 400],
      ['owner', 'POST', '/tenants/:t/members', {}, 400],
      ['owner', 'DELETE', `/tenants/:t/members/${unknownId}`, undefined, 404],
    ]

    test.each(rows)('%s and above may %s %s', async (least, method, path, body, status) => {
      const standing = roles.slice(0, 3).indexOf(least as 'viewer')
      const suffix = path.replace(':t', tenant.id).replace(':p', project.id)
      for (const prefix of ['/auth/v1', '/v1']) {
        for (const [rank, role] of roles.entries()) {
          const { session } = people[role]
          const answer = await plane.call(method, prefix + suffix, { session, body })
          const isAllowed = role !== 'stranger' && rank >= standing
          expect([prefix, role, answer.status]).toEqual([prefix, role, isAllowed ? status : 403])
          if (!isAllowed) expect(answer.body).toEqual({ error: 'Forbidden' })
        }
        const nobody = await plane.call(method, prefix + suffix, { body })
        expect([nobody.status, nobody.body]).toEqual([401, { error: 'Bearer token required' }])
      }
    })

    test('change at once with the membership', async () => {
      const person = await plane.makePerson({ tenantId: tenant.id, role: 'viewer' })
      const write = () => plane.call('POST', `/auth/v1/projects/${project.id}/api-keys`, { ...person, body: {} })
      expect((await write()).status).toBe(403)
      await remove(tenant.id, person.id)
      await plane.join(tenant.id, person, 'member')
      expect((await write()).status).toBe(201)
    })
  })
})
