// Invitations: what a link gives, once and for seven days, and all the ways in which it must not be a back door.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { type InProcess, startInProcess } from '../../support/management-in-process.ts'

const accept = '/auth/v1/invitations/accept'
const dayMs = 24 * 60 * 60 * 1000
const password = 'a password of some length'

describeEachBackend('invitations', start => {
  let plane: ManagementHarness
  let count = 0
  beforeAll(async () => {
    plane = await start()
  })

  const newEmail = () => `invited-${++count}@example.com`
  async function invite(tenantId: string, email: string, role = 'member', session = plane.owner.session) {
    const answer = await plane.call('POST', `/auth/v1/tenants/${tenantId}/members`, { session, body: { email, role } })
    expect(answer.status).toBe(201)
    const { id, invite_url } = answer.body as { id: string; invite_url: string }
    return { id, invite_url, token: new URL(invite_url).hash.slice('#token='.length) }
  }
  const take = (token: string, chosen = password) => plane.call('POST', accept, { body: { token, password: chosen } })
  const notFound = [404, { error: 'Invitation not found' }]
  const roleIn = (tenantId: string, email: string) =>
    plane.query<{ role: string }>(
      'select role from memberships join users on users.id = user_id where tenant_id = ? and email = ?',
      [tenantId, email],
    )

  test('make an account and a member, and sign in', async () => {
    const [tenant, email] = [await plane.makeTenant(), newEmail()]
    const invitation = await invite(tenant.id, email, 'viewer')
    expect(invitation.invite_url).toMatch(/^http:\/\/localhost:\d+\/invite#token=[A-Za-z0-9_-]{43}$/)
    const answer = await take(invitation.token)
    expect(answer.status).toBe(200)
    const { session_token, user } = answer.body as { session_token: string; user: { id: string } }
    const permissions = ['project:read', 'billing:read', 'guardrails:read']
    const tenants = [{ id: tenant.id, name: tenant.name, plan: 'free', role: 'viewer', permissions }]
    const shown = { id: user.id, email, tenants }
    expect(answer.body).toEqual({ session_token, token_type: 'Bearer', expires_in: 43_200, user: shown })
    expect((await plane.call('GET', '/auth/v1/sessions/current', { session: session_token })).body).toEqual(shown)
    expect(await plane.signIn(email, password)).toMatch(/^sess_/)
    const rows = JSON.stringify(await plane.query('select * from invitations'))
    expect(rows).toContain(email)
    expect(rows).not.toContain(invitation.token)
  })

  test.each([
    [{}, 'token is required'],
    [{ token: 7, password }, 'token is required'],
    [{ token: 'x' }, 'password is required'],
    [{ token: 'x', password: 'elevenchars' }, 'password must be at least 12 characters'],
    [{ token: 'x', password: 'x'.repeat(1025) }, 'password must be at most 1024 characters'],
  ])('refuse the body %j', async (body, error) => {
    const answer = await plane.call('POST', accept, { body })
    expect([answer.status, answer.body]).toEqual([400, { error }])
  })

  test('are not found under an unknown token, or twice', async () => {
    const { token } = await invite((await plane.makeTenant()).id, newEmail())
    const unknown = await take('A'.repeat(43))
    expect([unknown.status, unknown.body]).toEqual(notFound)
    expect((await take(token)).status).toBe(200)
    const again = await take(token)
    expect([again.status, again.body]).toEqual(notFound)
  })

  test('survive a password that is too short', async () => {
    const { token } = await invite((await plane.makeTenant()).id, newEmail())
    expect((await take(token, 'short')).status).toBe(400)
    expect((await take(token)).status).toBe(200)
  })

  test('are accepted once by twenty at once', async () => {
    const [tenant, email] = [await plane.makeTenant(), newEmail()]
    const { token } = await invite(tenant.id, email)
    const answers = await Promise.all(Array.from({ length: 20 }, () => take(token)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(19).fill(404)])
    expect(await plane.query('select id from users where email = ?', [email])).toHaveLength(1)
  })

  test('never set the password of somebody who has an account by now, but join with it', async () => {
    const [first, second, email] = [await plane.makeTenant(), await plane.makeTenant(), newEmail()]
    const links = [await invite(first.id, email, 'viewer'), await invite(second.id, email, 'member')]
    expect((await take(links[0]?.token ?? '')).status).toBe(200)
    const guessed = await take(links[1]?.token ?? '', 'another long password')
    expect([guessed.status, guessed.body]).toEqual([401, { error: 'Sign in as the invited person to accept' }])
    expect(await roleIn(second.id, email)).toEqual([])
    expect(await plane.signIn(email, password)).toMatch(/^sess_/)
    expect((await take(links[1]?.token ?? '')).status).toBe(200)
    expect(await roleIn(second.id, email)).toEqual([{ role: 'member' }])
  })

  test('are accepted by the session of the invited email, without a password, and by no other', async () => {
    const person = await plane.makePerson()
    const stranger = await plane.makePerson()
    const tenant = await plane.makeTenant()
    const { token } = await invite(tenant.id, person.email, 'member')
    const accept = (session: string) => plane.call('POST', '/auth/v1/invitations/accept', { session, body: { token } })
    const refused = await accept(stranger.session)
    expect([refused.status, refused.body]).toEqual([401, { error: 'Sign in as the invited person to accept' }])
    const without = await plane.call('POST', '/auth/v1/invitations/accept', { body: { token } })
    expect([without.status, without.body]).toEqual([400, { error: 'password is required' }])
    const accepted = await accept(person.session)
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        expires_in: expect.any(Number),
        user: {
          id: person.id,
          email: person.email,
          tenants: expect.arrayContaining([expect.objectContaining(tenant)]),
        },
      },
    ])
    expect(await roleIn(tenant.id, person.email)).toEqual([{ role: 'member' }])
    expect((await accept(person.session)).status).toBe(404)
  })

  test('replace an earlier one of the same tenant and email', async () => {
    const [tenant, email] = [await plane.makeTenant(), newEmail()]
    const mistaken = await invite(tenant.id, email, 'owner')
    const right = await invite(tenant.id, email.toUpperCase(), 'viewer')
    expect((await take(mistaken.token)).status).toBe(404)
    expect((await take(right.token)).status).toBe(200)
    expect(await roleIn(tenant.id, email)).toEqual([{ role: 'viewer' }])
  })

  test('are withdrawn by their id, in their own tenant', async () => {
    const [tenant, other] = [await plane.makeTenant(), await plane.makeTenant()]
    const { id, token } = await invite(tenant.id, newEmail())
    const withdraw = (tenantId: string) =>
      plane.call('DELETE', `/auth/v1/tenants/${tenantId}/members/${id}`, { session: plane.owner.session })
    expect((await withdraw(other.id)).status).toBe(404)
    expect((await withdraw(tenant.id)).status).toBe(204)
    expect((await withdraw(tenant.id)).status).toBe(404)
    expect((await take(token)).status).toBe(404)
  })

  test('do not let a removed owner back in', async () => {
    const tenant = await plane.makeTenant()
    const rival = await plane.makePerson({ tenantId: tenant.id, role: 'owner' })
    const { token } = await invite(tenant.id, newEmail(), 'owner', rival.session)
    const path = `/auth/v1/tenants/${tenant.id}/members/${rival.id}`
    expect((await plane.call('DELETE', path, { session: plane.owner.session })).status).toBe(204)
    expect((await take(token)).status).toBe(404)
  })
})

describe('the clock of invitations', () => {
  let plane: InProcess
  beforeAll(async () => {
    plane = await startInProcess()
  })
  afterAll(() => plane.stop())

  async function invite(email: string): Promise<string> {
    const token = await plane.signIn()
    const tenant = await plane.call('POST', '/auth/v1/tenants', { token, body: { name: 'T' } })
    const path = `/auth/v1/tenants/${tenant.body['id']}/members`
    const { body } = await plane.call('POST', path, { token, body: { email, role: 'member' } })
    return new URL(String(body['invite_url'])).hash.slice('#token='.length)
  }

  test.each([
    ['the last moment', 'last@example.com', 7 * dayMs - 1, 200],
    ['seven days', 'late@example.com', 7 * dayMs, 404],
  ])('after %s', async (_case, email, afterMs, status) => {
    const token = await invite(email)
    plane.clock.advance(afterMs)
    const before = plane.hashes()
    const answer = await plane.call('POST', accept, { body: { token, password } })
    expect(answer.status).toBe(status)
    expect(plane.hashes() - before).toBe(status === 200 ? 1 : 0)
  })
})
